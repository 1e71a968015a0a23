//! The frame around the pane: where everything is, and how it is drawn. A function of the model; it changes nothing.

mod empty;
mod panes;
mod rail;
mod status;

use project::settings::Side;
use tui::{
    Canvas, CanvasCursor, Rect, Sign, SkinRole, Span,
    widgets::{TabBar, TabLabel, draw_toasts},
};
use vt::Size;

use super::{
    attach_mode, look_back,
    model::{InterfaceState, KeyboardFocus},
    trust_prompt,
};

pub(super) use panes::{draw_heading, draw_screen, line_beside, offset_in, pane_places};
pub(super) use rail::{RailPlaces, tree_cursor, tree_rows};
pub(super) use status::{ago, is_on_waiting, key_name, minutes, waiting_mark};

/// Below this many columns the rail folds away: beside it, a program would get less than the usual 80.
const RAIL_FROM: u16 = 110;
/// What the pane keeps beside the rail.
const PANE_KEEPS: u16 = 40;
/// Below this there is no room for anything but a message.
pub(super) const SMALLEST: Size = Size { cols: 16, rows: 4 };

/// Where things are on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScreenPlaces {
    pub(crate) tabs: Rect,
    /// All panes of the tab.
    pub(crate) panes: Rect,
    /// The screen of the one that has the keyboard; all of it in the empty state.
    pub(crate) pane: Rect,
    /// With the line that parts it from the panes.
    pub(crate) rail: Option<Rect>,
    /// The rail was called though it has no place of its own: it lies over the panes while it has the keyboard.
    pub(crate) rail_floats: bool,
    pub(crate) status: Rect,
}

impl ScreenPlaces {
    pub(crate) fn of(app: &InterfaceState) -> Self {
        let rows_around = u16::from(!attach_mode::is_frameless(app));
        let (body, status) = app.area.split_bottom(rows_around);
        let any = !app.sessions.is_empty();
        let docked = any && app.rail.visible && app.area.cols >= RAIL_FROM;
        let floats = any && !docked && app.focus == KeyboardFocus::Rail;
        let cols = match docked {
            true => app.rail.cols.min(app.area.cols.saturating_sub(PANE_KEEPS)),
            false => app.rail.cols,
        };
        let (rest, rail) = match app.rail.side {
            Side::Right => body.split_right(cols),
            Side::Left => {
                let (rail, rest) = body.split_left(cols);
                (rest, rail)
            }
        };
        let left = if docked { rest } else { body };
        let rail = (docked || floats).then_some(rail);
        let (tabs, panes) = left.split_top(rows_around);
        let solved = app.sessions.panes().and_then(|tree| tree.solve(panes).of(tree.focused()));
        let pane = solved.map_or(panes, |place| place.body);
        ScreenPlaces { tabs, panes, pane, rail, rail_floats: floats, status }
    }
}

pub(super) fn too_small(area: Rect) -> bool {
    area.cols < SMALLEST.cols || area.rows < SMALLEST.rows
}

pub(super) fn tabs(app: &InterfaceState) -> (Vec<TabLabel>, usize) {
    let tab = |root: &super::sessions::SessionItem| {
        let attention = app.sessions.tree(root.id).any(|item| item.attention);
        let sign = app.sessions.tab_sign(root.id);
        TabLabel { title: root.name.clone(), sign: if attention { Sign::Blocked } else { sign }, attention }
    };
    let active = app.sessions.tabs().position(|root| Some(root.id) == app.sessions.tab()).unwrap_or(usize::MAX);
    (app.sessions.tabs().map(tab).collect(), active)
}

/// Draws everything below the layers, and tells where the cursor belongs.
pub(super) fn draw(canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
    if too_small(area) {
        canvas.fill(area, app.skin.style(SkinRole::Text));
        let text = format!("needs {}x{}", SMALLEST.cols, SMALLEST.rows);
        canvas.draw_line(
            area,
            0,
            &[Span::new(text, app.skin.style(SkinRole::Warning))],
            app.skin.style(SkinRole::Text),
        );
        return None;
    }
    let places = app.places();
    if app.pane_only {
        return panes::draw(canvas, app);
    }
    draw_top(canvas, places.tabs, app);
    let mut typed = None;
    if !places.status.is_empty() {
        typed = draw_bottom(canvas, places.status, app);
    }
    if let Some(rail) = places.rail.filter(|_| !places.rail_floats) {
        rail::draw(canvas, rail, app);
    }
    let mut cursor = match app.sessions.is_empty() {
        false => typed.or(panes::draw(canvas, app)),
        true => {
            empty::draw(canvas, places.panes, app);
            None
        }
    };
    if places.status.is_empty() && (look_back::is_here(app) || !app.sequence.pending().is_empty()) {
        // Without a frame, what is searched for and what may follow the leader lie over the program's last row.
        let typed = draw_bottom(canvas, area.split_bottom(1).1, app);
        cursor = typed.or(cursor);
    }
    if let Some(rail) = places.rail.filter(|_| places.rail_floats) {
        rail::draw(canvas, rail, app);
    }
    if let Some(text) = trust_prompt::beside(app) {
        draw_beside(canvas, places.pane, text, cursor, app);
    }
    let typed = cursor.map(|cursor| cursor.position.row);
    let toasts = app.toasts.list().into_iter().chain(attach_mode::badge(app)).collect::<Vec<_>>();
    draw_toasts(canvas, places.panes, &toasts, typed, &app.skin);
    cursor
}

/// The status line; or the one of looking back, with the cursor if something is typed there.
fn draw_bottom(canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<CanvasCursor> {
    match look_back::draw_status(canvas, area, app) {
        Some(cursor) => cursor,
        None => {
            status::draw(canvas, area, app);
            None
        }
    }
}

/// The tabs; or what a single session that one is attached to is called, and how it is.
fn draw_top(canvas: &mut Canvas, area: Rect, app: &InterfaceState) {
    if area.is_empty() {
        return;
    }
    if let Some(item) = attach_mode::only_session(app) {
        return panes::draw_heading(canvas, area, Vec::new(), item, true, &item.session.title(), app);
    }
    let (tabs, active) = tabs(app);
    TabBar { tabs: &tabs, active }.draw(canvas, area, &app.skin);
}

/// A question that waits until the person pauses: one row, away from where they type.
fn draw_beside(canvas: &mut Canvas, pane: Rect, text: &str, cursor: Option<CanvasCursor>, app: &InterfaceState) {
    let at_top = cursor.is_some_and(|cursor| cursor.position.row < pane.row + pane.rows / 2);
    let row = if at_top { pane.rows.saturating_sub(1) } else { 0 };
    let (ground, sign) = (app.skin.style(SkinRole::ButtonActive), app.skin.glyphs.sign(Sign::Blocked));
    let text = format!(" {sign} Asked when you pause: {text}");
    canvas.draw_line(pane, row, &[Span::new(app.skin.glyphs.text(&text), ground)], ground);
}
