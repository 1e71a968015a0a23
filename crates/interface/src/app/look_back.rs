//! Looking back in a session: scrolling by wheel, copy mode by keys, selecting with the mouse.
//!
//! The text is a snapshot from when looking back began: it stays while the program goes on printing, and while the
//! person looks at other sessions. The motions and the search are in `tui`.

use crate::layout::PanePlace;
use engine::SessionId;
use tui::{
    Canvas, CanvasCursor, CopyMode, CopyOutcome, Document, HostEvent, Rect, SearchDirection, SelectionUnit, Sign,
    SkinRole, Span,
    host::copy_to_clipboard,
    widgets::{draw_scrollbar, draw_status_line},
};
use vt::{
    Position,
    input::{Key, KeyEvent, KeyEventKind, MouseEvent},
};

use super::{
    frame,
    model::{HostOrder, InterfaceState, LoopTask},
    sources::{SessionHandle, SessionText},
};

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

impl SessionLookBack {
    /// How many columns are out of sight to the left: keys reach all of a text that is wider than its pane.
    fn left(&self, area: Rect) -> u16 {
        let col = u16::try_from(self.mode.cursor().col).unwrap_or(u16::MAX);
        match self.manner {
            LookBackManner::Keys => col.saturating_add(1).saturating_sub(area.cols),
            LookBackManner::Mouse => 0,
        }
    }
}

/// What is to be done with a session's text once it has come.
pub(super) struct AwaitedText {
    manner: LookBackManner,
    then: Vec<LoopTask>,
}

/// Starts looking back, unless it is on already.
pub(super) fn begin(app: &mut InterfaceState, manner: LookBackManner) {
    if let Some(id) = here(app) {
        begin_in(app, id, manner, |_| {});
    }
}

/// Starts looking back, unless it is on already, and then continues with `then`: at once where the text is at hand, and
/// else when it has come.
fn begin_in(
    app: &mut InterfaceState,
    id: SessionId,
    manner: LookBackManner,
    then: impl FnOnce(&mut InterfaceState) + Send + 'static,
) {
    let Some(session) = app.sessions.get(id).map(|item| item.session.clone()) else { return };
    if is_on(app, id) {
        go_on(app, id, manner);
        return then(app);
    }
    if let Some(text) = session.text() {
        open(app, id, manner, text);
        return then(app);
    }
    if let Some(awaited) = app.texts_asked.get_mut(&id) {
        if manner == LookBackManner::Keys {
            awaited.manner = manner;
        }
        return awaited.then.push(Box::new(then));
    }
    app.texts_asked.insert(id, AwaitedText { manner, then: vec![Box::new(then)] });
    let loop_tasks = app.loop_tasks();
    app.tasks.spawn_blocking(move || {
        let text = session.fetch_text();
        let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| {
            let awaited = app.texts_asked.remove(&id).filter(|_| app.sessions.get(id).is_some());
            match text {
                Ok(text) => {
                    let Some(awaited) = awaited else { return };
                    open(app, id, awaited.manner, text);
                    awaited.then.into_iter().for_each(|then| then(app));
                }
                Err(why) => app.toast(Sign::Failed, format!("its history can't be read: {why}")),
            }
        }));
    });
}

fn open(app: &mut InterfaceState, id: SessionId, manner: LookBackManner, text: SessionText) {
    let cursor = text.frame.cursor.position;
    let rows = rows_of(app, id);
    let mode = CopyMode::new(document(&text), cursor, rows);
    app.looking.insert(id, SessionLookBack { manner, mode, first: text.first });
    app.dirty = true;
}

/// After scrolling with the mouse, keys take over at the same place.
fn go_on(app: &mut InterfaceState, id: SessionId, manner: LookBackManner) {
    let rows = rows_of(app, id);
    if let Some(look) = app.looking.get_mut(&id) {
        if manner == LookBackManner::Keys {
            look.manner = manner;
        }
        look.mode.set_rows(rows);
    }
    app.dirty = true;
}

fn area_of(app: &InterfaceState, id: SessionId) -> Rect {
    frame::pane_places(app).of(id).map_or(app.places().pane, |place| place.body)
}

