//! Focus changes to bytes (mode 1004).

use crate::InputModes;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FocusChange {
    Gained,
    Lost,
}

/// The report of a focus change, if the child asked for it.
pub fn encode_focus(focus: FocusChange, modes: &InputModes) -> Option<&'static [u8]> {
    let report: &[u8] = match focus {
        FocusChange::Gained => b"\x1b[I",
        FocusChange::Lost => b"\x1b[O",
    };
    modes.focus_events.then_some(report)
}
