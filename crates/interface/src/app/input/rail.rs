//! Keys while the rail has the keyboard: up and down over the tree and, below it, the scratchpads.

use engine::SessionId;
use vt::input::{Key, KeyEvent, KeyEventKind};

use crate::app::{
    frame::tree_rows,
    model::{InterfaceState, KeyboardFocus},
    scratchpads,
};

pub(super) fn pressed(app: &mut InterfaceState, key: &KeyEvent) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    app.dirty = true;
    let sessions: Vec<SessionId> = tree_rows(app).into_iter().map(|(id, _)| id).collect();
    let last = (sessions.len() + app.scratchpads.len()).saturating_sub(1);
    let cursor = match app.rail.cursor {
        cursor if cursor < sessions.len() => cursor,
        // Among the scratchpads one is where the preview is, though others were written or deleted meanwhile.
        _ => (sessions.len() + app.scratchpads.row()).min(last),
    };
    let next = match key.key {
        Key::Up | Key::Char('k') => cursor.saturating_sub(1),
        Key::Down | Key::Char('j') => (cursor + 1).min(last),
        Key::Home | Key::Char('g') => 0,
        Key::End | Key::Char('G') => last,
        Key::Enter | Key::Right | Key::Char('l') => {
            match sessions.get(cursor) {
                Some(id) => {
                    app.show(*id);
                    app.focus = KeyboardFocus::Pane;
                }
                // Once it is closed, one is in the rail again.
                None => scratchpads::open_at(app, cursor - sessions.len()),
            }
            cursor
        }
        Key::Escape | Key::Left | Key::Char('h' | 'q') => {
            app.focus = KeyboardFocus::Pane;
            cursor
        }
        _ => cursor,
    };
    app.rail.cursor = next;
    if let Some(pad) = next.checked_sub(sessions.len()).filter(|_| next != cursor) {
        scratchpads::choose_at(app, pad);
    }
}
