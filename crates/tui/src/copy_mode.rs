//! Copy mode: scrolling in a document, vi's motions, selecting and searching.

mod motion;
mod search;

use vt::{
    Cursor, CursorShape, Position,
    input::{Key, KeyEvent, KeyEventKind, Modifiers, MouseButton, MouseEventKind, WheelDirection},
};

use crate::{
    document::{Document, DocumentPoint},
    event::HostEvent,
    geometry::Rect,
    pane::{PaneMark, PaneView},
    selection::{SelectionUnit, TextSelection},
    skin::{Skin, SkinRole},
    widgets::{InputOutcome, LineInput},
};
use search::DocumentSearch;

pub use search::plain_text_pattern;

/// Rows per step of the mouse wheel.
const WHEEL_ROWS: usize = 3;

/// The effect of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyOutcome {
    Passed,
    Taken,
    /// This text was copied, and copy mode is over.
    Copied(String),
    Closed,
}

/// Which way a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchDirection {
    Down,
    Up,
}

/// A document, the position in it, and what is selected and searched for.
#[derive(Clone, Debug)]
pub struct CopyMode {
    document: Document,
    cursor: DocumentPoint,
    top: usize,
    rows: u16,
    selection: Option<TextSelection>,
    dragging: bool,
    prompt: Option<(SearchDirection, LineInput)>,
    search: Option<DocumentSearch>,
    notice: Option<&'static str>,
}

impl CopyMode {
    /// Starts where the screen is, on its cursor. `rows` is the pane's height.
    pub fn new(document: Document, cursor: Position, rows: u16) -> Self {
        let rows = rows.max(1);
        let top = document.screen_top().min(document.len().saturating_sub(usize::from(rows)));
        let row = (document.screen_top() + usize::from(cursor.row)).min(document.len().saturating_sub(1));
        let mut mode = CopyMode {
            document,
            cursor: DocumentPoint { row, col: u32::from(cursor.col) },
            top,
            rows,
            selection: None,
            dragging: false,
            prompt: None,
            search: None,
            notice: None,
        };
        mode.go(mode.cursor);
        mode
    }

    pub fn document(&self) -> &Document {
        &self.document
    }

    pub fn cursor(&self) -> DocumentPoint {
        self.cursor
    }

    /// The first row in sight.
    pub fn top(&self) -> usize {
        self.top
    }

    pub fn selection(&self) -> Option<&TextSelection> {
        self.selection.as_ref()
    }

    /// The search text while it is being typed after `/` or `?`.
    pub fn prompt(&self) -> Option<(SearchDirection, &LineInput)> {
        self.prompt.as_ref().map(|(direction, input)| (*direction, input))
    }

    /// The position, and what the search found, for the status line.
    pub fn status(&self) -> String {
        let place = format!("row {} of {}", self.cursor.row + 1, self.document.len());
        match (&self.notice, &self.search) {
            (Some(notice), _) => format!("{notice} · {place}"),
            (None, Some(search)) => format!("{} · {place}", search.status()),
            (None, None) => place,
        }
    }

    /// Sets the pane's new height.
    pub fn set_rows(&mut self, rows: u16) {
        self.rows = rows.max(1);
        self.go(self.cursor);
    }

    /// Replaces the text by the same text wrapped to another width, starting at its logical line `line`. The selection
    /// is dropped, and the search is run again.
    pub fn replace(&mut self, document: Document, line: usize) {
        self.search = self.search.as_ref().map(|search| search.again(&document));
        self.document = document;
        self.selection = None;
        self.dragging = false;
        self.top = self.document.row_of_line(line).min(self.document.len().saturating_sub(usize::from(self.rows)));
        self.move_to(DocumentPoint { row: self.top, col: 0 });
    }

