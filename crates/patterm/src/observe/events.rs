//! `events.jsonl`: one line for each event of a session or of the project.

use std::{io::Write, path::PathBuf};

use engine::EngineEvent;
use ops::Context;
use project::{Project, ProjectEvent};
use serde_json::{Value, json};
use tokio::sync::{broadcast::error::RecvError, watch};

use super::files;

/// Runs until `stop` changes and all earlier events are written, or until the file can't be written.
pub(super) async fn write(project: Project, folder: PathBuf, mut stop: watch::Receiver<()>) {
    let mut file = match files::append(&folder.join("events.jsonl")) {
        Ok(file) => file,
        Err(error) => {
            tracing::warn!(%error, "events are not recorded");
            return;
        }
    };
    let (mut sessions, mut projects) = (project.engine().events(), project.events());
    let engine = project.engine().clone();
    drop(project);
    loop {
        let happened = tokio::select! {
            biased;
            event = sessions.recv() => match event {
                Ok(event) => of_session(event),
                Err(RecvError::Lagged(missed)) => json!({ "event": "lost", "missed": missed }),
                Err(RecvError::Closed) => return,
            },
            event = projects.recv() => match event {
                Ok(event) => of_project(&event),
                Err(RecvError::Lagged(missed)) => json!({ "event": "lost", "missed": missed }),
                Err(RecvError::Closed) => return,
            },
            _ = stop.changed() => return,
        };
        let mut line = json!({ "at": jiff::Timestamp::now().to_string() });
        if let (Value::Object(line), Value::Object(happened)) = (&mut line, happened) {
            line.extend(happened);
        }
        if let Some(session) = line["process_id"].as_str().and_then(|id| engine.find(id).ok()) {
            line["name"] = session.name().map(|name| name.to_string()).into();
            if line["event"] == "reported" {
                line["reports"] = json!(ops::ProgramReport::all(&session.info().reports));
            }
        }
        if let Err(error) = writeln!(file, "{line}") {
            tracing::warn!(%error, "events are no longer recorded");
            return;
        }
    }
}

fn of_session(event: EngineEvent) -> Value {
    match event {
        EngineEvent::Added(id) => json!({ "event": "added", "process_id": id.to_string() }),
        EngineEvent::Status(id, status) => {
            json!({ "event": "status", "process_id": id.to_string(), "status": format!("{status:?}").to_lowercase() })
        }
        EngineEvent::Renamed(id) => json!({ "event": "renamed", "process_id": id.to_string() }),
        EngineEvent::Owner(id, owner) => {
            json!({ "event": "owner", "process_id": id.to_string(), "owner": format!("{owner:?}").to_lowercase() })
        }
        EngineEvent::Reported(id) => json!({ "event": "reported", "process_id": id.to_string() }),
        EngineEvent::Removed(id) => json!({ "event": "removed", "process_id": id.to_string() }),
    }
}

fn of_project(event: &ProjectEvent) -> Value {
    match event {
        ProjectEvent::Attention { session, reason, .. } => {
            json!({ "event": "attention", "process_id": session.to_string(), "reason": reason })
        }
        ProjectEvent::PromptsChanged { session } => {
            json!({ "event": "prompts_changed", "process_id": session.to_string() })
        }
        ProjectEvent::VersionNote { session, note } => {
            json!({ "event": "version_note", "process_id": session.to_string(), "note": note })
        }
        ProjectEvent::HookReported { session, name, detail } => {
            json!({ "event": "hook", "process_id": session.to_string(), "hook": name, "detail": detail })
        }
        ProjectEvent::Select { session, .. } => json!({ "event": "select", "process_id": session.to_string() }),
        ProjectEvent::TrustPending => json!({ "event": "trust_pending" }),
        ProjectEvent::TrustChanged => json!({ "event": "trust_changed" }),
        ProjectEvent::ScratchpadsChanged => json!({ "event": "scratchpads_changed" }),
        ProjectEvent::PresetsChanged => json!({ "event": "presets_changed" }),
    }
}
