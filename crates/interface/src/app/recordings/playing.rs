//! Plays a recording in place of the pane: the shared player as a layer. The sessions go on behind it.

use std::{sync::Arc, time::Instant};

use replay::{Sighting, Tape};
use tui::{
    Canvas, CanvasCursor, HostEvent, Layer, LayerOutcome, Rect,
    widgets::{PlayerOutcome, RecordingPlayer},
};

use crate::app::{frame, model::InterfaceState};

/// Plays from the start, with pauses shortened as the recording asks.
pub(super) fn begin(app: &mut InterfaceState, name: &str, mut tape: Tape) {
    if let Some(limit) = tape.asked_idle_limit() {
        tape.shorten_pauses(limit);
    }
    let warning = tape.ending().warning();
    let mut player = RecordingPlayer::new(name, Arc::new(tape), Instant::now());
    warning.into_iter().for_each(|warning| player.say(&warning));
    open(app, player);
}

/// Jumps to the start of the sighting with this number.
pub(super) fn show(app: &mut InterfaceState, name: &str, tape: Arc<Tape>, found: Vec<Sighting>, number: usize) {
    let mut player = RecordingPlayer::new(name, tape, Instant::now());
    player.show_found(found, number);
    open(app, player);
}

fn open(app: &mut InterfaceState, player: RecordingPlayer) {
    // Two may have been requested before the first was loaded; the later one is played.
    if app.recordings.player.replace(player).is_none() {
        app.open(Playing);
    }
    app.dirty = true;
}

/// When the player needs its next tick.
pub(in crate::app) fn deadline(app: &InterfaceState) -> Option<Instant> {
    app.recordings.player.as_ref().and_then(RecordingPlayer::deadline)
}

pub(in crate::app) fn tick(app: &mut InterfaceState, now: Instant) {
    if let Some(player) = &mut app.recordings.player {
        player.advance(now);
        app.dirty = true;
    }
}

#[derive(Debug)]
struct Playing;

impl Layer<InterfaceState> for Playing {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        app.dirty = true;
        let Some(player) = &mut app.recordings.player else { return LayerOutcome::Close };
        match player.update(event, Instant::now()) {
            PlayerOutcome::Taken => LayerOutcome::Taken,
            PlayerOutcome::Left => {
                app.recordings.player = None;
                LayerOutcome::Close
            }
        }
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        let player = app.recordings.player.as_ref().filter(|_| !frame::too_small(area))?;
        let places = app.places();
        player.draw(canvas, places.pane, places.status, &app.skin)
    }

    fn is_modal(&self) -> bool {
        true
    }
}
