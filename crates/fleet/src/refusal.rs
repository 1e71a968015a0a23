//! What coordinators refuse, and why an answer never came, for people.

use program::{Exit, Failure};

use crate::coordinators::Coordinator;

/// A refusal by the coordinator.
pub fn failure(status: &tonic::Status, coordinator: &Coordinator) -> Failure {
    use tonic::Code;
    let grpc::CallFailure { kind, code, message, hint } = status.into();
    let Some(kind) = kind else {
        if is_lost(status) {
            let message = format!("the coordinator {} went away: {}", coordinator.name, silence(status));
            return Failure::unreachable(message).with_hint("check whether it is still running; see its log");
        }
        let message = format!("the coordinator {} refused ({code:?}): {}", coordinator.name, silence(status));
        return Failure::new(Exit::Refused, "refused", message);
    };
    let exit = match code {
        Code::NotFound => Exit::NotFound,
        Code::InvalidArgument => Exit::Usage,
        Code::Unavailable => Exit::Unreachable,
        _ => Exit::Refused,
    };
    // Command-line users get other advice than agents, whose tools have other names.
    let hint = if message.starts_with("there is no session ") { "`vtr ls` lists the sessions".into() } else { hint };
    Failure::new(exit, kind.as_str(), message).with_hint(hint)
}

/// The connection broke before the coordinator answered, or could not be made.
pub fn is_lost(status: &tonic::Status) -> bool {
    use tonic::Code;
    let of_ours = grpc::CallFailure::from(status).kind.is_some();
    !of_ours && matches!(status.code(), Code::Unavailable | Code::Cancelled | Code::Unknown)
}

/// Why an answer never came.
pub fn silence(status: &tonic::Status) -> String {
    match status.message() {
        // What HTTP/2 says of that helps nobody.
        message if message.starts_with("h2 protocol error") => "the connection broke".to_owned(),
        "" => format!("{:?}", status.code()).to_lowercase(),
        message => message.to_owned(),
    }
}
