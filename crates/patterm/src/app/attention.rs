//! Who waits for the human: what agents ask for, shown and counted. (Only its place is made so far.)

use std::time::Instant;

use engine::SessionId;

use super::{commands::Command, model::App};

/// What waits for the human.
#[derive(Debug, Default)]
pub(crate) struct State {}

pub(super) const COMMANDS: &[Command] = &[];

/// An agent asks for the human.
pub(super) fn asked(app: &mut App, session: SessionId, reason: String, _caller: Option<SessionId>) {
    app.toast(tui::Sign::Blocked, reason);
    if let Some(item) = app.sessions.get_mut(session) {
        item.attention = true;
    }
}

/// An agent asks for a session to be shown.
pub(super) fn advised(app: &mut App, session: SessionId) {
    app.show(session);
}

/// The human looks at a session now.
pub(super) fn looked_at(app: &mut App, session: SessionId) {
    if let Some(item) = app.sessions.get_mut(session) {
        item.attention = false;
    }
}

/// When it wants to be woken: to blink, for one.
pub(super) fn deadline(_app: &App) -> Option<Instant> {
    None
}

/// Its deadline has come.
pub(super) fn tick(_app: &mut App, _now: Instant) {}
