//! Ending the program of a coordinator's session, or removing the session there: asked for first, with what each way does.

use engine::SessionId;
use serde_json::json;
use tui::{Sign, SkinRole, Span, widgets::Modal};

use super::may_change;
use crate::app::{model::InterfaceState, question};

/// What can be answered, besides "no": the operation, and its signal.
const WAYS: [(&str, &str); 4] =
    [("stop_process", "TERM"), ("stop_process", "HUP"), ("stop_process", "KILL"), ("close_process", "")];
const REMOVE: usize = WAYS.len() - 1;

pub(super) fn ask(app: &mut InterfaceState) {
    let Some(item) = app.sessions.focused().filter(|item| item.remote.is_some()) else { return };
    let (id, name, ended) = (item.id, item.name.clone(), item.has_ended());
    if !may_change(app, id) {
        return;
    }
    let plain = app.skin.style(SkinRole::Modal);
    let lines = |lines: &[&'static str]| lines.iter().map(|line| vec![Span::new(*line, plain)]).collect();
    if ended {
        let body = lines(&["It has ended; its last screen goes with it."]);
        let modal = Modal::new(format!("Remove {name}?"), body).answer('n', "no").answer('r', "remove");
        return question::ask(app, modal, 1, move |app| act(app, id, &name, REMOVE));
    }
    let body = lines(&[
        "Kill asks its program to end (TERM); shells ignore that.",
        "Hang up does what closing a window does (HUP).",
        "Force kills it (KILL). All three keep the last screen.",
        "Remove ends it, by force if necessary, and discards the screen.",
    ]);
    let modal = Modal::new(format!("End {name}?"), body)
        .answer('n', "no")
        .answer('y', "kill")
        .answer('h', "hang up")
        .answer('f', "force")
        .answer('r', "remove");
    question::choose(app, modal, move |app, answer| {
        if let Some(way) = answer.checked_sub(1) {
            act(app, id, &name, way);
        }
    });
}

/// What becomes of it is seen; that its program still runs after a moment is said.
fn act(app: &mut InterfaceState, id: SessionId, name: &str, way: usize) {
    let (operation, signal) = WAYS[way];
    if way != REMOVE {
        app.toast(Sign::Idle, format!("telling {name} to end ({signal})…"));
    }
    app.order(operation, json!({ "process_id": id.to_string(), "signal": signal }));
}
