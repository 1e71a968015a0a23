//! The scratchpads: their section of the rail, with a preview. (Only its place is made so far.)

use project::Project;
use tui::{Canvas, Event, Rect};

use super::{commands::Command, model::App, palette::PaletteEntry};

/// What the face keeps of the scratchpads.
#[derive(Debug, Default)]
pub(crate) struct State {}

impl State {
    pub(super) fn new(_project: &Project) -> Self {
        State {}
    }
}

pub(super) const COMMANDS: &[Command] = &[];

/// Entries of the palette, one for each scratchpad.
pub(super) fn palette_entries(_app: &App) -> Vec<PaletteEntry> {
    Vec::new()
}

/// They were written, by whomever.
pub(super) fn changed(app: &mut App) {
    app.dirty = true;
}

/// Rows of the rail that it would have, of `room`.
pub(super) fn rail_rows(_app: &App, _room: u16) -> u16 {
    0
}

/// Draws its section of the rail.
pub(super) fn draw_rail(_canvas: &mut Canvas, _area: Rect, _app: &App) {}

/// A click or the wheel in its section of the rail.
pub(super) fn rail_event(_event: &Event, _area: Rect, _app: &mut App) {}
