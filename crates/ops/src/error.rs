//! The error type that every face converts: a kind for programs, a message for people, a hint for the next step.

use serde::Serialize;

/// What went wrong, with one kind per decision of a caller. Closed: each face maps it with one exhaustive match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    NotFound,
    AlreadyExists,
    NotRunning,
    WrongKind,
    InvalidArgs,
    InvalidKind,
    RoleForbidden,
    NotRelated,
    NeedsTrust,
    UnknownAgent,
    RevisionMismatch,
    LimitExceeded,
    SpawnFailed,
    NotReady,
    ShuttingDown,
    Internal,
}

impl ErrorKind {
    pub const ALL: [ErrorKind; 16] = [
        ErrorKind::NotFound,
        ErrorKind::AlreadyExists,
        ErrorKind::NotRunning,
        ErrorKind::WrongKind,
        ErrorKind::InvalidArgs,
        ErrorKind::InvalidKind,
        ErrorKind::RoleForbidden,
        ErrorKind::NotRelated,
        ErrorKind::NeedsTrust,
        ErrorKind::UnknownAgent,
        ErrorKind::RevisionMismatch,
        ErrorKind::LimitExceeded,
        ErrorKind::SpawnFailed,
        ErrorKind::NotReady,
        ErrorKind::ShuttingDown,
        ErrorKind::Internal,
    ];

    /// The kinds that every operation may return.
    pub const OF_ANY: [ErrorKind; 3] = [ErrorKind::InvalidArgs, ErrorKind::RoleForbidden, ErrorKind::Internal];

    /// When the kind is used, for the reference and for callers that display it.
    pub fn meaning(self) -> &'static str {
        match self {
            ErrorKind::NotFound => "There is no session, preset or other thing of that id or name.",
            ErrorKind::AlreadyExists => "The name is taken, the file exists, or the action is already in progress.",
            ErrorKind::NotRunning => "The session has ended: it can be read, but not typed to, resized or signalled.",
            ErrorKind::WrongKind => "The operation does not apply to this kind of session in its present state.",
            ErrorKind::InvalidArgs => "An argument is invalid, whatever the state of the session.",
            ErrorKind::InvalidKind => "The given kind does not exist, or not here.",
            ErrorKind::RoleForbidden => "The caller's role may not use this operation.",
            ErrorKind::NotRelated => "The session is outside the caller's own tree: it can be read, but not changed.",
            ErrorKind::NeedsTrust => "The human has to approve this first.",
            ErrorKind::UnknownAgent => "There is no agent preset of that name.",
            ErrorKind::RevisionMismatch => "The content has changed since the revision that the caller read.",
            ErrorKind::LimitExceeded => "A limit is reached: sessions, bytes of input or of a command, recordings.",
            ErrorKind::SpawnFailed => "The program could not be started.",
            ErrorKind::NotReady => "The session can't take this now, but may later.",
            ErrorKind::ShuttingDown => "The program is shutting down and starts nothing new.",
            ErrorKind::Internal => "Something failed that the caller did not cause.",
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::NotFound => "not_found",
            ErrorKind::AlreadyExists => "already_exists",
            ErrorKind::NotRunning => "not_running",
            ErrorKind::WrongKind => "wrong_kind",
            ErrorKind::InvalidArgs => "invalid_args",
            ErrorKind::InvalidKind => "invalid_kind",
            ErrorKind::RoleForbidden => "role_forbidden",
            ErrorKind::NotRelated => "not_related",
            ErrorKind::NeedsTrust => "needs_trust",
            ErrorKind::UnknownAgent => "unknown_agent",
            ErrorKind::RevisionMismatch => "revision_mismatch",
            ErrorKind::LimitExceeded => "limit_exceeded",
            ErrorKind::SpawnFailed => "spawn_failed",
            ErrorKind::NotReady => "not_ready",
            ErrorKind::ShuttingDown => "shutting_down",
            ErrorKind::Internal => "internal",
        }
    }
}

/// Why an operation failed. A timeout is a reply, not an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct OpError {
    pub kind: ErrorKind,
    pub message: String,
    /// What to do next; empty if the message says it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hint: String,
}

impl OpError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        OpError { kind, message: message.into(), hint: String::new() }
    }

    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Splits a message of the form "what happened: what to do next".
    pub fn from_text(kind: ErrorKind, text: impl Into<String>) -> Self {
        let text = text.into();
        match text.rsplit_once(": ") {
            Some((message, hint)) => OpError::new(kind, message).with_hint(hint),
            None => OpError::new(kind, text),
        }
    }

    pub fn invalid_args(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidArgs, message)
    }
}

impl From<engine::Error> for OpError {
    fn from(error: engine::Error) -> Self {
        use engine::Error;
        let kind = match &error {
            Error::NotFound { .. } => ErrorKind::NotFound,
            Error::AlreadyExists { .. } => ErrorKind::AlreadyExists,
            Error::NotRunning { .. } => ErrorKind::NotRunning,
            Error::InvalidArgs(_) => ErrorKind::InvalidArgs,
            Error::LimitExceeded(_) => ErrorKind::LimitExceeded,
            Error::SpawnFailed(_) => ErrorKind::SpawnFailed,
            Error::ShuttingDown => ErrorKind::ShuttingDown,
            Error::Internal { .. } => ErrorKind::Internal,
        };
        OpError::from_text(kind, error.to_string())
    }
}

impl From<engine::PatternError> for OpError {
    fn from(error: engine::PatternError) -> Self {
        // A syntax error quotes the pattern, which may contain anything.
        match error {
            engine::PatternError::Syntax(text) => OpError::invalid_args(format!("the pattern is not valid: {text}"))
                .with_hint("use RE2-style syntax: no look-around, no back-references"),
            other => OpError::from_text(ErrorKind::InvalidArgs, other.to_string()),
        }
    }
}

impl From<engine::NameError> for OpError {
    fn from(error: engine::NameError) -> Self {
        OpError::from_text(ErrorKind::InvalidArgs, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_serde_writes() {
        for kind in ErrorKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }
}
