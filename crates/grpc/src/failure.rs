//! Operations' errors as gRPC statuses, and back.

use std::collections::HashMap;

use ops::{ErrorKind, OpError};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// The domain of the [`tonic_types::ErrorInfo`] in every error.
pub const ERROR_DOMAIN: &str = "vtr";

/// Maximum size of a message in either direction. Longer ones are refused before they are read.
pub const MAX_MESSAGE_BYTES: usize = 16 << 20;

fn code(kind: ErrorKind) -> Code {
    match kind {
        ErrorKind::NotFound | ErrorKind::UnknownAgent => Code::NotFound,
        ErrorKind::AlreadyExists => Code::AlreadyExists,
        ErrorKind::NotRunning | ErrorKind::WrongKind | ErrorKind::NotReady => Code::FailedPrecondition,
        ErrorKind::InvalidArgs | ErrorKind::InvalidKind => Code::InvalidArgument,
        ErrorKind::RoleForbidden | ErrorKind::NotRelated | ErrorKind::NeedsTrust => Code::PermissionDenied,
        ErrorKind::RevisionMismatch => Code::Aborted,
        ErrorKind::LimitExceeded => Code::ResourceExhausted,
        ErrorKind::SpawnFailed | ErrorKind::Internal => Code::Internal,
        ErrorKind::ShuttingDown => Code::Unavailable,
    }
}

/// The status contains message and hint for people; the details contain them separately for programs.
pub(crate) fn status(error: OpError) -> Status {
    let OpError { kind, message, hint } = error;
    let text = if hint.is_empty() { message.clone() } else { format!("{message}: {hint}") };
    let metadata = [("kind", kind.as_str().to_owned()), ("message", message), ("hint", hint)]
        .map(|(key, value)| (key.into(), value));
    let details = ErrorDetails::with_error_info(
        kind.as_str().to_uppercase(),
        ERROR_DOMAIN,
        HashMap::<String, String>::from(metadata),
    );
    Status::with_error_details(code(kind), text, details)
}

/// A failed call, in the form that clients decide by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFailure {
    /// `None` if the failure is not an operation's: the connection broke, or the server is not ours.
    pub kind: Option<ErrorKind>,
    pub code: Code,
    pub message: String,
    /// What to do next; may be empty.
    pub hint: String,
}

impl From<&Status> for CallFailure {
    fn from(status: &Status) -> Self {
        let plain = || CallFailure {
            kind: None,
            code: status.code(),
            message: status.message().to_owned(),
            hint: String::new(),
        };
        let Some(mut info) = status.get_details_error_info().filter(|info| info.domain == ERROR_DOMAIN) else {
            return plain();
        };
        let mut take = |key: &str| info.metadata.remove(key).unwrap_or_default();
        let name = take("kind");
        CallFailure {
            kind: ErrorKind::ALL.into_iter().find(|kind| kind.as_str() == name),
            code: status.code(),
            message: take("message"),
            hint: take("hint"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_arrive_as_they_were() {
        for kind in ErrorKind::ALL {
            let status = status(OpError::new(kind, "no such thing").with_hint("look elsewhere"));
            assert_eq!(status.message(), "no such thing: look elsewhere");
            let failure = CallFailure::from(&status);
            assert_eq!((failure.kind, failure.code), (Some(kind), code(kind)));
            assert_eq!((failure.message.as_str(), failure.hint.as_str()), ("no such thing", "look elsewhere"));
        }
    }

    #[test]
    fn a_status_of_others_has_no_kind() {
        let failure = CallFailure::from(&Status::unavailable("gone"));
        assert_eq!((failure.kind, failure.message.as_str()), (None, "gone"));
    }
}
