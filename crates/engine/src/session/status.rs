//! What a session is, and its lifecycle.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

pub use pty::ExitStatus;
use thiserror::Error;

/// What runs in a session. The engine treats all kinds alike, except for default names and how they are asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Agent,
    /// An interactive shell.
    Terminal,
    Command,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Agent, Kind::Terminal, Kind::Command];

    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Agent => "agent",
            Kind::Terminal => "terminal",
            Kind::Command => "command",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{given}' is not a kind of session: use agent, terminal or command")]
pub struct KindError {
    pub given: String,
}

impl FromStr for Kind {
    type Err = KindError;

    fn from_str(text: &str) -> Result<Self, KindError> {
        let known = Kind::ALL.into_iter().find(|kind| kind.as_str() == text);
        known.ok_or_else(|| KindError { given: text.chars().take(64).collect() })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The name is reserved, and the program is being started.
    Starting,
    Running,
    /// Ended on request, or not started yet.
    Stopped,
    /// Ended by itself.
    Exited,
    /// Could not be started.
    Errored,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Starting => "starting",
            Status::Running => "running",
            Status::Stopped => "stopped",
            Status::Exited => "exited",
            Status::Errored => "errored",
        }
    }

    /// Nothing runs and nothing is about to.
    pub fn has_ended(self) -> bool {
        matches!(self, Status::Stopped | Status::Exited | Status::Errored)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How the last run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunEnding {
    /// `None` when the program never ran.
    pub exit: Option<ExitStatus>,
    pub at: SystemTime,
}

/// Who drives a session. Only shown to people and agents, not a lock: both can always write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    User,
    Orchestrator,
}

impl Owner {
    pub fn as_str(self) -> &'static str {
        match self {
            Owner::User => "user",
            Owner::Orchestrator => "orchestrator",
        }
    }
}

/// Who makes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    Human,
    /// The agent that runs in this session.
    Agent(crate::names::SessionId),
    /// The program itself: a timer's body, a notice.
    System,
}
