//! Accepts connections, asks the kernel who is connecting, and closes them in order at shutdown.

use std::{convert::Infallible, future::Future, io, os::unix::net::UnixListener as StdListener, time::Duration};

use tokio::{
    net::{UnixListener, UnixStream},
    sync::watch,
    task::JoinSet,
};

use crate::AdmissionRule;

/// How long to wait after `accept` failed: while the process is out of file descriptors, retrying at once achieves
/// nothing.
const PAUSE: Duration = Duration::from_millis(100);

/// The accept loop of one listening socket.
#[derive(Debug)]
pub struct ConnectionGate {
    listener: UnixListener,
    admission: AdmissionRule,
    connections: OpenConnections,
    /// The limit on connections served at once. Further ones wait in the kernel's backlog.
    most: usize,
}

/// The connections that are still served after the gate was closed.
#[derive(Debug)]
pub struct OpenConnections {
    tasks: JoinSet<()>,
    /// Dropped when the server shuts down.
    closing: watch::Sender<()>,
}

/// Tells a connection that its server is shutting down.
#[derive(Clone, Debug)]
pub struct ClosingSignal(watch::Receiver<()>);

impl ClosingSignal {
    pub async fn told(mut self) {
        // The only possible result is an error, which says that the sender was dropped.
        let _ = self.0.changed().await;
    }
}

impl ConnectionGate {
    /// Must be called inside a tokio runtime.
    pub fn new(listener: StdListener, admission: AdmissionRule) -> io::Result<Self> {
        let connections = OpenConnections { tasks: JoinSet::new(), closing: watch::Sender::new(()) };
        Ok(ConnectionGate { listener: UnixListener::from_std(listener)?, admission, connections, most: usize::MAX })
    }

    /// Serves at most this many connections at once.
    #[must_use]
    pub fn at_most(self, most: usize) -> Self {
        ConnectionGate { most: most.max(1), ..self }
    }

    /// Serves each admitted connection in its own task. Cancel-safe: dropping the future loses no connection.
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

    /// Stops accepting connections.
    pub fn close(self) -> OpenConnections {
        self.connections
    }
}

impl OpenConnections {
    /// Tells all connections to finish, and waits at most `patience` for their last answers.
    pub async fn end(self, patience: Duration) {
        let OpenConnections { mut tasks, closing } = self;
        drop(closing);
        let last_answers = async { while tasks.join_next().await.is_some() {} };
        // Connections that are still open after that are dropped.
        let _ = tokio::time::timeout(patience, last_answers).await;
    }
}

fn admitted(stream: &UnixStream, admission: &AdmissionRule) -> bool {
    match stream.peer_cred() {
        Ok(peer) if admission.admits(stream, peer) => true,
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
