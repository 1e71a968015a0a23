//! Looking back in a session: scrolling by wheel, copy mode by keys, selecting with the mouse.
//!
//! The text is a snapshot from when looking back began: it stays while the program goes on printing, and while the
//! person looks at other sessions. The motions and the search are in `tui`.

use std::sync::Arc;

use crate::layout::PanePlace;
use engine::{Session, SessionId};
use tui::{
    Canvas, CanvasCursor, CopyMode, CopyOutcome, Document, HostEvent, Rect, SearchDirection, SelectionUnit, Sign,
    SkinRole, Span,
    host::copy_to_clipboard,
    widgets::{draw_scrollbar, draw_status_line},
};
use vt::{
    Position,
    input::{Key, KeyEvent, KeyEventKind},
};

use super::{
    frame,
    model::{HostOrder, InterfaceState},
};

/// The limit on lines of history: gathering these takes a few milliseconds.
const MAX_LINES: u64 = 50_000;
/// Rows per step of the wheel.
pub(super) const WHEEL_ROWS: i32 = 3;

/// How looking back began, which decides what keys do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookBackManner {
    /// By the mouse: keys go to the program, and end it.
    Mouse,
    /// By a command: keys are vi's.
    Keys,
}

#[derive(Debug)]
pub(super) struct SessionLookBack {
    manner: LookBackManner,
    mode: CopyMode,
    /// The number of the first line.
    first: u64,
}

/// A snapshot of a session's whole text: the number of its first line, all lines, and the cursor.
fn document(session: &Session) -> (u64, Document, Position) {
    session.with_screen(|screen| {
        let frame = screen.frame();
        let lines = if frame.alternate_screen { 0..0 } else { screen.lines() };
        let first = lines.start.max(screen.first_screen_line().saturating_sub(MAX_LINES));
        let history: Vec<_> =
            (first..lines.end).map_while(|number| screen.history_line(number)).map(Arc::new).collect();
        let open = screen.open_line().map(Arc::new);
        (first, Document::new(history, open, &frame), frame.cursor.position)
    })
}

/// Starts looking back, unless it is on already.
pub(super) fn begin(app: &mut InterfaceState, manner: LookBackManner) {
    if let Some(id) = here(app) {
        begin_in(app, id, manner);
    }
}

fn begin_in(app: &mut InterfaceState, id: SessionId, manner: LookBackManner) {
    let Some(session) = app.sessions.get(id).map(|item| item.session.clone()) else { return };
    let rows = frame::pane_places(app).of(id).map_or(app.places().pane, |place| place.body).rows;
    let look = app.looking.entry(session.id()).or_insert_with(|| {
        let (first, document, cursor) = document(&session);
        SessionLookBack { manner, mode: CopyMode::new(document, cursor, rows), first }
    });
    // After scrolling with the mouse, keys take over at the same place.
    if manner == LookBackManner::Keys {
        look.manner = manner;
    }
    look.mode.set_rows(rows);
    app.dirty = true;
}

/// After a resize: the text is wrapped again, and the same line stays in view.
pub(super) fn resized(app: &mut InterfaceState, session: &Session, rows: u16) {
    let Some(look) = app.looking.get_mut(&session.id()) else { return };
    look.mode.set_rows(rows);
    let cols = session.with_screen(|screen| screen.size().cols);
    if look.mode.document().cols() != cols {
        let line = look.first + look.mode.document().line_at(look.mode.top()) as u64;
        let (first, document, _) = document(session);
        look.first = first;
        look.mode.replace(document, usize::try_from(line.saturating_sub(first)).unwrap_or(usize::MAX));
    }
    app.dirty = true;
}

/// Starts looking back with a search.
pub(super) fn search(app: &mut InterfaceState) {
    begin(app, LookBackManner::Keys);
    let area = app.places().pane;
    if let Some(look) = current(app) {
        look.mode.update(&HostEvent::Key(KeyEvent::press('?')), area);
    }
}

/// Looks back at a line, with the matches of `pattern` marked. One that has gone meanwhile is the oldest there is.
pub(super) fn go_to_line(app: &mut InterfaceState, line: u64, pattern: &str) {
    // What one looked at before may be older than the line.
    end(app);
    begin(app, LookBackManner::Keys);
    if let Some(look) = current(app) {
        let line = line.saturating_sub(look.first);
        look.mode.go_to_match(usize::try_from(line).unwrap_or(usize::MAX), pattern);
    }
}

fn here(app: &InterfaceState) -> Option<SessionId> {
    app.session().map(Session::id)
}

fn current(app: &mut InterfaceState) -> Option<&mut SessionLookBack> {
    let id = here(app)?;
    app.looking.get_mut(&id)
}

/// Returns to the live screen.
pub(super) fn end(app: &mut InterfaceState) {
    if let Some(id) = here(app) {
        app.looking.remove(&id);
        app.dirty = true;
    }
}

pub(super) fn is_on(app: &InterfaceState, id: SessionId) -> bool {
    app.looking.contains_key(&id)
}

/// The wheel over a main screen. Scrolling to the end returns to the live screen.
pub(super) fn wheel(app: &mut InterfaceState, id: SessionId, rows: i32) {
    if rows > 0 && !is_on(app, id) {
        return;
    }
    begin_in(app, id, LookBackManner::Mouse);
    let Some(look) = app.looking.get_mut(&id) else { return };
    look.mode.scroll(rows as isize);
    let back = look.mode.at_end() && look.manner == LookBackManner::Mouse && look.mode.selection().is_none();
    if back {
        app.looking.remove(&id);
    }
}

