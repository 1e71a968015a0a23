//! What patterm reports to its host terminal: what waits for the person, what is working, and what has finished.

use tui::Sign;
use vt::ProgramState;

use super::{attention, model::InterfaceState};

/// Summarises all sessions as one state and one line.
pub(super) fn summary(app: &InterfaceState) -> (ProgramState, String) {
    let named = |sign: Sign| -> Vec<&str> {
        app.sessions.items().iter().filter(|item| item.sign() == sign).map(|item| item.name.as_str()).collect()
    };
    if let Some(first) = attention::first(app) {
        let msg = match attention::count(app) {
            1 => first,
            count => format!("{first} (and {} more)", count - 1),
        };
        return (ProgramState::Blocked, msg);
    }
    let working = named(Sign::Working);
    if !working.is_empty() {
        return (ProgramState::Working, working.join(", "));
    }
    match named(Sign::Unseen) {
        unseen if unseen.is_empty() => (ProgramState::Idle, String::new()),
        unseen => (ProgramState::Done, unseen.join(", ")),
    }
}
