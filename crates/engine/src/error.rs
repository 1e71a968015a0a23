//! The engine's errors, with one variant per decision of a caller.
//!
//! The variants are those of the house's error kinds that can occur in an engine. Messages say what happened, to which
//! session, and what to do next.

use thiserror::Error;

use crate::names::{NameError, SessionId, SessionName, shown_name};
use crate::session::status::Status;
use crate::text::pattern::PatternError;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Error)]
pub enum Error {
    #[error("there is no session '{}'{}: list the sessions to see their ids and names", shown_name(.wanted), guess(.near.as_ref()))]
    NotFound {
        wanted: String,
        /// A session whose name is nearly the same.
        near: Option<SessionName>,
    },
    #[error("the name '{name}' is taken by session {holder}: choose another, or remove that session first")]
    AlreadyExists { name: SessionName, holder: SessionId },
    #[error(
        "session {id} is not running any more (status: {status}): its output can still be read; spawn a new one to go on"
    )]
    NotRunning { id: SessionId, status: Status },
    #[error(transparent)]
    InvalidArgs(#[from] InvalidArgs),
    #[error(transparent)]
    LimitExceeded(#[from] LimitExceeded),
    #[error(transparent)]
    SpawnFailed(pty::SpawnError),
    #[error("the engine is shutting down: no session can be started any more")]
    ShuttingDown,
    #[error("{doing} failed for session {id}: {source}; the session is left as it was, try again")]
    Internal { id: SessionId, doing: &'static str, source: std::io::Error },
}

impl Error {
    /// There is no session of this id.
    pub(crate) fn no_session(id: SessionId) -> Self {
        Error::NotFound { wanted: id.to_string(), near: None }
    }
}

fn guess(near: Option<&SessionName>) -> String {
    near.map_or_else(String::new, |name| format!(" (did you mean '{name}'?)"))
}

/// An argument that is invalid in any state of the session.
#[derive(Debug, Error)]
pub enum InvalidArgs {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error(transparent)]
    Pattern(#[from] PatternError),
    #[error("a session of the kind {kind} needs a command: give its argv")]
    EmptyArgv { kind: crate::session::status::Kind },
    #[error(transparent)]
    Command(pty::SpawnError),
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LimitExceeded {
    #[error("there are {limit} sessions already: {}", way_to_room(*.ended))]
    Sessions { limit: usize, ended: usize },
    #[error("one input may have {limit} bytes, this one has {length}: send it in parts, or through a file")]
    Input { length: usize, limit: usize },
    #[error(
        "session {id} does not read its input: {queued} of {limit} bytes are waiting; look at its screen, wait, or interrupt it"
    )]
    InputQueue { id: SessionId, queued: usize, limit: usize },
    #[error("session {id} has {limit} recordings already: end one of them")]
    Taps { id: SessionId, limit: usize },
    #[error("one start may set {limit} variables, this one sets {count}: pass them in a file")]
    Variables { count: usize, limit: usize },
    #[error(
        "a command line and its variables may have {limit} bytes together, these have {length}: pass them in a file"
    )]
    Command { length: usize, limit: usize },
}

fn way_to_room(ended: usize) -> String {
    match ended {
        0 => "all of them run; remove one that is not needed any more, which ends it".into(),
        1 => "one of them has ended; remove it".into(),
        count => format!("{count} of them have ended; remove those"),
    }
}

impl From<NameError> for Error {
    fn from(error: NameError) -> Self {
        Error::InvalidArgs(error.into())
    }
}

impl From<PatternError> for Error {
    fn from(error: PatternError) -> Self {
        Error::InvalidArgs(error.into())
    }
}

impl From<pty::SpawnError> for Error {
    /// Tells errors in the request apart from failures of the system.
    fn from(error: pty::SpawnError) -> Self {
        use pty::SpawnError::{BadArgument, BadVariable, EmptyCommand, TooLong, WorkingDirectory};
        match error {
            EmptyCommand | BadArgument { .. } | BadVariable { .. } | TooLong | WorkingDirectory { .. } => {
                Error::InvalidArgs(InvalidArgs::Command(error))
            }
            error => Error::SpawnFailed(error),
        }
    }
}
