//! Starts sessions for the person, through the operations, and shows them.

use engine::SessionId;
use ops::{ErrorKind, OpError};
use serde_json::{Value, json};
use tui::Sign;

use super::{
    line_prompt,
    model::{InterfaceState, KeyboardFocus},
    trust_prompt,
};

/// Starts a shell in a new tab.
pub(crate) fn terminal(app: &mut InterfaceState) {
    new_terminal(app, InterfaceState::show);
}

/// Starts a shell; `show` brings it in sight.
pub(super) fn new_terminal(
    app: &mut InterfaceState,
    show: impl FnOnce(&mut InterfaceState, SessionId) + Send + 'static,
) {
    app.call("spawn_process", json!({ "kind": "terminal" }), move |app, outcome| match outcome {
        // The program comes from a variable that the person may not know of, so the message names it.
        Err(error) if error.kind == ErrorKind::SpawnFailed => {
            app.toast(Sign::Failed, format!("your shell (SHELL) can't be started: {}", error.message));
        }
        outcome => {
            if let Some(id) = started(app, outcome) {
                show(app, id);
                app.focus = KeyboardFocus::Pane;
            }
        }
    });
}

/// Asks for a command line, and runs it with a shell, in a new tab.
pub(crate) fn ask_for_command(app: &mut InterfaceState) {
    line_prompt::ask_for_command(app, "Run a command", |app, line| {
        if line.is_empty() {
            return Err("type a command, or Esc".to_owned());
        }
        app.call("spawn_process", json!({ "kind": "command", "argv": [line], "shell": true }), show_started);
        Ok(())
    });
}

/// Starts a stored command in a new tab.
pub(crate) fn preset(app: &mut InterfaceState, name: &str) {
    launch(app, "spawn_process", json!({ "kind": "command", "preset": name }), name);
}

/// Starts an agent in a new tab, with its first prompt.
pub(crate) fn agent(app: &mut InterfaceState, name: &str, prompt: &str) {
    let mut arguments = json!({ "agent": name });
    if !prompt.trim().is_empty() {
        arguments["agent_instructions"] = prompt.into();
    }
    launch(app, "spawn_agent", arguments, name);
}

/// Starts the command of a session that waits for its first start.
pub(crate) fn waiting(app: &mut InterfaceState, id: SessionId) {
    let preset = app.project.as_ref().and_then(|project| project.trust().command_preset(id)).unwrap_or_default();
    launch(app, "start_process", json!({ "process_id": id.to_string() }), &preset);
}

/// Starts a preset; if it needs the person's approval, asks for that first and then goes on.
fn launch(app: &mut InterfaceState, operation: &'static str, arguments: Value, preset: &str) {
    let (again, preset) = (arguments.clone(), preset.to_owned());
    app.call(operation, arguments, move |app, outcome| match outcome {
        Err(error) if error.kind == ErrorKind::NeedsTrust => {
            trust_prompt::wanted(app, preset, &error, move |app| app.call(operation, again, show_started));
        }
        outcome => show_started(app, outcome),
    });
}

/// Brings a newly started session in sight.
pub(crate) fn show_started(app: &mut InterfaceState, outcome: Result<Value, OpError>) {
    if let Some(id) = started(app, outcome) {
        app.show(id);
        app.focus = KeyboardFocus::Pane;
    }
}

/// What was started; none if that failed, which is said.
fn started(app: &mut InterfaceState, outcome: Result<Value, OpError>) -> Option<SessionId> {
    let reply = match outcome {
        Ok(reply) => reply,
        Err(error) => {
            app.complain(&error);
            return None;
        }
    };
    app.refresh();
    let named = reply["process_id"].as_str();
    app.sessions.items().iter().map(|item| item.id).find(|id| Some(id.to_string().as_str()) == named)
}
