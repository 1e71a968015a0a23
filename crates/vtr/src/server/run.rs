//! One run of a coordinator, from binding its socket to its end.

use std::{io, path::Path, time::Duration};

use engine::{Engine, EngineLimits, EngineOptions};
use fleet::default_socket;
use ops::{Caller, Context, RecordingEvent, SessionContext};
use program::{
    AdmissionRule, ClosingSignal, ConnectionGate, EndSignals, Exit, Failure, LockError, LockFile, LockedSocket,
    SocketError, SocketPermissions, allow_many_files,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::UnixStream,
    sync::{
        broadcast::{self, error::RecvError},
        oneshot,
    },
};

use super::{
    host::CoordinatorHost,
    lost::LostSessions,
    roll::{self, RollKeeper},
    settings::ServeSettings,
};
use crate::surroundings::Surroundings;

/// How long clients may take to receive their last answers after the sessions have ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Bound to its socket, but not serving yet.
#[derive(Debug)]
pub(crate) struct BoundCoordinator {
    settings: ServeSettings,
    listener: std::os::unix::net::UnixListener,
    admission: AdmissionRule,
    // Dropped in this order: the socket goes before the lock file that says who owns it.
    _socket: LockedSocket,
    _pid_file: Option<LockFile>,
}

pub(crate) fn bind(settings: ServeSettings, surroundings: &Surroundings) -> Result<BoundCoordinator, Failure> {
    let pid_file = match &settings.pid_file {
        Some(path) => {
            if let Some(folder) = path.parent() {
                super::folder::create_private(folder).map_err(|error| {
                    Failure::system(format_args!("creating the folder of {}", path.display()), &error)
                })?;
            }
            Some(LockFile::acquire(path).map_err(|error| pid_file_failure(&error))?)
        }
        None => None,
    };
    check_folder(&settings.socket, surroundings)?;
    let permissions = SocketPermissions { mode: settings.socket_mode, group: settings.socket_group };
    let (socket, listener) =
        LockedSocket::bind(&settings.socket, permissions).map_err(|error| socket_failure(&error))?;
    let admission =
        AdmissionRule { owner: surroundings.user, group: settings.socket_group, allowed: settings.allow_uids.clone() };
    Ok(BoundCoordinator { settings, listener, admission, _socket: socket, _pid_file: pid_file })
}

fn socket_failure(error: &SocketError) -> Failure {
    let (kind, hint) = match error {
        SocketError::Alive { path, .. } => {
            let stop = format!("`vtr serve --stop --socket {}`", path.display());
            ("already_exists", format!("use it, end it with {stop}, or give this one another --socket"))
        }
        SocketError::NotASocket { .. } | SocketError::NotALock { .. } => {
            ("usage", "give another --socket, or move the file away".into())
        }
        SocketError::TooLong { .. } => ("usage", "give a shorter --socket".into()),
        SocketError::Taken { .. } | SocketError::System { .. } => {
            ("system", "give a --socket in a folder that you may write to".into())
        }
    };
    let exit = if kind == "usage" { Exit::Usage } else { Exit::Refused };
    Failure::new(exit, kind, error.to_string()).with_hint(hint)
}

fn pid_file_failure(error: &LockError) -> Failure {
    let (kind, hint) = match error {
        LockError::Held { .. } => ("already_exists", "end it with `vtr serve --stop --pid-file FILE`"),
        LockError::NotOurs { .. } => ("usage", "give another --pid-file, or move that file away"),
        LockError::System { .. } => ("system", "give a --pid-file that you may write to"),
    };
    let exit = if kind == "usage" { Exit::Usage } else { Exit::Refused };
    Failure::new(exit, kind, error.to_string()).with_hint(hint)
}

/// A missing folder is a typing error, unless it is our own.
fn check_folder(socket: &Path, surroundings: &Surroundings) -> Result<(), Failure> {
    let Some(folder) = socket.parent() else { return Ok(()) };
    if folder.exists() || folder == default_socket::own_folder(surroundings) {
        return Ok(());
    }
    let message = format!("the folder of {} does not exist", socket.display());
    Err(Failure::usage(message).with_hint("create it first, or check the path"))
}

