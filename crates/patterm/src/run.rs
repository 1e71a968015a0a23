//! One run of patterm: an engine, a project, a socket with an MCP server, and a shutdown that leaves nothing behind.
//!
//! It knows no face except MCP and, if shared, gRPC: the interface and the headless command use the same
//! [`PattermRun`], and the interface serves it beside its own loop.

pub(crate) mod connect_file;
mod door;
mod folder;
mod identities;
mod instructions;
mod share;
mod watched;

use std::{
    net::{Ipv4Addr, SocketAddr},
    os::unix::net::UnixListener as StdListener,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use agents::report::Redaction;
use engine::{Engine, EngineLimits, EngineOptions};
use program::{
    AdmissionRule, ConnectionGate, EndWatch, Exit, Failure, ProcessSocket, Surroundings, allow_many_files,
    private_folder,
};
use project::{Project, ProjectOptions, Settings};
use tokio::net::TcpListener;

pub(crate) use self::share::SharePlace;
use self::{
    door::AcceptedClient,
    folder::RunFolder,
    identities::RunIdentities,
    share::{BoundShare, RunningShare},
    watched::WatchdogHandle,
};

use crate::observe::Observers;

/// The size of sessions that are started without one while there is no screen.
const SIZE: ops::Size = ops::Size { cols: 120, rows: 40 };
/// How long clients may take to receive their last answers after the sessions have ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub(crate) struct RunOptions {
    pub(crate) project_dir: PathBuf,
    /// The port for MCP over HTTP; 0 for any.
    pub(crate) http: Option<u16>,
    /// Write a connect file that identifies its reader as the human. Agents run as the same user and can read it, so it
    /// is only written on request.
    pub(crate) operator_file: bool,
    /// Serve vtr's commands as well.
    pub(crate) share: Option<SharePlace>,
    pub(crate) settings: Settings,
}

/// A run that is set up, but serves nobody yet.
#[derive(Debug)]
pub(crate) struct PattermRun {
    pub(crate) project: Project,
    engine: Engine,
    grace: Duration,
    gate: ConnectionGate,
    http: Option<TcpListener>,
    operator: Option<PathBuf>,
    observers: Observers,
    share: Option<BoundShare>,
    watchdog: Option<WatchdogHandle>,
    // Dropped in this order: the folder goes before the socket, which reserves its name.
    _folder: RunFolder,
    socket: ProcessSocket,
}

impl PattermRun {
    /// Must be called inside a tokio runtime.
    pub(crate) async fn start(
        options: RunOptions,
        surroundings: &Surroundings,
        observers: Observers,
    ) -> Result<Self, Failure> {
        allow_many_files();
        engine::return_large_blocks();
        let (socket, listener) = bind(surroundings)?;
        let folder = RunFolder::beside(socket.path())
            .map_err(|error| Failure::system("making the folder of this run", &error))?;
        let identities = Arc::new(RunIdentities::new(socket.path(), folder.path()));
        let operator = options
            .operator_file
            .then(|| identities.open_operator())
            .transpose()
            .map_err(|error| Failure::system("writing the operator's connect file", &error))?;
        // The socket's mode already keeps others out; this check covers a mode that somebody changed.
        let ours = AdmissionRule { owner: surroundings.user, group: None, allowed: Vec::new() };
        let gate =
            ConnectionGate::new(listener, ours).map_err(|error| Failure::system("serving the socket", &error))?;
        let gate = gate.at_most(options.settings.mcp.max_connections);
        let http = match options.http {
            Some(port) => Some(bind_http(port).await?),
            None => None,
        };
        let share = match &options.share {
            Some(place) => Some(BoundShare::bind(place, folder.path(), surroundings.user)?),
            None => None,
        };
        let grace = options.settings.grace();
        let engine = Engine::new(EngineOptions {
            base_env: surroundings.environment.clone(),
            default_shell: surroundings.variable("SHELL").unwrap_or("/bin/sh".as_ref()).to_owned(),
            limits: EngineLimits {
                history_lines: options.settings.scrollback.lines,
                history_bytes: options.settings.scrollback.bytes,
                ..EngineLimits::default()
            },
            grace,
            inherits_orphans: std::process::id() == 1,
            ..EngineOptions::default()
        });
        let watchdog = start_watchdog(surroundings, grace, &engine);
        let project = open_project(options, surroundings, engine.clone(), folder.path(), identities)?;
        observers.watch(&project);
        Ok(PattermRun {
            project,
            engine,
            grace,
            gate,
            http,
            operator,
            observers,
            share,
            watchdog,
            _folder: folder,
            socket,
        })
    }

    pub(crate) fn socket(&self) -> &Path {
        self.socket.path()
    }

    /// The operator's connect file, if one was requested.
    pub(crate) fn operator(&self) -> Option<&Path> {
        self.operator.as_deref()
    }

