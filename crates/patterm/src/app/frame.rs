//! The frame around the pane: where everything is, and how it is drawn. A function of the model; it changes nothing.

mod empty;
mod rail;
mod status;

use engine::Session;
use project::settings::Side;
use tui::{
    Canvas, CanvasCursor, PaneView, Rect, Sign, SkinRole, Span,
    widgets::{TabBar, TabLabel, draw_toasts},
};
use vt::Size;

use super::{look_back, model::InterfaceState, trust_prompt};

pub(super) use rail::{RailPlaces, tree_cursor, tree_rows};
pub(super) use status::{ago, is_on_waiting, key_name, minutes, waiting_mark};

/// Below this many columns the rail folds away.
const RAIL_FROM: u16 = 64;
/// What the pane keeps beside the rail.
const PANE_KEEPS: u16 = 40;
/// Below this there is no room for anything but a message.
pub(super) const SMALLEST: Size = Size { cols: 16, rows: 4 };

/// The canvas remembers rows of the live pane and of others apart.
const PANE_SLOT: u64 = 1;

/// Where things are on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScreenPlaces {
    pub(crate) tabs: Rect,
    pub(crate) pane: Rect,
    /// With the line that parts it from the pane.
    pub(crate) rail: Option<Rect>,
    pub(crate) status: Rect,
}

impl ScreenPlaces {
    pub(crate) fn of(app: &InterfaceState) -> Self {
        let (body, status) = app.area.split_bottom(1);
        let wanted = app.rail.visible && app.area.cols >= RAIL_FROM && !app.sessions.is_empty();
        let cols = app.rail.cols.min(app.area.cols.saturating_sub(PANE_KEEPS));
        let (left, rail) = match (wanted, app.rail.side) {
            (false, _) => (body, None),
            (true, Side::Right) => {
                let (left, rail) = body.split_right(cols);
                (left, Some(rail))
            }
            (true, Side::Left) => {
                let (rail, left) = body.split_left(cols);
                (left, Some(rail))
            }
        };
        let (tabs, pane) = left.split_top(1);
        ScreenPlaces { tabs, pane, rail, status }
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
    if app.pane_only
        && let Some(session) = app.session()
    {
        return draw_pane(canvas, places.pane, session, app);
    }
    let (tabs, active) = tabs(app);
    TabBar { tabs: &tabs, active }.draw(canvas, places.tabs, &app.skin);
    let typed = look_back::draw_status(canvas, places.status, app);
    if typed.is_none() {
        status::draw(canvas, places.status, app);
    }
    if let Some(rail) = places.rail {
        rail::draw(canvas, rail, app);
    }
    let cursor = match app.session() {
        Some(session) => match look_back::draw(canvas, places.pane, app) {
            Some(cursor) => typed.flatten().or(cursor),
            None => draw_pane(canvas, places.pane, session, app),
        },
        None => {
            empty::draw(canvas, places.pane, app);
            None
        }
    };
    if let Some(text) = trust_prompt::beside(app) {
        draw_beside(canvas, places.pane, text, cursor, app);
    }
    let typed = cursor.map(|cursor| cursor.position.row);
    draw_toasts(canvas, places.pane, &app.toasts.list(), typed, &app.skin);
    cursor
}

/// A question that waits until the person pauses: one row, away from where they type.
fn draw_beside(canvas: &mut Canvas, pane: Rect, text: &str, cursor: Option<CanvasCursor>, app: &InterfaceState) {
    let at_top = cursor.is_some_and(|cursor| cursor.position.row < pane.row + pane.rows / 2);
    let row = if at_top { pane.rows.saturating_sub(1) } else { 0 };
    let (ground, sign) = (app.skin.style(SkinRole::ButtonActive), app.skin.glyphs.sign(Sign::Blocked));
    let text = format!(" {sign} Asked when you pause: {text}");
    canvas.draw_line(pane, row, &[Span::new(app.skin.glyphs.text(&text), ground)], ground);
}

fn draw_pane(canvas: &mut Canvas, area: Rect, session: &Session, app: &InterfaceState) -> Option<CanvasCursor> {
    let frame = session.frame().frame;
    let offset = PaneView::offset_for(&frame, area);
    // Colours that the program gave other values are shown with those.
    let view = PaneView::frame(&frame).cropped(offset).with_themes(&frame.theme, &app.theme);
    let cursor = view.draw(canvas, area, PANE_SLOT);
    cursor.filter(|_| app.focus() == super::model::KeyboardFocus::Pane && !session.status().has_ended())
}
