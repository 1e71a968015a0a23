//! Takes connections, asks the kernel who they are, and sees to their end.

use std::{convert::Infallible, future::Future, io, os::unix::net::UnixListener as StdListener, time::Duration};

use tokio::{
    net::{UnixListener, UnixStream},
    sync::watch,
    task::JoinSet,
};

use crate::AdmissionRule;

/// After the system refused a connection: when we are out of file descriptors, trying at once is of no use.
const PAUSE: Duration = Duration::from_millis(100);

/// Listening on a socket.
#[derive(Debug)]
pub struct ConnectionGate {
    listener: UnixListener,
    admission: AdmissionRule,
    connections: OpenConnections,
    /// Served at once. Beyond it, new ones wait in the kernel's queue.
    most: usize,
}

/// What is still served when the gate has closed.
#[derive(Debug)]
pub struct OpenConnections {
    tasks: JoinSet<()>,
    /// Goes when the server ends.
    closing: watch::Sender<()>,
}

/// Told to a connection when its server ends.
#[derive(Clone, Debug)]
pub struct ClosingSignal(watch::Receiver<()>);

impl ClosingSignal {
    pub async fn told(mut self) {
        // Only ever an error, which says that the sender has gone.
        let _ = self.0.changed().await;
    }
}

impl ConnectionGate {
    /// Needs a tokio runtime around it.
    pub fn new(listener: StdListener, admission: AdmissionRule) -> io::Result<Self> {
        let connections = OpenConnections { tasks: JoinSet::new(), closing: watch::Sender::new(()) };
        Ok(ConnectionGate { listener: UnixListener::from_std(listener)?, admission, connections, most: usize::MAX })
    }

    /// Serves no more connections than this at once.
    #[must_use]
    pub fn at_most(self, most: usize) -> Self {
        ConnectionGate { most: most.max(1), ..self }
    }

    /// Serves each connection that may come in a task of its own. Dropping the future loses none.
    pub async fn serve<F>(&mut self, serve: impl Fn(UnixStream, ClosingSignal) -> F) -> Infallible
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let ConnectionGate { listener, admission, connections, most } = self;
        loop {
            tokio::select! {
                accepted = listener.accept(), if connections.tasks.len() < *most => match accepted {
                    Ok((stream, _)) if admitted(&stream, admission) => {
                        connections.tasks.spawn(serve(stream, ClosingSignal(connections.closing.subscribe())));
                    }
                    Ok(_) => {}
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be taken");
                        tokio::time::sleep(PAUSE).await;
                    }
                },
                Some(_) = connections.tasks.join_next() => {}
            }
        }
    }

    /// Takes no further connections.
    pub fn close(self) -> OpenConnections {
        self.connections
    }
}

impl OpenConnections {
    /// Tells them that it is over, and waits for their last answers, though not for long.
    pub async fn end(self, patience: Duration) {
        let OpenConnections { mut tasks, closing } = self;
        drop(closing);
        let last_answers = async { while tasks.join_next().await.is_some() {} };
        // What is still under way then is dropped.
        let _ = tokio::time::timeout(patience, last_answers).await;
    }
}

fn admitted(stream: &UnixStream, admission: &AdmissionRule) -> bool {
    match stream.peer_cred() {
        Ok(peer) if admission.admits(peer) => true,
        Ok(peer) => {
            tracing::warn!(uid = peer.uid(), gid = peer.gid(), pid = peer.pid(), "refused a client");
            false
        }
        Err(error) => {
            tracing::warn!(%error, "refused a client that can't be identified");
            false
        }
    }
}