    /// The socket for vtr's commands, if there is one.
    pub(crate) fn share(&self) -> Option<&Path> {
        self.share.as_ref().map(BoundShare::path)
    }

    pub(crate) fn http_address(&self) -> Option<SocketAddr> {
        self.http.as_ref().and_then(|listener| listener.local_addr().ok())
    }

    /// Serves until somebody asks for the end, then ends all sessions. If somebody insists, the remaining sessions are
    /// killed.
    pub(crate) async fn serve(self, mut wishes: EndWatch) -> Result<(), Failure> {
        let PattermRun { project, engine, grace, mut gate, http, observers, share, watchdog, _folder, socket, .. } =
            self;
        let guest = AcceptedClient::new(project.clone(), observers.clone());
        let web = async {
            match http {
                Some(listener) => {
                    mcp::serve_http(listener, project.clone(), door::about(ops::Role::Operator, &project)).await
                }
                None => std::future::pending().await,
            }
        };
        let mut sharing = share
            .map(|share| share.open(project.clone(), observers.clone()))
            .transpose()
            .map_err(|error| Failure::system("sharing the sessions", &error))?;
        tokio::select! {
            why = wishes.leaving() => tracing::info!(why, "ending all sessions"),
            never = gate.serve(|stream, closing| guest.clone().serve(stream, closing)) => match never {},
            () = web => {}
            () = shared(sharing.as_mut()) => {}
        }
        let connections = gate.close();
        let shared = sharing.map(RunningShare::close);
        observers.before_the_end();
        // What runs now is what a later run comes back to.
        project.finish_run_record().await;
        tokio::select! {
            () = engine.shutdown(grace) => {}
            why = wishes.hurry() => {
                tracing::warn!(why, "ending all sessions at once");
                engine.shutdown(Duration::ZERO).await;
            }
        }
        if let Some(watchdog) = watchdog {
            watchdog.dismiss();
        }
        project.close().await;
        connections.end(LAST_WORDS).await;
        if let Some(shared) = shared {
            shared.end(LAST_WORDS).await;
        }
        observers.finish().await;
        drop(_folder);
        drop(socket);
        Ok(())
    }
}

/// A run works without a watchdog, unless it is killed. The first process of a container needs none: when it ends, the
/// system ends all others.
fn start_watchdog(surroundings: &Surroundings, grace: Duration, engine: &Engine) -> Option<WatchdogHandle> {
    if std::process::id() == 1 {
        return None;
    }
    let started = WatchdogHandle::start(&surroundings.program, grace, engine);
    started.inspect_err(|error| tracing::warn!(%error, "no watchdog could be started")).ok()
}

/// Never completes if nothing is shared.
async fn shared(sharing: Option<&mut RunningShare>) {
    match sharing {
        Some(sharing) => sharing.serve().await,
        None => std::future::pending().await,
    }
}

fn bind(surroundings: &Surroundings) -> Result<(ProcessSocket, StdListener), Failure> {
    let folder = surroundings.socket_folder("patterm");
    let refused = |why: String| Failure::new(Exit::Refused, "system", why);
    private_folder(&folder, surroundings.user).map_err(|error| refused(error.to_string()))?;
    let left_over = ProcessSocket::remove_stale(&folder).map_err(|error| refused(error.to_string()))?;
    folder::remove_left_over(&left_over);
    let bound = ProcessSocket::bind(&folder, std::process::id());
    let (socket, listener) = bound.map_err(|error| refused(error.to_string()))?;
    if socket.path().to_str().is_none() {
        let message = format!("the socket's path {} is not UTF-8", socket.path().display());
        return Err(Failure::new(Exit::Refused, "system", message).with_hint("set XDG_RUNTIME_DIR to a plain path"));
    }
    Ok((socket, listener))
}

async fn bind_http(port: u16) -> Result<TcpListener, Failure> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
        Failure::system(format_args!("listening on 127.0.0.1:{port}"), &error)
            .with_hint("give --mcp-http another port, or 0 for any")
    })
}

fn open_project(
    options: RunOptions,
    surroundings: &Surroundings,
    engine: Engine,
    run_dir: &Path,
    identities: Arc<RunIdentities>,
) -> Result<Project, Failure> {
    Project::open(ProjectOptions {
        engine,
        project_dir: options.project_dir,
        data_dir: surroundings.data_dir.clone(),
        config_dir: surroundings.config_dir.clone(),
        run_dir: run_dir.into(),
        settings: options.settings,
        identities,
        deliver: None,
        program: surroundings.program.clone(),
        home: surroundings.home.clone(),
        search_path: surroundings.variable("PATH").unwrap_or_default().to_owned(),
        cache_dir: surroundings.cache_dir.clone(),
        redaction: Redaction::new(&surroundings.home, &surroundings.environment),
        version: env!("CARGO_PKG_VERSION").into(),
        default_size: SIZE,
    })
    .map_err(|error| Failure::new(Exit::Refused, "system", error.to_string()))
}
