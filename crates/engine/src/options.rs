//! Parameters of engines and sessions.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::clock::Clock;
use crate::names::{SessionId, SessionName};
use crate::session::status::{Kind, Origin};

#[derive(Clone)]
pub struct EngineOptions {
    /// The environment that children inherit, without [`NOT_INHERITED`](crate::NOT_INHERITED).
    pub base_env: Vec<(OsString, OsString)>,
    /// Further variables that contain the session's id, in addition to the engine's own.
    pub id_variables: Vec<OsString>,
    /// The command of terminals for which none is given.
    pub default_shell: OsString,
    pub limits: EngineLimits,
    /// Delay between asking a child to end and killing it.
    pub grace: Duration,
    pub theme: vt::Theme,
    pub clock: Clock,
    /// The kernel gives this process the orphans of the system: it is the first process of a container.
    pub inherits_orphans: bool,
    /// Maximum parser threads for flooding sessions. With more than half of the cores parsing, none would be left for
    /// the programs that print.
    pub parser_threads: usize,
}

impl Default for EngineOptions {
    fn default() -> Self {
        EngineOptions {
            base_env: Vec::new(),
            id_variables: Vec::new(),
            default_shell: "/bin/sh".into(),
            limits: EngineLimits::default(),
            grace: Duration::from_secs(5),
            theme: vt::Theme::default(),
            clock: Clock::real(),
            inherits_orphans: false,
            parser_threads: std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2)),
        }
    }
}

impl fmt::Debug for EngineOptions {
    /// Omits the environment: its values are never printed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineOptions")
            .field("default_shell", &self.default_shell)
            .field("limits", &self.limits)
            .field("grace", &self.grace)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineLimits {
    pub sessions: usize,
    /// Maximum bytes of one input.
    pub input: usize,
    /// Maximum bytes queued for a child. Has room for a full input with its paste brackets behind others.
    pub input_queue: usize,
    /// Raw bytes kept per session.
    pub ring: usize,
    pub history_lines: usize,
    pub history_bytes: usize,
    /// Maximum simultaneous recordings of a session.
    pub taps: usize,
    /// Maximum variables that a start may set in addition to inherited ones.
    pub variables: usize,
    /// Maximum bytes of a command line and those variables together. Systems allow some 2 MiB, including what is
    /// inherited.
    pub command: usize,
}

impl Default for EngineLimits {
    fn default() -> Self {
        EngineLimits {
            sessions: 1024,
            input: 1 << 20,
            input_queue: 2 << 20,
            ring: 1 << 20,
            history_lines: 10_000,
            history_bytes: 64 << 20,
            taps: 16,
            variables: 4096,
            command: 1 << 20,
        }
    }
}

/// A session to be started.
#[derive(Clone)]
pub struct NewSession {
    pub kind: Kind,
    /// The program and its arguments. May be empty for a terminal: the default shell then.
    pub argv: Vec<OsString>,
    pub name: NameChoice,
    pub parent: Option<SessionId>,
    /// Set in addition to what is inherited.
    pub env: Vec<(OsString, OsString)>,
    /// Removed from what is inherited.
    pub env_unset: Vec<OsString>,
    pub working_dir: Option<PathBuf>,
    pub size: vt::Size,
    /// Determines the first owner: a session started by an agent belongs to the orchestrator.
    pub origin: Origin,
    /// Nothing runs yet: [`Session::start`](crate::Session::start) runs the program.
    pub waits: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum NameChoice {
    /// The kind and a number.
    #[default]
    FromKind,
    /// This and a number, as in `codex-1`.
    FromSlug(String),
    Exactly(SessionName),
}

impl NewSession {
    pub fn new<A: Into<OsString>>(kind: Kind, argv: impl IntoIterator<Item = A>) -> Self {
        NewSession {
            kind,
            argv: argv.into_iter().map(Into::into).collect(),
            name: NameChoice::default(),
            parent: None,
            env: Vec::new(),
            env_unset: Vec::new(),
            working_dir: None,
            size: vt::Size::default(),
            origin: Origin::Human,
            waits: false,
        }
    }
}

impl fmt::Debug for NewSession {
    /// Omits the values of the environment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewSession")
            .field("kind", &self.kind)
            .field("argv", &self.argv)
            .field("name", &self.name)
            .field("parent", &self.parent)
            .field("env", &self.env.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("working_dir", &self.working_dir)
            .field("size", &self.size)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}
