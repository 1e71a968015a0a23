//! The lower part of the rail: the list of scratchpads, and the beginning of one of them.

use std::time::SystemTime;

use tui::{
    Canvas, HostEvent, Rect, SkinRole, Span,
    widgets::{cut, render_markdown},
};
use vt::{
    Style,
    input::{MouseButton, MouseEventKind, WheelDirection},
};

use crate::app::{
    frame,
    model::{InterfaceState, KeyboardFocus},
};

/// How many names are listed.
const LISTED: usize = 6;
/// Rows of the preview.
const PREVIEW: u16 = 10;

/// The rows it needs in the rail, out of `room`.
pub(crate) fn rail_rows(app: &InterfaceState, room: u16) -> u16 {
    match app.scratchpads.pads.len() {
        0 => 0,
        // A blank row above, the heading, a line, and the preview.
        count => (count.min(LISTED) as u16 + 3 + PREVIEW).min(room / 2),
    }
}

/// The first name listed, chosen so that the current one is visible.
fn top(app: &InterfaceState, rows: usize) -> usize {
    (app.scratchpads.row() + 1).saturating_sub(rows)
}

/// The areas of heading, names and preview.
fn parts(area: Rect, app: &InterfaceState) -> (Rect, Rect, Rect) {
    let (_, area) = area.split_top(1);
    let (heading, rest) = area.split_top(1);
    let count = app.scratchpads.pads.len().min(LISTED) as u16;
    let (names, preview) = rest.split_top(count.min(rest.rows));
    (heading, names, preview)
}

/// Draws its section of the rail.
pub(crate) fn draw_rail(canvas: &mut Canvas, area: Rect, app: &InterfaceState) {
    if area.is_empty() || app.scratchpads.pads.is_empty() {
        return;
    }
    let skin = &app.skin;
    let (plain, muted) = (skin.style(SkinRole::Text), skin.style(SkinRole::Muted));
    let (heading, names, preview) = parts(area, app);
    canvas.draw_line(heading, 0, &[Span::new("Scratchpads", muted)], plain);
    let top = top(app, usize::from(names.rows));
    let now = SystemTime::now();
    let with_keys = app.focus == KeyboardFocus::Rail && frame::tree_cursor(app, frame::tree_rows(app).len()).is_none();
    for row in 0..names.rows {
        let Some(pad) = app.scratchpads.pads.get(top + usize::from(row)) else { break };
        let age = frame::minutes(now.duration_since(pad.modified_at).unwrap_or_default());
        let room = usize::from(names.cols).saturating_sub(age.len() + 3);
        let name = cut(pad.name.as_str(), room, skin.glyphs.more());
        let here = app.scratchpads.current() == Some(&pad.name);
        let mark = if here { skin.glyphs.shown() } else { ' ' };
        // The selected row is highlighted as a whole, as in the tree.
        let ground = if here && with_keys { skin.style(SkinRole::Cursor) } else { plain };
        let style = if here { skin.style(SkinRole::TabActive) } else { plain };
        let beside = Style { background: ground.background, ..muted };
        let gap = room.saturating_sub(Span::new(&*name, plain).cols());
        let spans = [
            Span::new(format!("{mark} "), beside),
            Span::new(name, style),
            Span::new(" ".repeat(gap + 1), ground),
            Span::new(age, beside),
        ];
        canvas.draw_line(names, row, &spans, ground);
    }
    let (line, text) = preview.split_top(1);
    let rule = skin.glyphs.box_lines().horizontal;
    canvas.draw_line(
        line,
        0,
        &[Span::new(rule.to_string().repeat(usize::from(line.cols)), skin.style(SkinRole::Border))],
        plain,
    );
    let Some(current) = app.scratchpads.current() else { return };
    let lines = match app.scratchpads.text(current) {
        Some(Ok(content)) => render_markdown(content, text.cols, skin),
        Some(Err(why)) => vec![vec![Span::new(why.clone(), skin.style(SkinRole::Bad))]],
        None => Vec::new(),
    };
    for (row, line) in (0..text.rows).zip(&lines) {
        canvas.draw_line(text, row, line, plain);
    }
}

/// Handles a click or the wheel in its section of the rail.
pub(crate) fn rail_event(event: &HostEvent, area: Rect, app: &mut InterfaceState) {
    let HostEvent::Mouse(mouse) = event else { return };
    let at = vt::Position { row: mouse.row, col: mouse.col };
    let (_, names, preview) = parts(area, app);
    let current = app.scratchpads.current().cloned();
    let index = app.scratchpads.row();
    let named = |app: &InterfaceState, index: usize| app.scratchpads.pads.get(index).map(|pad| pad.name.clone());
    match mouse.kind {
        MouseEventKind::Press(MouseButton::Left) if names.contains(at) => {
            let hit = top(app, usize::from(names.rows)) + usize::from(at.row - names.row);
            match named(app, hit) {
                // The first click previews it, a second one opens it.
                Some(name) if Some(&name) == current.as_ref() => super::open(app, name),
                Some(name) => super::choose(app, name),
                None => {}
            }
        }
        MouseEventKind::Press(MouseButton::Left) if preview.contains(at) => {
            if let Some(name) = current {
                super::open(app, name);
            }
        }
        MouseEventKind::Wheel(direction @ (WheelDirection::Up | WheelDirection::Down)) => {
            let next = if direction == WheelDirection::Up { index.checked_sub(1) } else { Some(index + 1) };
            if let Some(name) = next.and_then(|next| named(app, next)) {
                super::choose(app, name);
            }
        }
        _ => {}
    }
}
