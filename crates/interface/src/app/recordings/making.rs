//! Recording the session in sight with one command, and the notices about it.

use std::path::Path;

use ops::{Context, OpError, RecordingEvent};
use serde_json::{Value, json};
use tui::Sign;

use super::size;
use crate::app::{commands::with_live_session, model::InterfaceState};

/// Whether the session in sight is being recorded.
pub(in crate::app) fn is_on(app: &InterfaceState) -> bool {
    if app.session_id().is_some_and(|id| app.remote.is_recorded(id)) {
        return true;
    }
    let Some(project) = &app.project else { return false };
    let session = app.session_id().and_then(|id| project.engine().get(id).ok());
    session.is_some_and(|session| project.recordings().is_recording(&session))
}

pub(super) fn is_possible(app: &InterfaceState) -> bool {
    with_live_session(app) && !is_on(app)
}

pub(super) fn start(app: &mut InterfaceState) {
    order(app, "start", |app, name, reply| app.toast(Sign::Working, format!("recording {name} to {}", place(reply))));
}

pub(super) fn stop(app: &mut InterfaceState) {
    order(app, "stop", |app, name, reply| {
        let bytes = size(reply["bytes"].as_u64().unwrap_or_default());
        match reply["error"].as_str() {
            None => app.toast(Sign::Idle, format!("recorded {name}, {bytes}: {}", place(reply))),
            Some(error) => app.toast(Sign::Failed, format!("recorded {name} only in part: {error}: {}", place(reply))),
        }
    });
}

/// Starts a recording of the session in sight, or stops the one that there is.
pub(in crate::app) fn toggle(app: &mut InterfaceState) {
    match is_on(app) {
        true => stop(app),
        false => start(app),
    }
}

/// Shows a notice when a recording ends early, whatever is in sight.
pub(in crate::app) fn heard(app: &mut InterfaceState, event: RecordingEvent) {
    app.dirty = true;
    if let RecordingEvent::Ended { session, file, error: Some(error) } = event {
        let name = app.sessions.get(session).map_or_else(|| session.to_string(), |item| item.name.clone());
        let file = place(&json!({ "file": file }));
        app.toast(Sign::Failed, format!("the recording of {name} ended early: {error}: {file}"));
    }
}

/// Starts or stops recording the session in sight; `say` gets the session's name for a notice.
fn order(app: &mut InterfaceState, action: &str, say: fn(&mut InterfaceState, &str, &Value)) {
    let Some(item) = app.sessions.focused() else { return };
    let (id, name) = (item.id.to_string(), item.name.clone());
    let arguments = json!({ "process_id": id, "action": action });
    app.call("record_process", arguments, move |app, outcome: Result<Value, OpError>| match outcome {
        Ok(reply) => say(app, &name, &reply),
        Err(error) => app.complain(&error),
    });
}

/// The file name first, because a long folder may be cut off.
fn place(reply: &Value) -> String {
    let file = Path::new(reply["file"].as_str().unwrap_or_default());
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let folder = file.parent().unwrap_or(Path::new("")).display();
    format!("{name} in {folder}")
}
