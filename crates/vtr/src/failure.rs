//! How a command ends: the exit codes, and what is said when it did not do what was asked.

use std::{ffi::OsString, io};

use clap::error::ErrorKind;
use serde::Serialize;

/// The exit codes. docs/reference/exit-codes.md explains them to users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    /// No such session, or nothing matched.
    NotFound,
    /// A wrong argument, an ambiguous name, a bad config file. clap's own code for it is the same.
    Usage,
    /// The time was up, or the session ended, before what was waited for came.
    TimedOut,
    /// No coordinator answered.
    Unreachable,
    /// The coordinator, or the system, said no.
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
            Exit::TimedOut => 3,
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
    pub(crate) kind: String,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) hint: String,
    /// What an ambiguous name may have meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) candidates: Vec<String>,
}

pub(crate) type Outcome = Result<Exit, Failure>;

impl Failure {
    pub(crate) fn new(exit: Exit, kind: &str, message: impl Into<String>) -> Self {
        Failure { exit, kind: kind.into(), message: message.into(), hint: String::new(), candidates: Vec::new() }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    /// Words that the grammar does not take: what is wrong with them, then clap's advice and usage. `words` are those
    /// before a `--`.
    pub(crate) fn misuse(error: &clap::Error, words: &[OsString]) -> Self {
        let text = error.render().to_string();
        let mut paragraphs = text.trim().split("\n\n").map(|text| text.replace("\n  ", " "));
        let message = paragraphs.next().unwrap_or_default();
        let mut hints: Vec<String> = paragraphs.collect();
        if error.kind() == ErrorKind::UnknownArgument {
            let advice = match words.get(1).and_then(|command| command.to_str()) {
                Some("spawn") => Some("a program and its arguments go behind `--`: vtr spawn NAME -- PROGRAM ARG…"),
                Some("send") => Some("a text of several words needs quotes: vtr send SESSION 'a b'"),
                _ => None,
            };
            hints.splice(0..0, advice.map(str::to_owned));
        }
        Self::usage(message.trim_start_matches("error: ")).with_hint(hints.join("\n"))
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(Exit::NotFound, "not_found", message)
    }

    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self::new(Exit::Unreachable, "unreachable", message)
    }

    /// The system refused `what`.
    pub(crate) fn system(what: impl std::fmt::Display, error: &io::Error) -> Self {
        Self::new(Exit::Refused, "system", format!("{what}: {error}"))
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    pub(crate) fn with_candidates(mut self, candidates: Vec<String>) -> Self {
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
