//! Keys while the rail has the keyboard.

use vt::input::{Key, KeyEvent, KeyEventKind};

use crate::app::model::{App, Focus};

pub(super) fn pressed(app: &mut App, key: &KeyEvent) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    app.dirty = true;
    let ids: Vec<_> =
        app.sessions.tab().map(|tab| app.sessions.tree(tab).map(|item| item.id).collect()).unwrap_or_default();
    let last = ids.len().saturating_sub(1);
    let cursor = app.rail.cursor.min(last);
    app.rail.cursor = match key.key {
        Key::Up | Key::Char('k') => cursor.saturating_sub(1),
        Key::Down | Key::Char('j') => (cursor + 1).min(last),
        Key::Home | Key::Char('g') => 0,
        Key::End => last,
        Key::Enter | Key::Right | Key::Char('l') => {
            if let Some(id) = ids.get(cursor) {
                app.show(*id);
            }
            app.focus = Focus::Pane;
            cursor
        }
        Key::Escape | Key::Left | Key::Char('q') => {
            app.focus = Focus::Pane;
            cursor
        }
        _ => cursor,
    };
}
