//! How a command ends: the exit codes, and what is said when it did not do what was asked.

use std::io;

use serde::Serialize;

/// The exit codes. docs/reference/exit-codes.md explains them to users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    /// No such preset or grant, or a check found a fault.
    NotFound,
    /// A wrong argument, or a bad config file. clap's own code for it is the same.
    Usage,
    /// No running patterm answered.
    Unreachable,
    /// There is no terminal to be seen on.
    NoTerminal,
    /// The system said no.
    Refused,
    /// Whoever read our output has gone: nobody is left to tell.
    ReaderGone,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Done | Exit::ReaderGone => 0,
            Exit::NotFound => 1,
            Exit::Usage => 2,
            Exit::NoTerminal => 3,
            Exit::Unreachable => 4,
            Exit::Refused => 5,
        }
    }
}

/// Why a command failed: a kind for programs, a message for people, a hint for the next step.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    #[serde(skip)]
    pub(crate) exit: Exit,
    pub(crate) kind: &'static str,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) hint: String,
}

pub(crate) type Outcome = Result<Exit, Failure>;

impl Failure {
    pub(crate) fn new(exit: Exit, kind: &'static str, message: impl Into<String>) -> Self {
        Failure { exit, kind, message: message.into(), hint: String::new() }
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(Exit::NotFound, "not_found", message)
    }

    /// The system refused `what`.
    pub(crate) fn system(what: impl std::fmt::Display, error: &io::Error) -> Self {
        Self::new(Exit::Refused, "system", format!("{what}: {error}"))
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
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
