//! Operations on a session of a coordinator, as the calls that do the same there.

use std::time::Duration;

use fleet::{Coordinator, refusal};
use grpc::{
    client::CoordinatorClient,
    proto::{KillRequest, RecordAction, RecordRequest, RemoveRequest, RenameRequest},
};
use ops::{ErrorKind, OpError};
use serde_json::{Value, json};

use super::CoordinatorWay;

/// How long a program may take to end before we say that it still runs.
const HEEDING: Duration = Duration::from_millis(1500);

/// What can be done with a session from afar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RemoteOrder {
    Rename(String),
    Signal(EndSignal),
    Remove,
    Record(RecordAction),
}

impl RemoteOrder {
    /// What does there what an operation does here.
    pub(super) fn of(operation: &str, arguments: &Value, address: &str) -> Result<Self, OpError> {
        match (operation, arguments["action"].as_str()) {
            ("rename_process", _) => Ok(RemoteOrder::Rename(arguments["name"].as_str().unwrap_or_default().to_owned())),
            ("stop_process", _) => Ok(RemoteOrder::Signal(match arguments["signal"].as_str() {
                Some("HUP") => EndSignal::Hup,
                Some("KILL") => EndSignal::Kill,
                _ => EndSignal::Term,
            })),
            ("kill_process", _) => Ok(RemoteOrder::Signal(EndSignal::Kill)),
            ("close_process", _) => Ok(RemoteOrder::Remove),
            ("record_process", Some("start")) => Ok(RemoteOrder::Record(RecordAction::Start)),
            ("record_process", Some("stop")) => Ok(RemoteOrder::Record(RecordAction::Stop)),
            _ => {
                let message = format!("{address} runs at a coordinator, where this can't be done from here");
                Err(OpError::new(ErrorKind::WrongKind, message).with_hint("use `vtr` for it"))
            }
        }
    }

    /// Whether the session is being recorded afterwards, if the order is about that.
    pub(super) fn recording(&self) -> Option<bool> {
        match self {
            RemoteOrder::Record(action) => Some(*action == RecordAction::Start),
            RemoteOrder::Rename(_) | RemoteOrder::Signal(_) | RemoteOrder::Remove => None,
        }
    }

    /// Does it, with the session that has this id there; `shown` is what the person knows it by.
    pub(super) async fn run(self, way: CoordinatorWay, there: String, shown: String) -> Result<Value, OpError> {
        let coordinator = way.coordinator.clone();
        let limit = coordinator.timeout + HEEDING;
        let work = async {
            let client = way.reach().await.map_err(unreachable)?;
            self.call(&client, there, shown).await.map_err(|problem| match problem {
                OrderProblem::Refused(status) => refused(&status, &coordinator),
                OrderProblem::StillRuns { name, signal } => {
                    let message = format!("{name} still runs: {} did not end it", signal.name());
                    OpError::new(ErrorKind::NotReady, message).with_hint(signal.next_way())
                }
            })
        };
        tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(unreachable("no answer in time".into())))
    }

    async fn call(self, client: &CoordinatorClient, name: String, shown: String) -> Result<Value, OrderProblem> {
        let mut vtr = client.vtr();
        match self {
            RemoteOrder::Rename(new_name) => {
                vtr.rename(RenameRequest { name, new_name }).await?;
                Ok(json!({}))
            }
            RemoteOrder::Signal(signal) => {
                let wait = prost_types::Duration::try_from(HEEDING).ok();
                let answer = vtr.kill(KillRequest { name, signal: signal.name().to_owned(), wait }).await?.into_inner();
                match answer.state.as_str() {
                    "running" => Err(OrderProblem::StillRuns { name: shown, signal }),
                    state => Ok(json!({ "status": state })),
                }
            }
            RemoteOrder::Remove => {
                vtr.remove(RemoveRequest { name }).await?;
                Ok(json!({}))
            }
            RemoteOrder::Record(action) => {
                let request = RecordRequest { name, action: action.into(), ..RecordRequest::default() };
                let answer = vtr.record(request).await?.into_inner();
                let error = (!answer.error.is_empty()).then(|| super::facts::text(&answer.error));
                Ok(json!({ "file": super::facts::text(&answer.file), "bytes": answer.bytes, "error": error }))
            }
        }
    }
}

/// How to tell a program to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndSignal {
    /// A polite request, which interactive shells ignore.
    Term,
    /// What closing a window sends; shells end.
    Hup,
    /// Can't be ignored.
    Kill,
}

impl EndSignal {
    fn name(self) -> &'static str {
        match self {
            EndSignal::Term => "TERM",
            EndSignal::Hup => "HUP",
            EndSignal::Kill => "KILL",
        }
    }

    /// What to do about a program that still runs.
    fn next_way(self) -> &'static str {
        match self {
            EndSignal::Term => "hanging up (HUP) ends shells, and force (KILL) everything",
            EndSignal::Hup => "force (KILL) ends everything",
            EndSignal::Kill => "a process that survives KILL is stuck in the system",
        }
    }
}

enum OrderProblem {
    Refused(Box<tonic::Status>),
    StillRuns { name: String, signal: EndSignal },
}

impl From<tonic::Status> for OrderProblem {
    fn from(status: tonic::Status) -> Self {
        OrderProblem::Refused(Box::new(status))
    }
}

fn unreachable(why: String) -> OpError {
    OpError::new(ErrorKind::NotReady, super::facts::text(&why))
}

fn refused(status: &tonic::Status, coordinator: &Coordinator) -> OpError {
    let kind = grpc::CallFailure::from(status).kind.unwrap_or(ErrorKind::NotReady);
    let failure = refusal::failure(status, coordinator);
    OpError::new(kind, super::facts::text(&failure.message)).with_hint(super::facts::text(&failure.hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_call_is_refused_and_says_so() {
        let of = |operation, arguments| RemoteOrder::of(operation, &arguments, "far:web");
        assert_eq!(of("stop_process", json!({})), Ok(RemoteOrder::Signal(EndSignal::Term)));
        assert_eq!(of("stop_process", json!({ "signal": "HUP" })), Ok(RemoteOrder::Signal(EndSignal::Hup)));
        assert_eq!(of("rename_process", json!({ "name": "x" })), Ok(RemoteOrder::Rename("x".into())));
        assert_eq!(of("record_process", json!({ "action": "stop" })), Ok(RemoteOrder::Record(RecordAction::Stop)));
        let error = of("restart_process", json!({})).unwrap_err();
        assert!(error.message.starts_with("far:web runs at a coordinator") && error.hint.contains("vtr"), "{error:?}");
    }
}
