//! All sessions of the tab in sight at once, small and live; one key opens one.

use crate::{
    grid::{TILE_KEYS, TileGrid},
    layout::PaneDirection,
};
use engine::SessionId;
use tui::{Canvas, Rect, SkinRole, Span, widgets::draw_pane_border};
use vt::{
    Position,
    input::{Key, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind, WheelDirection},
};

use super::{
    frame,
    model::{InterfaceState, KeyboardFocus},
};

/// One session in its tile.
#[derive(Clone, Copy, Debug)]
struct GridTile {
    session: SessionId,
    /// The key that opens it.
    key: char,
    heading: Rect,
    body: Rect,
    /// Between it and its neighbour to the right.
    line: Option<Rect>,
}

/// Shows the grid, with the cursor on the session that had the keyboard; or puts it away.
pub(super) fn toggle(app: &mut InterfaceState) {
    app.grid = match app.grid {
        Some(_) => None,
        None => app.session_id(),
    };
    app.focus = KeyboardFocus::Pane;
    app.dirty = true;
}

/// The sessions in sight while the grid is open.
pub(super) fn in_sight(app: &InterfaceState) -> Option<Vec<SessionId>> {
    app.grid.map(|_| tiles(app).into_iter().map(|tile| tile.session).collect())
}

fn sessions(app: &InterfaceState) -> Vec<SessionId> {
    let tab = app.sessions.tab();
    tab.map(|tab| app.sessions.tree(tab).map(|item| item.id).collect()).unwrap_or_default()
}

/// The grid, its sessions and the cursor: where that was, if its session is gone.
fn grid(app: &InterfaceState) -> (TileGrid, Vec<SessionId>, usize) {
    let sessions = sessions(app);
    let cursor = sessions.iter().position(|id| Some(*id) == app.grid).unwrap_or(0);
    (TileGrid::new(app.places().panes, sessions.len()), sessions, cursor)
}

fn tiles(app: &InterfaceState) -> Vec<GridTile> {
    let (grid, sessions, cursor) = grid(app);
    let right = app.places().panes.right();
    let tile = |((index, area), key): ((usize, Rect), char)| {
        let last = area.right() == right;
        let (inside, line) = area.split_right(u16::from(!last));
        let (heading, body) = inside.split_top(1);
        GridTile { session: sessions[index], key, heading, body, line: (!last).then_some(line) }
    };
    grid.page(cursor).into_iter().zip(TILE_KEYS.chars()).map(tile).collect()
}

/// Draws the tiles; `slots` are where the canvas remembers them.
pub(super) fn draw(canvas: &mut Canvas, slots: std::ops::RangeFrom<u64>, app: &InterfaceState) {
    let tiles = tiles(app);
    if !app.pane_only {
        // What no tile covers.
        let area = app.places().panes;
        let bottom = tiles.iter().map(|tile| tile.body.bottom()).max().unwrap_or(area.row);
        let rest = Rect { row: bottom, rows: area.bottom().saturating_sub(bottom), ..area };
        canvas.fill(rest, app.skin.style(SkinRole::Text));
        if let Some(last) = tiles.last() {
            let free =
                Rect { col: last.body.right(), cols: area.right().saturating_sub(last.body.right()), ..last.heading };
            canvas.fill(Rect { rows: last.body.rows + 1, ..free }, app.skin.style(SkinRole::Text));
        }
    }
    let more = match sessions(app).len() - tiles.len() {
        0 => String::new(),
        hidden => format!("{hidden} more"),
    };
    for (index, (tile, slot)) in tiles.iter().zip(slots).enumerate() {
        let Some(item) = app.sessions.get(tile.session) else { continue };
        if !app.pane_only {
            let here = app.grid == Some(tile.session);
            let key = Span::new(format!(" {}", tile.key), app.skin.style(SkinRole::KeyName));
            let right = if index + 1 == tiles.len() { more.as_str() } else { "" };
            frame::draw_heading(canvas, tile.heading, vec![key], item, here, right, app);
            if let Some(line) = tile.line {
                draw_pane_border(canvas, line, app.skin.style(SkinRole::Border), &app.skin);
            }
        }
        frame::draw_screen(canvas, tile.body, &item.session, slot, app);
    }
}

/// A key while the grid is open: all of them are its own.
pub(super) fn key(app: &mut InterfaceState, key: &KeyEvent) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    let (grid, sessions, cursor) = grid(app);
    let go = |direction| Some(grid.moved(cursor, direction));
    let next = match key.key {
        Key::Escape => return toggle(app),
        Key::Enter => return open(app, sessions.get(cursor).copied()),
        Key::Char(c) if key.modifiers.is_empty() => {
            let chosen = grid.by_key(cursor, c).and_then(|index| sessions.get(index)).copied();
            return open(app, chosen);
        }
        Key::Left => go(PaneDirection::Left),
        Key::Right => go(PaneDirection::Right),
        Key::Up => go(PaneDirection::Up),
        Key::Down => go(PaneDirection::Down),
        _ => None,
    };
    if let Some(next) = next.and_then(|next| sessions.get(next)) {
        app.grid = Some(*next);
        app.dirty = true;
    }
}

/// The mouse over the grid: a click opens a session, the wheel moves the cursor.
pub(super) fn mouse(app: &mut InterfaceState, mouse: &MouseEvent) {
    let at = Position { row: mouse.row, col: mouse.col };
    match mouse.kind {
        MouseEventKind::Press(MouseButton::Left) => {
            let hit = tiles(app).into_iter().find(|tile| tile.heading.contains(at) || tile.body.contains(at));
            open(app, hit.map(|tile| tile.session));
        }
        MouseEventKind::Wheel(WheelDirection::Up) => key(app, &KeyEvent::press(Key::Left)),
        MouseEventKind::Wheel(WheelDirection::Down) => key(app, &KeyEvent::press(Key::Right)),
        _ => {}
    }
}

fn open(app: &mut InterfaceState, session: Option<SessionId>) {
    if let Some(id) = session {
        app.show(id);
    }
}