fn rows_of(app: &InterfaceState, id: SessionId) -> u16 {
    area_of(app, id).rows
}

fn document(text: &SessionText) -> Document {
    Document::new(text.lines.iter().cloned(), text.open.clone(), &text.frame)
}

/// After a resize: the text is wrapped again, and the same line stays in view.
pub(super) fn resized(app: &mut InterfaceState, session: &SessionHandle, rows: u16) {
    let Some(look) = app.looking.get_mut(&session.id()) else { return };
    look.mode.set_rows(rows);
    // A text that would have to be fetched again stays as it is.
    if let Some(text) = session.text().filter(|text| text.frame.size.cols != look.mode.document().cols()) {
        let line = look.first + look.mode.document().line_at(look.mode.top()) as u64;
        look.first = text.first;
        look.mode.replace(document(&text), usize::try_from(line.saturating_sub(text.first)).unwrap_or(usize::MAX));
    }
    app.dirty = true;
}

/// Starts looking back with a search.
pub(super) fn search(app: &mut InterfaceState) {
    let Some(id) = here(app) else { return };
    begin_in(app, id, LookBackManner::Keys, move |app| {
        let area = area_of(app, id);
        if let Some(look) = app.looking.get_mut(&id) {
            look.mode.update(&HostEvent::Key(KeyEvent::press('?')), area);
        }
    });
}

/// Looks back at a line, with the matches of `pattern` marked. One that has gone meanwhile is the oldest there is.
pub(super) fn go_to_line(app: &mut InterfaceState, line: u64, pattern: &str) {
    // What one looked at before may be older than the line.
    end(app);
    let Some(id) = here(app) else { return };
    let pattern = pattern.to_owned();
    begin_in(app, id, LookBackManner::Keys, move |app| {
        if let Some(look) = app.looking.get_mut(&id) {
            let line = line.saturating_sub(look.first);
            look.mode.go_to_match(usize::try_from(line).unwrap_or(usize::MAX), &pattern);
        }
    });
}

fn here(app: &InterfaceState) -> Option<SessionId> {
    app.session_id()
}

/// Returns to the live screen.
pub(super) fn end(app: &mut InterfaceState) {
    if let Some(id) = here(app) {
        end_in(app, id);
    }
}

fn end_in(app: &mut InterfaceState, id: SessionId) {
    app.looking.remove(&id);
    app.dirty = true;
}

/// Whether the session in sight is looked back on.
pub(super) fn is_here(app: &InterfaceState) -> bool {
    here(app).is_some_and(|id| is_on(app, id))
}

pub(super) fn is_on(app: &InterfaceState, id: SessionId) -> bool {
    app.looking.contains_key(&id)
}

/// The wheel over a main screen. Scrolling to the end returns to the live screen.
pub(super) fn wheel(app: &mut InterfaceState, id: SessionId, rows: i32) {
    if rows > 0 && !is_on(app, id) {
        return;
    }
    begin_in(app, id, LookBackManner::Mouse, move |app| {
        let Some(look) = app.looking.get_mut(&id) else { return };
        look.mode.scroll(rows as isize);
        let back = look.mode.at_end() && look.manner == LookBackManner::Mouse && look.mode.selection().is_none();
        if back {
            app.looking.remove(&id);
        }
    });
}

/// A mouse press that starts a selection.
pub(super) fn select(app: &mut InterfaceState, at: Position, unit: SelectionUnit) {
    let Some(id) = here(app) else { return };
    begin_in(app, id, LookBackManner::Mouse, move |app| {
        let area = area_of(app, id);
        if let Some(look) = app.looking.get_mut(&id) {
            let point = look.mode.point_at(at, area);
            look.mode.select_at(point, unit);
        }
    });
}

/// Mouse motion and release during a selection.
pub(super) fn mouse(app: &mut InterfaceState, event: &HostEvent) {
    if let Some(id) = here(app) {
        mouse_in(app, id, event);
    }
}

