//! What the person does, when no layer above takes it: bindings, the rail, and else the program in sight.

mod held;
pub(super) mod mouse;
mod rail;

pub(super) use held::PressedKeys;

use std::time::{Duration, Instant};

use engine::{Input, SessionId};
use tui::{Canvas, CanvasCursor, HostEvent, KeymapOutcome, Layer, LayerOutcome, Rect, Sign};
use vt::input::{Key, KeyEvent, KeyEventKind, Modifiers};

use super::{
    attach_mode, commands, frame, grid, look_back,
    model::{InterfaceState, KeyboardFocus},
    ownership, pass_through, remote_sessions, start,
};

/// An Enter within this after another key ends the line that was typed.
const SAME_LINE: Duration = Duration::from_secs(1);
/// Pieces of one paste follow each other within this.
const SAME_PASTE: Duration = Duration::from_secs(1);

/// The lowest layer: frame and pane.
#[derive(Debug)]
pub(super) struct BaseLayer;

impl Layer<InterfaceState> for BaseLayer {
    fn update(&mut self, event: &HostEvent, app: &mut InterfaceState) -> LayerOutcome<InterfaceState> {
        match event {
            HostEvent::Key(key) => pressed(app, key),
            HostEvent::Paste(text) => pasted(app, text),
            HostEvent::Mouse(mouse) => mouse::event(app, mouse),
            HostEvent::Focus(focus) => {
                if let Some(session) = app.session() {
                    let _ = session.send(Input::Focus(*focus));
                }
            }
            _ => return LayerOutcome::Passed,
        }
        LayerOutcome::Taken
    }

    fn render(&self, canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
        frame::draw(canvas, area, app)
    }
}

fn pressed(app: &mut InterfaceState, key: &KeyEvent) {
    if app.pass_through.is_some()
        && app.grid.is_none()
        && app.focus() == KeyboardFocus::Pane
        && !pass_through::ends(app, key)
    {
        return to_pane(app, key);
    }
    let presses = app.sequence.press(&app.keymap, key, Instant::now());
    app.dirty |= !app.sequence.pending().is_empty();
    deal_with(app, presses);
}

/// Keys that were waited for are what they are.
pub(super) fn expire_sequence(app: &mut InterfaceState) {
    let presses = app.sequence.expire(&app.keymap);
    app.dirty = true;
    deal_with(app, presses);
}

fn deal_with(app: &mut InterfaceState, presses: Vec<KeymapOutcome>) {
    for press in presses {
        match press {
            KeymapOutcome::Command(id) => commands::run(app, &id),
            KeymapOutcome::Unbound(keys) => {
                let help =
                    app.keymap.keys_of("help").map(|keys| format!(": {keys} lists the keys")).unwrap_or_default();
                app.toast(Sign::Idle, format!("{keys} is not bound{help}"));
            }
            KeymapOutcome::Key(key) if app.focus() == KeyboardFocus::Rail => rail::pressed(app, &key),
            KeymapOutcome::Key(key) if app.grid.is_some() => grid::key(app, &key),
            KeymapOutcome::Key(key) => to_pane(app, &key),
        }
    }
}

pub(super) fn to_pane(app: &mut InterfaceState, key: &KeyEvent) {
    let Some(item) = app.sessions.focused() else {
        // Nothing to end but ourselves.
        if key.kind == KeyEventKind::Press && key.key == Key::Char('d') && key.modifiers == Modifiers::CTRL {
            app.done = true;
        }
        return;
    };
    let (id, ended, waits) = (item.id, item.has_ended(), item.waits());
    if key.kind == KeyEventKind::Release && !app.held.released(key, id) {
        return;
    }
    if look_back::key(app, key) {
        return;
    }
    if ended {
        if key.kind == KeyEventKind::Press {
            to_ended(app, key, id, waits);
        }
        return;
    }
    if key.kind != KeyEventKind::Release {
        app.held.told(key, id);
    }
    send(app, Input::Key(key.clone()));
}

/// A key for a session that has ended. Enter does what the status line says, but not at the end of a line that
/// somebody typed for the program: what they type next would reach another one, or the shell behind us.
fn to_ended(app: &mut InterfaceState, key: &KeyEvent, id: SessionId, waits: bool) {
    if key.key != Key::Enter {
        app.typed_in_vain = Some(Instant::now());
        return;
    }
    if app.typed_in_vain.is_some_and(|typed| typed.elapsed() < SAME_LINE) {
        return app.toast(Sign::Blocked, "the program has ended: this line was not sent");
    }
    match waits {
        true => start::waiting(app, id),
        false if remote_sessions::show_namesake(app, id) => {}
        // There would be nothing left to see.
        false if attach_mode::only_session(app).is_some() => app.done = true,
        false => commands::run(app, "close"),
    }
}

/// A long paste comes in pieces. Once one was refused, those behind it are left out too: a text with its end missing is
/// seen, one with a hole in it is not.
fn pasted(app: &mut InterfaceState, text: &str) {
    if app.focus() != KeyboardFocus::Pane || app.grid.is_some() || look_back::paste(app, text) {
        return;
    }
    let now = Instant::now();
    let cut = app.paste_cut.is_some_and(|cut| now.duration_since(cut) < SAME_PASTE);
    let sent = !cut && send(app, Input::Paste(text.to_owned()));
    app.paste_cut = (!sent && app.session().is_some()).then_some(now);
    if cut {
        app.toast(Sign::Failed, "the rest of the paste was left out");
    }
}

/// Types into the session in sight, as the person; false if it was not taken.
pub(super) fn send(app: &mut InterfaceState, input: Input) -> bool {
    let Some(session) = app.session().cloned() else { return false };
    ownership::typing(app, &session);
    remote_sessions::keep(app, session.id());
    let sent = session.send(input);
    if let Err(error) = &sent {
        app.toast(Sign::Failed, error.to_string());
    }
    sent.is_ok()
}
