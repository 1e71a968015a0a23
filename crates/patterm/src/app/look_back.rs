//! Looking back in a session: scrolling by wheel, copy mode by keys, selecting with the mouse.
//!
//! What is looked at is a picture of the moment one began: it stays put while the program prints on, and while one
//! looks at other sessions. The motions and the search are `tui`'s.

use std::sync::Arc;

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

use super::model::{HostOrder, InterfaceState};

/// Lines of history that one looks back on: what takes some milliseconds to gather.
const MAX_LINES: u64 = 50_000;
/// Rows that one step of the wheel moves.
pub(super) const WHEEL_ROWS: i32 = 3;
/// The canvas remembers these rows apart from the live ones.
const SLOT: u64 = 2;

/// How it was begun, and so what keys mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookBackManner {
    /// By the mouse: keys are the program's, and end it.
    Mouse,
    /// By a command: vi's keys.
    Keys,
}

#[derive(Debug)]
pub(super) struct SessionLookBack {
    manner: LookBackManner,
    mode: CopyMode,
    /// The number of its first line.
    first: u64,
}

/// Everything there is to see of a session, as it is now: the number of its first line, all lines, and the cursor.
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

/// Begins, unless one is at it already.
pub(super) fn begin(app: &mut InterfaceState, manner: LookBackManner) {
    let Some(session) = app.session().cloned() else { return };
    let rows = app.places().pane.rows;
    let look = app.looking.entry(session.id()).or_insert_with(|| {
        let (first, document, cursor) = document(&session);
        SessionLookBack { manner, mode: CopyMode::new(document, cursor, rows), first }
    });
    // Whoever scrolled and now wants keys gets them where he is.
    if manner == LookBackManner::Keys {
        look.manner = manner;
    }
    look.mode.set_rows(rows);
    app.dirty = true;
}

/// A session has another size: its text is wrapped anew, and one stays at the line where one was.
pub(super) fn resized(app: &mut InterfaceState, session: &Session) {
    let rows = app.pane_size.rows;
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

/// Begins, and searches.
pub(super) fn search(app: &mut InterfaceState) {
    begin(app, LookBackManner::Keys);
    let area = app.places().pane;
    if let Some(look) = current(app) {
        look.mode.update(&HostEvent::Key(KeyEvent::press('?')), area);
    }
}

fn here(app: &InterfaceState) -> Option<SessionId> {
    app.session().map(Session::id)
}

fn current(app: &mut InterfaceState) -> Option<&mut SessionLookBack> {
    let id = here(app)?;
    app.looking.get_mut(&id)
}

/// Back to what is there now.
pub(super) fn end(app: &mut InterfaceState) {
    if let Some(id) = here(app) {
        app.looking.remove(&id);
        app.dirty = true;
    }
}

pub(super) fn is_on(app: &InterfaceState) -> bool {
    here(app).is_some_and(|id| app.looking.contains_key(&id))
}

/// The wheel over a main screen. Back at the end, one looks at what is there now.
pub(super) fn wheel(app: &mut InterfaceState, rows: i32) {
    if rows > 0 && !is_on(app) {
        return;
    }
    begin(app, LookBackManner::Mouse);
    let Some(look) = current(app) else { return };
    look.mode.scroll(rows as isize);
    let back = look.mode.at_end() && look.manner == LookBackManner::Mouse && look.mode.selection().is_none();
    if back {
        end(app);
    }
}

/// A press of the mouse that begins to select.
pub(super) fn select(app: &mut InterfaceState, at: Position, unit: SelectionUnit) {
    begin(app, LookBackManner::Mouse);
    let area = app.places().pane;
    if let Some(look) = current(app) {
        let point = look.mode.point_at(at, area);
        look.mode.select_at(point, unit);
    }
}

/// Motion and release while one selects.
pub(super) fn mouse(app: &mut InterfaceState, event: &HostEvent) {
    let area = app.places().pane;
    if let Some(look) = current(app) {
        let outcome = look.mode.update(event, area);
        concluded(app, outcome);
    }
}

/// A key while one looks back; false if it is the program's.
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

/// Pasted text; false if it is the program's.
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
            // A click that selected nothing leaves one where one was.
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

/// Puts text on the host's clipboard, and says so.
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
            format!(
                "{what} are more than terminals take to their clipboard: kept here, \"Paste what was copied\" types it"
            ),
        ),
    }
    app.copied = text;
}

/// Draws what is looked at instead of the live screen; `None` if nothing is.
pub(super) fn draw(canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<Option<CanvasCursor>> {
    let look = app.looking.get(&here(app)?)?;
    let marks = look.mode.marks(&app.skin);
    let cursor = look.mode.view(&marks).draw(canvas, area, SLOT);
    // On the line of the rail, where there is one: it hides no text there, and is no second line beside it.
    let line = app.places().rail.map(|rail| rail.col).filter(|col| *col == area.right());
    let bar = match line {
        Some(col) => Rect { col, cols: 1, ..area },
        None => area.split_right(1).1,
    };
    draw_scrollbar(canvas, bar, look.mode.top(), look.mode.document().len(), &app.skin);
    Some(cursor.filter(|_| look.manner == LookBackManner::Keys))
}

/// The status line while one looks back; false if one does not.
pub(super) fn draw_status(canvas: &mut Canvas, area: Rect, app: &InterfaceState) -> Option<Option<CanvasCursor>> {
    let look = app.looking.get(&here(app)?)?;
    let skin = &app.skin;
    if let Some((direction, input)) = look.mode.prompt() {
        let prompt = if direction == SearchDirection::Down { " search forward: " } else { " search backward: " };
        let (sign, rest) = area.split_left(prompt.len() as u16);
        canvas.draw_line(sign, 0, &[Span::new(prompt, skin.style(SkinRole::Accent))], skin.style(SkinRole::Input));
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
    draw_status_line(canvas, area, &left, &[Span::new(hint, skin.style(SkinRole::Muted))], skin);
    Some(None)
}
