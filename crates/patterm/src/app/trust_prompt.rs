//! The question whether a preset may run. (Only its place is made so far.)

use super::model::App;

/// A preset waits for the human's word: see `app.project.trust().questions()`.
pub(super) fn pending(app: &mut App) {
    app.toast(tui::Sign::Blocked, "a preset waits for your trust: `patterm trust grant NAME` allows it");
}

/// A grant was given or taken back, here or elsewhere.
pub(super) fn changed(_app: &mut App) {}
