//! The door: each connection is looked at (whose process is it?), asked (who are you?), and served as that caller.

use std::{sync::Arc, time::Duration};

use mcp::{AdmittedClient, OneCall, ServerInfo};
use ops::{Call, Caller, Context, ErrorKind, Faces, OpError, Role};
use project::Project;
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    net::{UnixListener, UnixStream},
    sync::{Semaphore, watch},
};

use super::instructions;
use crate::observe::Observers;

/// After the system refused a connection: when we are out of file descriptors, trying at once is of no use.
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Door {
    project: Project,
    user: u32,
    observers: Observers,
    closing: watch::Sender<()>,
    room: Arc<Semaphore>,
    connections: usize,
}

/// What is still served when the door has closed.
#[derive(Debug)]
pub(super) struct Connections {
    closing: watch::Sender<()>,
    room: Arc<Semaphore>,
    /// Places in the room.
    number: usize,
}

impl Door {
    pub(super) fn new(project: Project, user: u32, observers: Observers) -> Self {
        let (closing, _) = watch::channel(());
        // Beyond it, new ones wait.
        let connections = project.settings().mcp.max_connections;
        Door { project, user, observers, closing, room: Arc::new(Semaphore::new(connections)), connections }
    }

    pub(super) fn connections(&self) -> Connections {
        Connections { closing: self.closing.clone(), room: self.room.clone(), number: self.connections }
    }

    /// Until it is dropped. Connections go on without it, until [`Connections::end`].
    pub(super) async fn take_connections(self, listener: UnixListener) {
        loop {
            let place = self.room.clone().acquire_owned().await.expect("nobody closes the semaphore");
            let stream = loop {
                match listener.accept().await {
                    Ok((stream, _)) => break stream,
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be taken");
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            };
            let guest = Guest { project: self.project.clone(), user: self.user, observers: self.observers.clone() };
            let mut closing = self.closing.subscribe();
            tokio::spawn(async move {
                let _place = place;
                tokio::select! {
                    () = guest.serve(stream) => {}
                    _ = closing.changed() => {}
                }
            });
        }
    }
}

impl Connections {
    /// Tells them to end, and waits for them, though not for long.
    pub(super) async fn end(self, patience: Duration) {
        self.closing.send_replace(());
        let all = u32::try_from(self.number).unwrap_or(u32::MAX);
        // Who is still there then goes with the process.
        let _ = tokio::time::timeout(patience, self.room.acquire_many(all)).await;
    }
}

struct Guest {
    project: Project,
    user: u32,
    observers: Observers,
}

impl Guest {
    async fn serve(self, stream: UnixStream) {
        match stream.peer_cred() {
            // The socket's mode keeps others out; this is for a mode that somebody has changed.
            Ok(peer) if peer.uid() == self.user || peer.uid() == 0 => {}
            Ok(peer) => {
                tracing::warn!(uid = peer.uid(), pid = peer.pid(), "refused a process of another user");
                return;
            }
            Err(error) => {
                tracing::warn!(%error, "refused a process that can't be identified");
                return;
            }
        }
        let AdmittedClient { caller, call, stream } = match mcp::admit(stream, &self.project).await {
            Ok(admitted) => admitted,
            // Looking whether we are alive is no mistake.
            Err(mcp::AdmissionError::Closed) => return,
            Err(error) => {
                tracing::warn!(%error, "refused a connection");
                return;
            }
        };
        if let Some(call) = call {
            return answer(self.project, caller, call, stream).await;
        }
        let about = about(caller.role, &self.project);
        let stream = self.observers.transcribe(stream, &caller);
        tracing::debug!(?caller, "connected");
        match mcp::serve(stream, self.project, caller, about).await {
            Ok(()) => tracing::debug!("disconnected"),
            Err(error) => tracing::debug!(%error, "disconnected"),
        }
    }
}

/// A call without MCP: one line back, and it is over.
async fn answer(project: Project, caller: Caller, call: OneCall, mut stream: impl AsyncWrite + Unpin) {
    let context = project.clone();
    // A person's command is no MCP client, and may call what the same person's client may.
    let faces = if caller.role == Role::Operator { Faces::HOOK.union(Faces::MCP) } else { Faces::HOOK };
    let entry = context.table().get(&call.operation).filter(|entry| entry.traits.faces.intersects(faces));
    let outcome = match entry {
        Some(entry) => entry.run(Call::new(project, caller), call.arguments).await,
        None => Err(OpError::new(ErrorKind::NotFound, format!("'{}' is no operation for one call", call.operation))),
    };
    let line = match outcome {
        Ok(reply) => format!("{reply}\n"),
        Err(error) => format!("{}\n", serde_json::json!({ "error": error })),
    };
    // Who does not wait for the answer misses nothing.
    let _ = stream.write_all(line.as_bytes()).await;
    let _ = stream.shutdown().await;
}

pub(super) fn about(role: Role, project: &Project) -> ServerInfo {
    ServerInfo {
        name: "patterm".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        instructions: instructions::text(role),
        max_calls: project.settings().mcp.max_calls,
    }
}
