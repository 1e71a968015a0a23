//! Renames the session in sight: offers the old name, and keeps an invalid name for correction.

use engine::{SessionId, SessionName};
use serde_json::json;

use super::{line_prompt, model::InterfaceState, remote_sessions};

const TITLE: &str = "Name: letters, digits, . _ - (up to 64)";

pub(super) fn ask(app: &mut InterfaceState) {
    if let Some(id) = app.session_id() {
        ask_for(app, id);
    }
}

pub(super) fn ask_for(app: &mut InterfaceState, id: SessionId) {
    if !remote_sessions::may_change(app, id) {
        return;
    }
    if let Some(name) = app.sessions.get(id).and_then(|item| item.session.name()) {
        prompt(app, id, &name);
    }
}

fn prompt(app: &mut InterfaceState, id: SessionId, text: &str) {
    line_prompt::ask(app, TITLE, text, move |app, name| {
        if SessionName::new(name).is_err() {
            return Err(format!("'{name}' can't be a name: 1 to 64 letters, digits, . _ -"));
        }
        let (name, arguments) = (name.to_owned(), json!({ "process_id": id.to_string(), "name": name }));
        app.call("rename_process", arguments, move |app, outcome| {
            if let Err(error) = outcome {
                app.complain(&error);
                prompt(app, id, &name);
            }
        });
        Ok(())
    });
}
