//! Ending a session that has children: asks first, and lists the sessions that end with it.

use engine::SessionId;
use serde_json::json;
use tui::{SkinRole, Span, widgets::Modal};

use super::{model::InterfaceState, question, quitting::running_list, remote_sessions};

/// Operations that end a session's program together with everything it started.
const ENDING: [(&str, &str); 3] = [("close_process", "Close"), ("stop_process", "Stop"), ("kill_process", "Kill")];

/// The verb for an operation in the question, if it ends a session.
fn verb(operation: &str) -> Option<&'static str> {
    ENDING.iter().find(|(name, _)| *name == operation).map(|(_, verb)| *verb)
}

/// Whether to ask before running `operation` on a session: something below it still runs.
pub(super) fn needs_word(app: &InterfaceState, operation: &str, id: SessionId) -> bool {
    verb(operation).is_some() && app.sessions.below(id).any(|item| !item.has_ended())
}

/// Closes the first session of a tab, which a slip of the hand may have hit: asked for while anything runs there.
pub(super) fn close_tab(app: &mut InterfaceState, id: SessionId) {
    if remote_sessions::close(app, "close_process", id) {
        return;
    }
    let runs = app.sessions.get(id).is_some_and(|item| !item.has_ended());
    let close = move |app: &mut InterfaceState| app.order("close_process", json!({ "process_id": id.to_string() }));
    match runs || needs_word(app, "close_process", id) {
        true => ask(app, "close_process", id, close),
        false => close(app),
    }
}

/// Runs `operation` on a session, after asking if necessary.
pub(super) fn order(app: &mut InterfaceState, operation: &'static str, id: SessionId) {
    if remote_sessions::close(app, operation, id) {
        return;
    }
    match needs_word(app, operation, id) {
        true => ask(app, operation, id, move |app| app.order(operation, json!({ "process_id": id.to_string() }))),
        false => app.order(operation, json!({ "process_id": id.to_string() })),
    }
}

/// Asks; `act` runs if the person agrees.
pub(super) fn ask(
    app: &mut InterfaceState,
    operation: &str,
    id: SessionId,
    act: impl FnOnce(&mut InterfaceState) + 'static,
) {
    let Some(item) = app.sessions.get(id) else { return };
    let verb = verb(operation).unwrap_or("End");
    let (title, muted) = (format!("{verb} {}?", item.name), app.skin.style(SkinRole::Muted));
    let live: Vec<_> = app.sessions.below(id).filter(|item| !item.has_ended()).collect();
    let (mut body, label) = match live.is_empty() {
        true => {
            let plain = app.skin.style(SkinRole::Modal);
            (vec![vec![Span::new("It is still running, and will be ended.", plain)]], "it")
        }
        false => (running_list(app, &live, "below it"), "it and end them"),
    };
    body.push(vec![]);
    body.push(vec![Span::new("Scratchpads stay.", muted)]);
    let label = format!("{} {label}", verb.to_lowercase());
    let modal = Modal::new(title, body).answer('c', "cancel").answer('e', label);
    question::ask(app, modal, 1, act);
}
