//! How a command ends: the exit codes, and what is reported when it failed.

use std::{borrow::Cow, fmt, io};

use serde::Serialize;

/// Exit codes. docs/reference/exit-codes.md explains them to users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done,
    /// No such session, preset or grant; no match; a check found a fault.
    NotFound,
    /// A wrong argument, an ambiguous name, a bad config file. clap uses the same code.
    Usage,
    /// vtr: the time limit passed, or the session ended, before the awaited event.
    TimedOut,
    /// patterm: there is no terminal to draw on.
    NoTerminal,
    /// No server answered.
    Unreachable,
    /// The server or the system refused.
    Refused,
    /// The reader of our output has gone, so there is nobody to report to.
    ReaderGone,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Done | Exit::ReaderGone => 0,
            Exit::NotFound => 1,
            Exit::Usage => 2,
            Exit::TimedOut | Exit::NoTerminal => 3,
            Exit::Unreachable => 4,
            Exit::Refused => 5,
        }
    }
}

/// Why a command failed: a kind for programs, a message for people, a hint for the next step.
#[derive(Debug, Serialize)]
pub struct Failure {
    #[serde(skip)]
    pub exit: Exit,
    pub kind: Cow<'static, str>,
    pub message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// What an ambiguous name could refer to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

pub type Outcome = Result<Exit, Failure>;

impl Failure {
    pub fn new(exit: Exit, kind: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Failure { exit, kind: kind.into(), message: message.into(), hint: String::new(), candidates: Vec::new() }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Exit::NotFound, "not_found", message)
    }

    pub fn unreachable(message: impl Into<String>) -> Self {
        Self::new(Exit::Unreachable, "unreachable", message)
    }

    /// The system refused to do `what`.
    pub fn system(what: impl fmt::Display, error: &io::Error) -> Self {
        Self::new(Exit::Refused, "system", format!("{what}: {error}"))
    }

    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    #[must_use]
    pub fn with_candidates(mut self, candidates: Vec<String>) -> Self {
        self.candidates = candidates;
        self
    }
}

/// Writing to standard output failed.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::new(Exit::ReaderGone, "reader_gone", ""),
            _ => Failure::system("writing the output", &error),
        }
    }
}

/// The exit code of a finished command. `tell` reports why it failed, unless the reader has gone.
pub fn exit_of(outcome: Outcome, tell: impl FnOnce(&Failure)) -> Exit {
    outcome.unwrap_or_else(|failure| {
        if failure.exit != Exit::ReaderGone {
            tell(&failure);
        }
        failure.exit
    })
}
