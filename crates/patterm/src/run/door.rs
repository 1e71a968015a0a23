//! Admits each connection by its token, and serves it as that caller. The peer's user was checked before.

use mcp::{AdmittedClient, OneCall, ServerInfo};
use ops::{Call, Caller, Context, ErrorKind, Faces, OpError, Role};
use program::ClosingSignal;
use project::Project;
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    net::UnixStream,
};

use super::instructions;
use crate::observe::Observers;

#[derive(Clone, Debug)]
pub(super) struct AcceptedClient {
    project: Project,
    observers: Observers,
}

impl AcceptedClient {
    pub(super) fn new(project: Project, observers: Observers) -> Self {
        AcceptedClient { project, observers }
    }

    /// Serves a connection until it closes or the run ends.
    pub(super) async fn serve(self, stream: UnixStream, closing: ClosingSignal) {
        tokio::select! {
            () = self.attend(stream) => {}
            () = closing.told() => {}
        }
    }

    async fn attend(self, stream: UnixStream) {
        let AdmittedClient { caller, call, stream } = match mcp::admit(stream, &self.project).await {
            Ok(admitted) => admitted,
            // A client that only checks whether we are alive is not an error.
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

/// A single call without MCP: one line of answer, and the connection ends.
async fn answer(project: Project, caller: Caller, call: OneCall, mut stream: impl AsyncWrite + Unpin) {
    let context = project.clone();
    // The person's own command line is not an MCP client, but may call whatever the person's client may.
    let faces = if caller.role == Role::Operator { Faces::HOOK.union(Faces::MCP) } else { Faces::HOOK };
    let entry = context.table().get(&call.operation).filter(|entry| entry.traits.faces.intersects(faces));
    let outcome = match entry {
        Some(entry) => entry.run(Call::new(project, caller), call.arguments).await,
        None => Err(OpError::new(ErrorKind::NotFound, format!("'{}' can't be called this way", call.operation))),
    };
    let line = match outcome {
        Ok(reply) => format!("{reply}\n"),
        Err(error) => format!("{}\n", serde_json::json!({ "error": error })),
    };
    // A client that does not wait for the answer loses nothing.
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