    /// Goes to the first match of `pattern` from the logical line `line` on, with a view of what is around it, as after a
    /// search.
    pub fn go_to_match(&mut self, line: usize, pattern: &str) {
        let row = self.document.row_of_line(line).min(self.document.len().saturating_sub(1));
        let mut search = DocumentSearch::new(&self.document, pattern, SearchDirection::Down);
        let at = DocumentPoint { row, col: 0 };
        let found = search.first_from(at).unwrap_or(at);
        self.search = Some(search);
        let last = self.document.len().saturating_sub(usize::from(self.rows));
        self.top = found.row.saturating_sub(usize::from(self.rows) / 2).min(last);
        self.go(found);
    }

    /// The document's point shown at `at` when the pane is drawn at `area`; the nearest point for positions outside.
    pub fn point_at(&self, at: Position, area: Rect) -> DocumentPoint {
        let row = at.row.saturating_sub(area.row).min(area.rows.saturating_sub(1));
        let col = at.col.saturating_sub(area.col).min(area.cols.saturating_sub(1));
        DocumentPoint {
            row: (self.top + usize::from(row)).min(self.document.len().saturating_sub(1)),
            col: u32::from(col),
        }
    }

    /// Starts a selection, as a mouse press does; [`ClickCounter`](crate::ClickCounter) tells the unit. Dragging
    /// extends it, and the release copies.
    pub fn select_at(&mut self, at: DocumentPoint, unit: SelectionUnit) {
        self.go(at);
        self.selection = Some(TextSelection::new(at, unit));
        self.dragging = true;
    }

    /// Scrolls, and moves the cursor only as far as needed to keep it in sight.
    pub fn scroll(&mut self, by: isize) {
        let last = self.document.len().saturating_sub(usize::from(self.rows));
        self.top = self.top.saturating_add_signed(by).min(last);
        let bottom = self.top + usize::from(self.rows) - 1;
        let row = self.cursor.row.clamp(self.top, bottom.min(self.document.len().saturating_sub(1)));
        self.move_to(DocumentPoint { row, ..self.cursor });
    }

    /// Whether the end of the document is in sight, so that returning to the live screen skips nothing.
    pub fn at_end(&self) -> bool {
        self.top + usize::from(self.rows) >= self.document.len()
    }

    /// `area` is where the pane is drawn.
    pub fn update(&mut self, event: &HostEvent, area: Rect) -> CopyOutcome {
        match event {
            HostEvent::Key(key) if key.kind == KeyEventKind::Release => CopyOutcome::Passed,
            HostEvent::Key(key) => {
                self.notice = None;
                match self.prompt.is_some() {
                    true => self.prompt_key(key),
                    false => self.key(key),
                }
            }
            HostEvent::Paste(text) => {
                if let Some((_, input)) = &mut self.prompt {
                    input.insert(text);
                }
                CopyOutcome::Taken
            }
            HostEvent::Mouse(mouse) => {
                let point = self.point_at(Position { row: mouse.row, col: mouse.col }, area);
                match mouse.kind {
                    MouseEventKind::Wheel(WheelDirection::Up) => self.scroll(-(WHEEL_ROWS as isize)),
                    MouseEventKind::Wheel(WheelDirection::Down) => self.scroll(WHEEL_ROWS as isize),
                    MouseEventKind::Press(MouseButton::Left)
                        if area.contains(Position { row: mouse.row, col: mouse.col }) =>
                    {
                        self.select_at(point, SelectionUnit::Character);
                    }
                    MouseEventKind::Motion(Some(MouseButton::Left)) => self.drag(point, mouse.row, area),
                    MouseEventKind::Release(MouseButton::Left) if self.dragging => {
                        self.dragging = false;
                        let wanted = |selected: TextSelection| {
                            selected.anchor != selected.head || selected.unit != SelectionUnit::Character
                        };
                        if self.selection.is_some_and(wanted) {
                            return self.copy();
                        }
                        self.selection = None;
                    }
                    _ => return CopyOutcome::Passed,
                }
                CopyOutcome::Taken
            }
            _ => CopyOutcome::Passed,
        }
    }

