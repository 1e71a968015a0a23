//! Pass-through: our key bindings are off while one session is in sight, so that its program gets every key.
//!
//! It ends when another session comes in sight, by a click on the status line, or by pressing the palette's key three
//! times in a row; the program gets the first two presses.

use std::time::{Duration, Instant};

use tui::{KeySequence, KeymapOutcome, Sign};
use vt::input::{KeyEvent, KeyEventKind};

use super::{commands, model::InterfaceState};

/// Three presses within this time are meant for us.
const HURRY: Duration = Duration::from_millis(1000);
const PRESSES: usize = 3;

/// The recent presses of the palette's key.
#[derive(Debug, Default)]
pub(crate) struct PassThroughState {
    presses: Vec<Instant>,
}

pub(super) fn begin(app: &mut InterfaceState) {
    let Some(id) = app.session_id() else { return };
    app.pass_through = Some(id);
    let key = app.keymap.keys_of(commands::PALETTE).unwrap_or_default();
    let key = super::frame::key_name(&key);
    app.toast(Sign::Idle, format!("all keys go to the program; {key} three times in a row ends that"));
}

/// Whether `key` is the third press.
pub(super) fn ends(app: &mut InterfaceState, key: &KeyEvent) -> bool {
    if key.kind == KeyEventKind::Release {
        return false;
    }
    let now = Instant::now();
    if !is_palette_key(app, key) {
        app.passing.presses.clear();
        return false;
    }
    app.passing.presses.push(now);
    app.passing.presses.retain(|press| now.duration_since(*press) < HURRY);
    let ends = app.passing.presses.len() >= PRESSES;
    if ends {
        app.passing.presses.clear();
        app.pass_through = None;
        app.dirty = true;
    }
    ends
}

/// Whether `key` alone opens the palette.
pub(super) fn is_palette_key(app: &InterfaceState, key: &KeyEvent) -> bool {
    is_key_of(app, key, commands::PALETTE)
}

/// Whether `key` alone means a command.
pub(super) fn is_key_of(app: &InterfaceState, key: &KeyEvent, command: &str) -> bool {
    let mut sequence = KeySequence::new(Duration::ZERO);
    let mut presses = sequence.press(&app.keymap, key, Instant::now());
    presses.extend(sequence.expire(&app.keymap));
    presses == [KeymapOutcome::Command(command.to_owned())]
}
