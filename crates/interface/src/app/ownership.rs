//! Who drives the session in sight: the person, or the agent that started it.
//!
//! The engine decides it where input is sent. Here it is only shown, and handed back.

use engine::Owner;
use tui::Sign;

use super::{model::InterfaceState, sources::SessionHandle};

/// The person is about to type into `session`: shows a notice if that takes over control.
pub(super) fn typing(app: &mut InterfaceState, session: &SessionHandle) {
    if session.owner() == Owner::Orchestrator {
        app.toast(Sign::Blocked, "Orchestrator is also driving this pane");
    }
}

/// Gives control of the session in sight back to the agent that started it.
pub(super) fn release(app: &mut InterfaceState) {
    let Some(session) = app.session().cloned() else { return };
    session.release();
    app.toast(Sign::Idle, "the orchestrator drives this pane again");
}