/// Serves until TERM, INT or HUP, and returns when all sessions have ended. `ready` gets what a coordinator that was
/// killed before left behind.
pub(crate) async fn serve(
    bound: BoundCoordinator,
    surroundings: &Surroundings,
    ready: impl FnOnce(Option<String>),
) -> Result<(), Failure> {
    let BoundCoordinator { settings, listener, admission, _socket, _pid_file } = bound;
    allow_many_files();
    let failed = |what: &'static str| move |error: io::Error| Failure::system(what, &error);
    let mut end = EndSignals::of_a_server().map_err(failed("listening to signals"))?;
    let mut gate = ConnectionGate::new(listener, admission).map_err(failed("serving the socket"))?;
    // Inside a session, `vtr` finds the coordinator it runs under; if a variable is set several times, the last one
    // counts.
    let mut environment = surroundings.environment.clone();
    environment.push(("VTR_SOCKET".into(), settings.socket.clone().into()));
    let engine = Engine::new(EngineOptions {
        base_env: environment,
        // The id, because a rename does not change it.
        id_variables: vec!["VTR_SESSION".into()],
        default_shell: settings.shell.clone(),
        limits: EngineLimits { history_lines: settings.scrollback, ..EngineLimits::default() },
        grace: settings.kill_timeout,
        inherits_orphans: std::process::id() == 1,
        ..EngineOptions::default()
    });
    let lost = lost_before(&settings.roll_file);
    let lost_in_words = lost.as_ref().map(LostSessions::summary);
    let host = CoordinatorHost {
        lost,
        size: vt::Size::new(settings.cols, settings.rows),
        home: surroundings.home.clone(),
        recordings: settings.record_folder.clone(),
        recording_rules: settings.recording.clone(),
    };
    let context = SessionContext::new(engine.clone(), host);
    let about = grpc::server::ServerAbout { program: "vtr".into(), version: env!("CARGO_PKG_VERSION").into() };
    let server = grpc::server::GrpcServer::new(context.clone(), Caller::operator(), about);
    let guest = ConnectedClient { context: context.clone(), server };
    tracing::info!(socket = %settings.socket.display(), pid = std::process::id(), "listening");
    if let Some(lost) = &lost_in_words {
        tracing::warn!("{lost}");
    }
    let (in_order, ended) = oneshot::channel();
    let roll = tokio::spawn(RollKeeper::new(&settings.roll_file, &context).keep(ended));
    let warnings = tokio::spawn(warn_of_recordings(context.recordings().events()));
    ready(lost_in_words);
    let signal = tokio::select! {
        signal = end.next() => signal,
        never = gate.serve(|stream, closing| guest.clone().serve(stream, closing)) => match never {},
    };
    tracing::info!(signal = signal.name(), "ending all sessions");
    let connections = gate.close();
    tokio::select! {
        () = engine.shutdown(settings.kill_timeout) => {}
        signal = end.next_urgent() => {
            tracing::warn!(signal = signal.name(), "ending all sessions at once");
            engine.shutdown(Duration::ZERO).await;
        }
    }
    context.recordings().close().await;
    warnings.abort();
    drop(in_order);
    let _ = roll.await;
    connections.end(LAST_WORDS).await;
    tracing::info!("ended");
    Ok(())
}

/// What the previous coordinator took with it, if it was killed.
fn lost_before(roll_file: &Path) -> Option<LostSessions> {
    match roll::read(roll_file) {
        Ok(found) => LostSessions::of(found?),
        Err(error) => {
            tracing::warn!(%error, file = %roll_file.display(), "the previous coordinator's list of sessions can't be read");
            None
        }
    }
}

/// Logs recordings that end early.
async fn warn_of_recordings(mut events: broadcast::Receiver<RecordingEvent>) {
    loop {
        match events.recv().await {
            Ok(RecordingEvent::Ended { session, file, error: Some(error) }) => {
                tracing::warn!(%session, %file, %error, "a recording ended early");
            }
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

/// Serves one connection, by gRPC or MCP.
#[derive(Clone)]
struct ConnectedClient {
    context: SessionContext,
    server: grpc::server::GrpcServer,
}

impl ConnectedClient {
    async fn serve(self, stream: UnixStream, closing: ClosingSignal) {
        let ConnectedClient { context, server } = self;
        let http2 = async |stream, stop| {
            if let Err(error) = server.serve_connection(stream, stop).await {
                tracing::debug!(%error, "a gRPC connection ended");
            }
        };
        mcp::tell_apart(stream, || closing.clone().told(), |stream| serve_mcp(stream, context), http2).await;
    }
}

async fn serve_mcp(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, context: SessionContext) {
    let info = mcp::ServerInfo {
        name: "vtr".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        instructions: "Terminal sessions of one machine: start programs with spawn_process, type with \
            send_input, wait with wait_for_pattern, read with get_process_output. Call help first."
            .into(),
        ..mcp::ServerInfo::default()
    };
    if let Err(error) = mcp::serve(stream, context, Caller::operator(), info).await {
        tracing::debug!(%error, "an MCP connection ended");
    }
}
