//! The panes of the tab in sight: their programs' screens, the headings that name them, and the lines between them.

use std::time::Instant;

use crate::layout::{PanePlace, PanePlaces, SplitAxis};
use engine::SessionId;
use fleet::PLAIN_THEME;
use tui::{
    Canvas, CanvasCursor, PaneView, Rect, Sign, SkinRole, Span,
    widgets::{StyledLine, cut_middle, draw_pane_border, draw_pane_heading},
};
use vt::{Attributes, Frame, Position, Style};

use super::minutes;
use crate::app::{
    grid, look_back,
    model::{InterfaceState, KeyboardFocus},
    sessions::SessionItem,
    sources::{SessionHandle, SourceConnection},
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
    let focused = app.session_id();
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
    session: &SessionHandle,
    slot: u64,
    app: &InterfaceState,
) -> Option<CanvasCursor> {
    let frame = session.frame();
    let offset = offset_in(session, &frame, area);
    let remote = session.remote();
    let lost = remote.as_ref().is_some_and(|remote| matches!(remote.connection, SourceConnection::Lost(_)));
    // Colours that the program gave other values are shown with those. A coordinator has never heard of this host's.
    let ground = if remote.is_some() { &*PLAIN_THEME } else { &app.theme };
    let view = PaneView::frame(&frame).cropped(offset).dimmed(lost).with_themes(&frame.theme, ground);
    let screen = Rect { cols: area.cols.min(frame.size.cols), rows: area.rows.min(frame.size.rows), ..area };
    draw_edge(canvas, area, screen, app);
    let cursor = view.draw(canvas, screen, slot);
    cursor.filter(|_| app.focus() == KeyboardFocus::Pane && !session.status().has_ended() && !lost)
}

/// Which part of a screen that is larger than its pane is shown: the one around the cursor. Where a program of a
/// coordinator hides that, the view stays at the origin: others gave the session its size, and it may move anywhere.
pub(in crate::app) fn offset_in(session: &SessionHandle, frame: &Frame, area: Rect) -> Position {
    match session.remote().is_some() && !frame.cursor.visible {
        true => Position::default(),
        false => PaneView::offset_for(frame, area),
    }
}

/// Draws the edge of a screen that is smaller than its pane, because another client gave it its size.
fn draw_edge(canvas: &mut Canvas, area: Rect, screen: Rect, app: &InterfaceState) {
    if area == screen {
        return;
    }
    let (lines, style) = (app.skin.glyphs.box_lines(), app.skin.style(SkinRole::Border));
    let [.., corner] = lines.corners;
    if screen.cols < area.cols {
        for row in 0..screen.rows {
            let right = area.line(row).split_left(screen.cols).1;
            canvas.draw_line(right, 0, &[Span::new(lines.vertical.to_string(), style)], Style::default());
        }
    }
    let below = Span::new(lines.horizontal.to_string().repeat(usize::from(screen.cols)), style);
    let edge = [below, Span::new(corner.to_string(), style)];
    for row in screen.rows..area.rows {
        let spans = if row == screen.rows { &edge[..] } else { &[] };
        canvas.draw_line(area, row, spans, Style::default());
    }
}

/// `pinned`, `zoomed`: what is special about a pane.
fn marks(app: &InterfaceState, id: SessionId) -> String {
    let Some(panes) = app.sessions.panes() else { return String::new() };
    let marks = [(panes.is_pinned(id), "pinned"), (panes.is_zoomed(), "zoomed")];
    marks.into_iter().filter(|(on, _)| *on).map(|(_, word)| word).collect::<Vec<_>>().join(" ")
}

/// The lines of a session that is no longer what it was look different.
fn border(item: &SessionItem, here: bool) -> SkinRole {
    match item.connection() {
        Some(SourceConnection::Silent | SourceConnection::Lost(_)) => SkinRole::Warning,
        Some(_) if item.has_trouble() => SkinRole::Bad,
        _ if here => SkinRole::BorderFocused,
        _ => SkinRole::Border,
    }
}

fn badge(line: Style) -> Style {
    Style { attributes: line.attributes | Attributes::INVERSE | Attributes::BOLD, ..line }
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
    let line = skin.on_text(border(item, here));
    let name = skin.style(match (item.attention, here) {
        (true, _) => SkinRole::Warning,
        (false, true) => SkinRole::TabActive,
        (false, false) => SkinRole::Text,
    });
    let muted = skin.style(SkinRole::Muted);
    let word = if item.has_trouble() { badge(line) } else { muted };
    let sign = if item.attention { Sign::Blocked } else { item.sign() };
    let since = minutes(Instant::now().saturating_duration_since(item.since()));
    let room = usize::from(area.cols).saturating_sub(8);
    let mut left = first;
    left.extend([
        Span::new(" ", name),
        Span::new(skin.glyphs.sign(sign).to_string(), skin.calling_sign_style(sign, item.attention)),
        Span::new(format!(" {} ", cut_middle(&item.name, room, skin.glyphs.more())), name),
        Span::new(item.word(), word),
        Span::new(format!(" {since}").trim_end().to_owned() + " ", muted),
    ]);
    let right = if right.is_empty() { Vec::new() } else { vec![Span::new(format!(" {right} "), muted)] };
    draw_pane_heading(canvas, area, left, right, line, skin);
}