    /// Extends the selection to `point`; past the pane's edge the text scrolls.
    pub fn drag(&mut self, point: DocumentPoint, mouse_row: u16, area: Rect) {
        self.dragging = true;
        if mouse_row < area.row {
            self.scroll(-1);
        } else if mouse_row >= area.bottom() {
            self.scroll(1);
        }
        let row = point.row.min(self.document.len().saturating_sub(1));
        self.cursor = DocumentPoint { row, ..point };
        match &mut self.selection {
            Some(selection) => selection.head = self.cursor,
            None => self.selection = Some(TextSelection::new(self.cursor, SelectionUnit::Character)),
        }
    }

    fn key(&mut self, key: &KeyEvent) -> CopyOutcome {
        let ctrl = key.modifiers.contains(Modifiers::CTRL);
        let typed = key.typed().and_then(|text| text.chars().next());
        let rows = usize::from(self.rows);
        let half = (rows / 2).max(1) as isize;
        let page = rows.saturating_sub(2).max(1) as isize;
        let last = self.document.len().saturating_sub(1);
        match (key.key, typed) {
            (Key::Escape, _) if self.selection.is_some() => self.selection = None,
            (Key::Escape, _) | (_, Some('q')) => return CopyOutcome::Closed,
            (Key::Char('c'), _) if ctrl => return CopyOutcome::Closed,
            (Key::Enter, _) | (_, Some('y')) => return self.copy(),
            (Key::Char('u'), _) if ctrl => self.jump(-half),
            (Key::Char('d'), _) if ctrl => self.jump(half),
            (Key::Char('b'), _) if ctrl => self.jump(-page),
            (Key::Char('f'), _) if ctrl => self.jump(page),
            (Key::Char('e'), _) if ctrl => self.scroll(1),
            (Key::Char('y'), _) if ctrl => self.scroll(-1),
            (Key::PageUp, _) => self.jump(-page),
            (Key::PageDown, _) => self.jump(page),
            (Key::Left, _) | (_, Some('h')) => self.go(motion::left(&self.document, self.cursor)),
            (Key::Right, _) | (_, Some('l')) => self.go(motion::right(&self.document, self.cursor)),
            (Key::Up, _) | (_, Some('k')) => {
                self.go(DocumentPoint { row: self.cursor.row.saturating_sub(1), ..self.cursor })
            }
            (Key::Down, _) | (_, Some('j')) => {
                self.go(DocumentPoint { row: (self.cursor.row + 1).min(last), ..self.cursor })
            }
            (Key::Home, _) | (_, Some('0')) => self.go(DocumentPoint { col: 0, ..self.cursor }),
            (_, Some('^')) => self.go(motion::first_text(&self.document, self.cursor)),
            (Key::End, _) | (_, Some('$')) => self.go(DocumentPoint { col: u32::MAX, ..self.cursor }),
            (_, Some('w')) => self.go(motion::next_word(&self.document, self.cursor)),
            (_, Some('b')) => self.go(motion::word_start(&self.document, self.cursor)),
            (_, Some('e')) => self.go(motion::word_end(&self.document, self.cursor)),
            (_, Some('g')) => self.go(DocumentPoint::default()),
            (_, Some('G')) => self.go(DocumentPoint { row: last, col: 0 }),
            (_, Some('H')) => self.go(DocumentPoint { row: self.top, col: 0 }),
            (_, Some('M')) => self.go(DocumentPoint { row: (self.top + rows / 2).min(last), col: 0 }),
            (_, Some('L')) => self.go(DocumentPoint { row: (self.top + rows - 1).min(last), col: 0 }),
            (_, Some('{')) => self.go(motion::paragraph(&self.document, self.cursor, SearchDirection::Up)),
            (_, Some('}')) => self.go(motion::paragraph(&self.document, self.cursor, SearchDirection::Down)),
            (_, Some('v')) => self.select(SelectionUnit::Character),
            (_, Some('V')) => self.select(SelectionUnit::Line),
            (_, Some('o')) => {
                if let Some(selection) = &mut self.selection {
                    std::mem::swap(&mut selection.anchor, &mut selection.head);
                    let head = selection.head;
                    self.go(head);
                }
            }
            (_, Some('/')) => self.prompt = Some((SearchDirection::Down, LineInput::default())),
            (_, Some('?')) => self.prompt = Some((SearchDirection::Up, LineInput::default())),
            (_, Some('n')) => self.next_match(false),
            (_, Some('N')) => self.next_match(true),
            _ => return CopyOutcome::Taken,
        }
        CopyOutcome::Taken
    }

