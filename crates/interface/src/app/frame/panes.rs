//! The panes of the tab in sight: their programs' screens, the headings that name them, and the lines between them.

use std::time::Instant;

use crate::layout::{PanePlace, PanePlaces, SplitAxis};
use engine::{Session, SessionId};
use tui::{
    Canvas, CanvasCursor, PaneView, Rect, Sign, SkinRole, Span,
    widgets::{StyledLine, cut_middle, draw_pane_border, draw_pane_heading},
};

use super::minutes;
use crate::app::{
    grid, look_back,
    model::{InterfaceState, KeyboardFocus},
    sessions::SessionItem,
};

/// The canvas remembers the rows of each pane apart: of its program, and of its text while somebody looks back.
const FIRST_SLOT: u64 = 16;
const SLOTS_PER_PANE: u64 = 2;

/// Where the panes of the tab in sight are; none in the empty state.
pub(crate) fn pane_places(app: &InterfaceState) -> PanePlaces<SessionId> {
    match app.sessions.panes() {
        Some(panes) => panes.solve(app.places().panes),
        None => PanePlaces { panes: Vec::new(), borders: Vec::new() },
    }
}

/// Draws what has moved, or all of it; tells where the cursor belongs.
pub(super) fn draw(canvas: &mut Canvas, app: &InterfaceState) -> Option<CanvasCursor> {
    if app.grid.is_some() {
        grid::draw(canvas, FIRST_SLOT.., app);
        return None;
    }
    let places = pane_places(app);
    let focused = app.session().map(Session::id);
    let mut cursor = None;
    if !app.pane_only {
        let style = app.skin.style(SkinRole::Border);
        let lines = places.borders.iter().filter(|border| border.axis == SplitAxis::Columns);
        lines.for_each(|line| draw_pane_border(canvas, line.area, style, &app.skin));
    }
    for (index, place) in (0..).zip(&places.panes) {
        let here = Some(place.session) == focused;
        let Some(item) = app.sessions.get(place.session) else { continue };
        if app.pane_only && !here && !app.beside_too {
            continue;
        }
        if let Some(heading) = place.heading.filter(|_| !app.pane_only) {
            draw_heading(canvas, heading, Vec::new(), item, here, &marks(app, place.session), app);
        }
        let slot = FIRST_SLOT + index * SLOTS_PER_PANE;
        let wanted = match look_back::draw(canvas, place, slot + 1, app) {
            Some(cursor) => cursor,
            None => draw_screen(canvas, place.body, &item.session, slot, app),
        };
        if here {
            cursor = wanted;
        }
    }
    cursor
}

/// The column at the right of a pane that is only a line: a scroll bar there hides no text.
pub(in crate::app) fn line_beside(place: &PanePlace<SessionId>, app: &InterfaceState) -> Option<Rect> {
    let right = place.body.right();
    let borders = pane_places(app).borders;
    let line = borders.iter().any(|border| border.axis == SplitAxis::Columns && border.area.col == right);
    let rail = app.places().rail.is_some_and(|rail| rail.col == right);
    (line || rail).then_some(Rect { col: right, cols: 1, ..place.body })
}

pub(in crate::app) fn draw_screen(
    canvas: &mut Canvas,
    area: Rect,
    session: &Session,
    slot: u64,
    app: &InterfaceState,
) -> Option<CanvasCursor> {
    let frame = session.frame().frame;
    let offset = PaneView::offset_for(&frame, area);
    // Colours that the program gave other values are shown with those.
    let view = PaneView::frame(&frame).cropped(offset).with_themes(&frame.theme, &app.theme);
    let cursor = view.draw(canvas, area, slot);
    cursor.filter(|_| app.focus() == KeyboardFocus::Pane && !session.status().has_ended())
}

/// `pinned`, `zoomed`: what is special about a pane.
fn marks(app: &InterfaceState, id: SessionId) -> String {
    let Some(panes) = app.sessions.panes() else { return String::new() };
    let marks = [(panes.is_pinned(id), "pinned"), (panes.is_zoomed(), "zoomed")];
    marks.into_iter().filter(|(on, _)| *on).map(|(_, word)| word).collect::<Vec<_>>().join(" ")
}

/// `─ ● codex-1 working 3m ─── pinned ─`, with `first` before all of it and `right` at its end.
pub(in crate::app) fn draw_heading(
    canvas: &mut Canvas,
    area: Rect,
    first: StyledLine,
    item: &SessionItem,
    here: bool,
    right: &str,
    app: &InterfaceState,
) {
    let skin = &app.skin;
    let line = skin.style(if here { SkinRole::BorderFocused } else { SkinRole::Border });
    let name = skin.style(match (item.attention, here) {
        (true, _) => SkinRole::Warning,
        (false, true) => SkinRole::TabActive,
        (false, false) => SkinRole::Text,
    });
    let muted = skin.style(SkinRole::Muted);
    let sign = if item.attention { Sign::Blocked } else { item.sign() };
    let since = minutes(Instant::now().saturating_duration_since(item.since()));
    let room = usize::from(area.cols).saturating_sub(8);
    let mut left = first;
    left.extend([
        Span::new(" ", name),
        Span::new(skin.glyphs.sign(sign).to_string(), skin.calling_sign_style(sign, item.attention)),
        Span::new(format!(" {} ", cut_middle(&item.name, room, skin.glyphs.more())), name),
        Span::new(format!("{} ", [item.word(), since].join(" ").trim_end()), muted),
    ]);
    let right = if right.is_empty() { Vec::new() } else { vec![Span::new(format!(" {right} "), muted)] };
    draw_pane_heading(canvas, area, left, right, line, skin);
}