/// A mouse press that starts a selection.
pub(super) fn select(app: &mut InterfaceState, at: Position, unit: SelectionUnit) {
    begin(app, LookBackManner::Mouse);
    let area = app.places().pane;
    if let Some(look) = current(app) {
        let point = look.mode.point_at(at, area);
        look.mode.select_at(point, unit);
    }
}

/// Mouse motion and release during a selection.
pub(super) fn mouse(app: &mut InterfaceState, event: &HostEvent) {
    let area = app.places().pane;
    if let Some(look) = current(app) {
        let outcome = look.mode.update(event, area);
        concluded(app, outcome);
    }
}

/// A key while looking back; false if it is meant for the program.
pub(super) fn key(app: &mut InterfaceState, key: &KeyEvent) -> bool {
    let area = app.places().pane;
    let Some(look) = current(app) else { return false };
    let page = matches!(key.key, Key::PageUp | Key::PageDown);
    match look.manner {
        LookBackManner::Mouse if key.kind == KeyEventKind::Release || matches!(key.key, Key::Modifier(_)) => {
            return false;
        }
        LookBackManner::Mouse if key.key == Key::Escape => end(app),
        LookBackManner::Mouse if !page => {
            end(app);
            return false;
        }
        _ => {
            let outcome = look.mode.update(&HostEvent::Key(key.clone()), area);
            concluded(app, outcome);
        }
    }
    app.dirty = true;
    true
}

/// A paste while looking back; false if it is meant for the program.
pub(super) fn paste(app: &mut InterfaceState, text: &str) -> bool {
    let area = app.places().pane;
    match current(app) {
        Some(look) if look.manner == LookBackManner::Keys => {
            look.mode.update(&HostEvent::Paste(text.to_owned()), area);
            app.dirty = true;
            true
        }
        Some(_) => {
            end(app);
            false
        }
        None => false,
    }
}

fn concluded(app: &mut InterfaceState, outcome: CopyOutcome) {
    app.dirty = true;
    match outcome {
        CopyOutcome::Passed | CopyOutcome::Taken => {
            // A click that selected nothing changes nothing.
            let idle = current(app).is_some_and(|look| {
                look.manner == LookBackManner::Mouse && look.mode.at_end() && look.mode.selection().is_none()
            });
            if idle {
                end(app);
            }
        }
        CopyOutcome::Closed => end(app),
        CopyOutcome::Copied(text) => {
            copy(app, text);
            let stays = current(app).is_some_and(|look| look.manner == LookBackManner::Mouse && !look.mode.at_end());
            if !stays {
                end(app);
            }
        }
    }
}

/// Copies text to the host's clipboard, with a notice.
pub(super) fn copy(app: &mut InterfaceState, text: String) {
    if text.is_empty() {
        return;
    }
    let lines = text.lines().count();
    let what = match lines {
        0 | 1 => format!("{} characters", text.chars().count()),
        lines => format!("{lines} lines"),
    };
    match copy_to_clipboard(&text) {
        Some(bytes) => {
            app.errand(HostOrder::Say(bytes));
            app.toast(Sign::Idle, format!("copied {what}"));
        }
        None => app.toast(
            Sign::Blocked,
            format!("{what} are too long for a terminal's clipboard: kept here, \"Paste what was copied\" types them"),
        ),
    }
    app.copied = text;
}

/// Draws the snapshot instead of the live screen; `None` if the session is live.
pub(super) fn draw(
    canvas: &mut Canvas,
    place: &PanePlace<SessionId>,
    slot: u64,
    app: &InterfaceState,
) -> Option<Option<CanvasCursor>> {
    let look = app.looking.get(&place.session)?;
    let marks = look.mode.marks(&app.skin);
    let cursor = look.mode.view(&marks).draw(canvas, place.body, slot);
    // Drawn over a line beside the pane, if there is one: it hides no text there and adds no second line.
    let bar = frame::line_beside(place, app).unwrap_or(place.body.split_right(1).1);
    draw_scrollbar(canvas, bar, look.mode.top(), look.mode.document().len(), &app.skin);
    Some(cursor.filter(|_| look.manner == LookBackManner::Keys))
}

/// Draws the status line while looking back; `None` if the session is live.
pub(super) fn draw_status(canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<Option<CanvasCursor>> {
    let look = app.looking.get(&here(app)?)?;
    let skin = &app.skin;
    if let Some((direction, input)) = look.mode.prompt() {
        let prompt = if direction == SearchDirection::Down { " search forward: " } else { " search backward: " };
        let mark = frame::waiting_mark(app);
        let cols = mark.iter().map(Span::cols).sum::<usize>();
        let (typed, right) = area.split_right(u16::try_from(cols).unwrap_or(u16::MAX));
        let (sign, rest) = typed.split_left(prompt.len() as u16);
        canvas.draw_line(sign, 0, &[Span::new(prompt, skin.style(SkinRole::Accent))], skin.style(SkinRole::Input));
        canvas.draw_line(right, 0, &mark, skin.style(SkinRole::StatusLine));
        return Some(input.draw(canvas, rest, skin.style(SkinRole::Input)));
    }
    let (name, hint) = match look.manner {
        LookBackManner::Keys => ("copy mode", "v select  y copy  / search  q back "),
        LookBackManner::Mouse => ("looking back", "Esc back "),
    };
    let left = [
        Span::new(format!(" {name}  "), skin.style(SkinRole::Accent)),
        Span::new(look.mode.status(), skin.style(SkinRole::Muted)),
    ];
    let mut right = frame::waiting_mark(app);
    right.push(Span::new(hint, skin.style(SkinRole::Muted)));
    draw_status_line(canvas, area, &left, &right, skin);
    Some(None)
}