    fn select(&mut self, unit: SelectionUnit) {
        self.selection = match self.selection {
            Some(selection) if selection.unit == unit => None,
            Some(selection) => Some(TextSelection { unit, ..selection }),
            None => Some(TextSelection::new(self.cursor, unit)),
        };
    }

    fn copy(&mut self) -> CopyOutcome {
        match self.selection.take() {
            Some(selection) => CopyOutcome::Copied(selection.text(&self.document)),
            None => CopyOutcome::Closed,
        }
    }

    fn prompt_key(&mut self, key: &KeyEvent) -> CopyOutcome {
        let Some((direction, input)) = &mut self.prompt else { return CopyOutcome::Taken };
        let direction = *direction;
        match input.update(key) {
            InputOutcome::Submitted => {
                let pattern = input.text().to_owned();
                self.prompt = None;
                if !pattern.is_empty() {
                    self.search = Some(DocumentSearch::new(&self.document, &pattern, direction));
                }
                self.next_match(false);
            }
            InputOutcome::Cancelled => self.prompt = None,
            _ => {}
        }
        CopyOutcome::Taken
    }

    fn next_match(&mut self, reverse: bool) {
        let Some(search) = &mut self.search else {
            self.notice = Some("no search to repeat");
            return;
        };
        let Some((at, around)) = search.next(self.cursor, reverse) else {
            self.notice = Some("nothing found");
            return;
        };
        if around {
            self.notice = Some("search wrapped around");
        }
        self.go(at);
    }

    fn jump(&mut self, by: isize) {
        let last = self.document.len().saturating_sub(1);
        self.top = self.top.saturating_add_signed(by).min(self.document.len().saturating_sub(usize::from(self.rows)));
        self.go(DocumentPoint { row: self.cursor.row.saturating_add_signed(by).min(last), ..self.cursor });
    }

    /// Moves the cursor onto a cell, and scrolls it into sight.
    fn go(&mut self, to: DocumentPoint) {
        self.move_to(to);
        let rows = usize::from(self.rows);
        let first = (self.cursor.row + 1).saturating_sub(rows);
        self.top = self.top.clamp(first, self.cursor.row.max(first));
        self.top = self.top.min(self.document.len().saturating_sub(rows));
    }

    fn move_to(&mut self, to: DocumentPoint) {
        let row = to.row.min(self.document.len().saturating_sub(1));
        let last = self.document.text_end(row).saturating_sub(1);
        let col = self.document.cell_at(DocumentPoint { row, col: to.col.min(last) }).0.start;
        self.cursor = DocumentPoint { row, col };
        if let Some(selection) = &mut self.selection {
            selection.head = self.cursor;
        }
    }

    /// What the pane highlights: matches in sight, then the selection.
    pub fn marks(&self, skin: &Skin) -> Vec<PaneMark> {
        let mut marks = Vec::new();
        if let Some(search) = &self.search {
            let (all, here) = (skin.style(SkinRole::Match), skin.style(SkinRole::MatchCurrent));
            search.marks(&self.document, self.top, self.rows, self.cursor, all, here, &mut marks);
        }
        if let Some(selection) = &self.selection {
            marks.extend(selection.marks(&self.document, self.top, self.rows, skin.style(SkinRole::Selection)));
        }
        marks
    }

    /// The rows in sight, with `marks` and the cursor.
    pub fn view<'a>(&self, marks: &'a [PaneMark]) -> PaneView<'a> {
        let row = (self.cursor.row - self.top) as u16;
        let position = Position { row, col: self.cursor.col as u16 };
        let cursor = Cursor { position, visible: true, shape: CursorShape::Block, blinking: false };
        let rows = self.document.pane_rows(self.top, self.rows);
        PaneView::rows(rows, self.document.cols()).marked(marks).with_cursor(Some(cursor))
    }
}
