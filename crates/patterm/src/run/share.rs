//! `--share`: vtr's gRPC for this run's sessions. Whoever can open the socket acts as the operator.
//!
//! Off unless requested. The socket follows vtr's rules, and MCP is served on it too, so that every command of `vtr`
//! finds what it would find at a coordinator.

use std::{
    io,
    os::unix::net::UnixListener,
    path::{Path, PathBuf},
    time::Duration,
};

use ops::{Caller, Role};
use program::{
    AdmissionRule, ClosingSignal, ConnectionGate, Exit, Failure, LockedSocket, OpenConnections, SocketError,
    SocketPermissions,
};
use project::Project;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::UnixStream,
};

use super::door;

use crate::observe::Observers;

/// Where to share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SharePlace {
    /// In the folder of the run; removed with it.
    InRun,
    At(PathBuf),
}

/// Bound to its socket, but not serving yet.
#[derive(Debug)]
pub(super) struct BoundShare {
    path: PathBuf,
    listener: UnixListener,
    user: u32,
    socket: LockedSocket,
}

impl BoundShare {
    pub(super) fn bind(place: &SharePlace, run_folder: &Path, user: u32) -> Result<Self, Failure> {
        let path = match place {
            // vtr names a coordinator by the file's stem.
            SharePlace::InRun => run_folder.join(format!("patterm-{}.sock", std::process::id())),
            SharePlace::At(path) => path.clone(),
        };
        let (socket, listener) =
            LockedSocket::bind(&path, SocketPermissions::PRIVATE).map_err(|error| failure(&error))?;
        Ok(BoundShare { path, listener, user, socket })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn open(self, project: Project, observers: Observers) -> io::Result<RunningShare> {
        let about = grpc::server::ServerAbout { program: "patterm".into(), version: env!("CARGO_PKG_VERSION").into() };
        let server = grpc::server::GrpcServer::new(project.clone(), Caller::operator(), about);
        let admission = AdmissionRule { owner: self.user, group: None, allowed: Vec::new() };
        let gate = ConnectionGate::new(self.listener, admission)?;
        Ok(RunningShare { gate, guest: SharedClient { project, server, observers }, socket: self.socket })
    }
}

fn failure(error: &SocketError) -> Failure {
    let (exit, kind, hint) = match error {
        SocketError::Alive { .. } => (Exit::Refused, "already_exists", "give --share another path, or none"),
        SocketError::NotASocket { .. } | SocketError::NotALock { .. } => {
            (Exit::Usage, "usage", "give --share another path, or move the file away")
        }
        SocketError::TooLong { .. } => (Exit::Usage, "usage", "give --share a shorter path"),
        SocketError::Taken { .. } | SocketError::System { .. } => {
            (Exit::Refused, "system", "give --share a path in a folder that you may write to")
        }
    };
    Failure::new(exit, kind, error.to_string()).with_hint(hint)
}

/// Accepting connections.
#[derive(Debug)]
pub(super) struct RunningShare {
    gate: ConnectionGate,
    guest: SharedClient,
    socket: LockedSocket,
}

impl RunningShare {
    pub(super) async fn serve(&mut self) {
        let RunningShare { gate, guest, .. } = self;
        match gate.serve(|stream, closing| guest.clone().serve(stream, closing)).await {}
    }

    /// Stops accepting connections; the open ones end with the returned value.
    pub(super) fn close(self) -> EndingShare {
        EndingShare { connections: self.gate.close(), _socket: self.socket }
    }
}

/// The connections that are still open at the end.
#[derive(Debug)]
pub(super) struct EndingShare {
    connections: OpenConnections,
    _socket: LockedSocket,
}

impl EndingShare {
    pub(super) async fn end(self, patience: Duration) {
        self.connections.end(patience).await;
    }
}

#[derive(Clone, Debug)]
struct SharedClient {
    project: Project,
    server: grpc::server::GrpcServer,
    observers: Observers,
}

impl SharedClient {
    async fn serve(self, stream: UnixStream, closing: ClosingSignal) {
        let SharedClient { project, server, observers } = self;
        let http2 = async |stream, stop| {
            if let Err(error) = server.serve_connection(stream, stop).await {
                tracing::debug!(%error, "a gRPC connection ended");
            }
        };
        mcp::tell_apart(stream, || closing.clone().told(), |stream| speak_mcp(stream, project, observers), http2).await;
    }
}

async fn speak_mcp(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    project: Project,
    observers: Observers,
) {
    let caller = Caller::operator();
    let about = door::about(Role::Operator, &project);
    let stream = observers.transcribe(stream, &caller);
    if let Err(error) = mcp::serve(stream, project, caller, about).await {
        tracing::debug!(%error, "disconnected");
    }
}
