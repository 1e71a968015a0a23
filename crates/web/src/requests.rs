//! One-time requests of a page: starting, ending, renaming, recording and looking back on sessions, and new links.

use std::time::Duration;

use grpc::{
    client::CoordinatorClient,
    proto::{GetHistoryRequest, KillRequest, RecordAction, RecordRequest, RemoveRequest, RenameRequest, SpawnRequest},
};
use serde_json::json;
use tokio::time::timeout;

use crate::{
    access::{AccessRights, LoggedInVisitor},
    directory::{CoordinatorStatus, said},
    frame::{self, FrameMessage},
    from_page::PageRequest,
    message::{AnswerError, AnswerValue, HistoryMessage},
    recordings,
    server::WebState,
};

/// Longer than the grace period that a coordinator gives before it kills.
const PATIENCE: Duration = Duration::from_secs(30);
/// Maximum lines of one answer: some pages of scrolling, usually a few hundred kilobytes.
const HISTORY_LINES: i32 = 1000;
const HISTORY_BYTES: i32 = 1 << 20;

/// Returns the answer, or an error to show.
pub(crate) async fn answer(
    ask: PageRequest,
    visitor: &LoggedInVisitor,
    inner: &WebState,
) -> Result<AnswerValue, AnswerError> {
    if visitor.rights == AccessRights::ReadOnly && !ask.only_looks() && !matches!(ask, PageRequest::LogOut {}) {
        return Err(error("You have read-only access.", "Ask for a link that lets you type."));
    }
    match timeout(PATIENCE, run(ask, visitor, inner)).await {
        Ok(answer) => answer,
        Err(_) => Err(error("The coordinator does not answer.", "Try again when it is back.")),
    }
}

async fn run(ask: PageRequest, visitor: &LoggedInVisitor, inner: &WebState) -> Result<AnswerValue, AnswerError> {
    let value = match ask {
        PageRequest::Spawn { coordinator, name, command, working_dir, cols, rows } => {
            let request = SpawnRequest { name, command, working_dir, cols, rows, ..SpawnRequest::default() };
            let session =
                client(inner, &coordinator)?.vtr().spawn(request).await.map_err(refused)?.into_inner().session;
            json!({ "id": session.map(|session| session.id) })
        }
        PageRequest::Kill { coordinator, session, signal } => {
            let request = KillRequest { name: session, signal, ..KillRequest::default() };
            client(inner, &coordinator)?.vtr().kill(request).await.map_err(refused)?;
            json!({})
        }
        PageRequest::Remove { coordinator, session } => {
            client(inner, &coordinator)?.vtr().remove(RemoveRequest { name: session }).await.map_err(refused)?;
            json!({})
        }
        PageRequest::Rename { coordinator, session, name } => {
            let request = RenameRequest { name: session, new_name: name };
            client(inner, &coordinator)?.vtr().rename(request).await.map_err(refused)?;
            json!({})
        }
        PageRequest::Record { coordinator, session, action } => {
            let action = match action.as_str() {
                "start" => RecordAction::Start,
                "stop" => RecordAction::Stop,
                _ => RecordAction::Status,
            };
            let request = RecordRequest { name: session, action: action.into(), ..RecordRequest::default() };
            let status = client(inner, &coordinator)?.vtr().record(request).await.map_err(refused)?.into_inner();
            json!({ "recording": status.recording, "file": status.file })
        }
        PageRequest::History { coordinator, session, before } => {
            let request =
                GetHistoryRequest { name: session, max_lines: HISTORY_LINES, before, max_bytes: HISTORY_BYTES };
            let history = client(inner, &coordinator)?.vtr().get_history(request).await.map_err(refused)?.into_inner();
            return Ok(AnswerValue::History(Box::new(HistoryMessage {
                lines: history.lines.into_iter().map(|line| frame::runs(line.runs)).collect(),
                first: history.first_line,
                more: history.more,
                open: history.open_line.map(|line| frame::runs(line.runs)),
                screen: history.screen.map(FrameMessage::from),
            })));
        }
        PageRequest::Recordings {} => {
            let Some(folder) = inner.recordings.clone() else {
                return Ok(AnswerValue::Small(json!({ "recordings": [] })));
            };
            let listed = tokio::task::spawn_blocking(move || recordings::list(&folder)).await.unwrap_or_default();
            json!({ "recordings": listed })
        }
        PageRequest::LogOut {} => {
            inner.access.log_out(visitor);
            json!({})
        }
        PageRequest::Share { may_type } => {
            let rights = if may_type { AccessRights::Full } else { AccessRights::ReadOnly };
            let link = inner.new_link(rights).map_err(|why| error(&why.to_string(), "Try again."))?;
            json!({ "link": link })
        }
    };
    Ok(AnswerValue::Small(value))
}

fn client(inner: &WebState, coordinator: &str) -> Result<CoordinatorClient, AnswerError> {
    let places = inner.directory.places();
    let places = places.borrow();
    match places.iter().find(|place| place.key == coordinator).map(|place| &place.standing) {
        Some(CoordinatorStatus::Up(client)) => Ok(CoordinatorClient::clone(client)),
        _ => Err(error("The coordinator can't be reached.", "Try again when it is back.")),
    }
}

fn refused(status: tonic::Status) -> AnswerError {
    let grpc::CallFailure { hint, .. } = (&status).into();
    AnswerError { message: said(&status), hint }
}

fn error(message: &str, hint: &str) -> AnswerError {
    AnswerError { message: message.to_owned(), hint: hint.to_owned() }
}