fn mouse_in(app: &mut InterfaceState, id: SessionId, event: &HostEvent) {
    if let Some(awaited) = app.texts_asked.get_mut(&id) {
        let event = event.clone();
        return awaited.then.push(Box::new(move |app| mouse_in(app, id, &event)));
    }
    let area = area_of(app, id);
    if let Some(look) = app.looking.get_mut(&id) {
        let outcome = look.mode.update(&shifted(event, look.left(area)), area);
        concluded(app, id, outcome);
    }
}

/// The event at its place in the text, of which the first columns are out of sight.
fn shifted(event: &HostEvent, left: u16) -> HostEvent {
    match event {
        HostEvent::Mouse(mouse) => HostEvent::Mouse(MouseEvent { col: mouse.col.saturating_add(left), ..*mouse }),
        event => event.clone(),
    }
}

/// A key while looking back; false if it is meant for the program.
pub(super) fn key(app: &mut InterfaceState, key: &KeyEvent) -> bool {
    here(app).is_some_and(|id| key_in(app, id, key))
}

fn key_in(app: &mut InterfaceState, id: SessionId, key: &KeyEvent) -> bool {
    let for_us = |manner| manner == LookBackManner::Keys || matches!(key.key, Key::PageUp | Key::PageDown);
    let passes = key.kind == KeyEventKind::Release || matches!(key.key, Key::Modifier(_));
    if let Some(awaited) = app.texts_asked.get_mut(&id) {
        if for_us(awaited.manner) {
            let key = key.clone();
            awaited.then.push(Box::new(move |app| {
                key_in(app, id, &key);
            }));
            return true;
        }
        if !passes {
            // Typing ends what the mouse began, also before it is seen.
            app.texts_asked.remove(&id);
        }
        return false;
    }
    let area = area_of(app, id);
    let Some(look) = app.looking.get_mut(&id) else { return false };
    if !for_us(look.manner) {
        if passes {
            return false;
        }
        end_in(app, id);
        return key.key == Key::Escape;
    }
    let outcome = look.mode.update(&HostEvent::Key(key.clone()), area);
    concluded(app, id, outcome);
    app.dirty = true;
    true
}

/// A paste while looking back; false if it is meant for the program.
pub(super) fn paste(app: &mut InterfaceState, text: &str) -> bool {
    here(app).is_some_and(|id| paste_in(app, id, text))
}

fn paste_in(app: &mut InterfaceState, id: SessionId, text: &str) -> bool {
    if let Some(awaited) = app.texts_asked.get_mut(&id) {
        if awaited.manner == LookBackManner::Mouse {
            app.texts_asked.remove(&id);
            return false;
        }
        let text = text.to_owned();
        awaited.then.push(Box::new(move |app| {
            paste_in(app, id, &text);
        }));
        return true;
    }
    let area = area_of(app, id);
    match app.looking.get_mut(&id) {
        Some(look) if look.manner == LookBackManner::Keys => {
            look.mode.update(&HostEvent::Paste(text.to_owned()), area);
            app.dirty = true;
            true
        }
        Some(_) => {
            end_in(app, id);
            false
        }
        None => false,
    }
}

fn concluded(app: &mut InterfaceState, id: SessionId, outcome: CopyOutcome) {
    app.dirty = true;
    let Some(look) = app.looking.get(&id) else { return };
    let (by_mouse, at_end) = (look.manner == LookBackManner::Mouse, look.mode.at_end());
    let selects = look.mode.selection().is_some();
    match outcome {
        // A click that selected nothing changes nothing.
        CopyOutcome::Passed | CopyOutcome::Taken if by_mouse && at_end && !selects => end_in(app, id),
        CopyOutcome::Passed | CopyOutcome::Taken => {}
        CopyOutcome::Closed => end_in(app, id),
        CopyOutcome::Copied(text) => {
            copy(app, text);
            if !by_mouse || at_end {
                end_in(app, id);
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
    let part = Position { row: 0, col: look.left(place.body) };
    let cursor = look.mode.view(&marks).cropped(part).draw(canvas, place.body, slot);
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
        canvas.draw_line(right, 0, &mark, skin.style(SkinRole::Input));
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
