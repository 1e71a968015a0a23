//! Text selection: by character, word or line, across wrapped rows, never splitting a wide character.

use std::{
    ops::Range,
    time::{Duration, Instant},
};

use vt::{Position, Style};

use crate::{
    document::{Document, DocumentPoint},
    pane::PaneMark,
};

/// Maximum bytes of a copied text.
const MAX_COPY: usize = 8 << 20;

/// The unit of a selection: one click, two, three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SelectionUnit {
    #[default]
    Character,
    Word,
    Line,
}

/// Two presses within this time are a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(400);

/// Tells double and triple clicks from single ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClickCounter {
    last: Option<(Instant, Position)>,
    count: u8,
}

impl ClickCounter {
    /// Takes a press at `at` and returns the unit to select by. A fourth press starts over.
    pub fn press(&mut self, at: Position, now: Instant) -> SelectionUnit {
        let again = self.last.is_some_and(|(when, place)| place == at && now.duration_since(when) <= DOUBLE_CLICK);
        self.count = if again { self.count % 3 + 1 } else { 1 };
        self.last = Some((now, at));
        match self.count {
            1 => SelectionUnit::Character,
            2 => SelectionUnit::Word,
            _ => SelectionUnit::Line,
        }
    }
}

/// A selection from its start to its current end, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextSelection {
    pub anchor: DocumentPoint,
    pub head: DocumentPoint,
    pub unit: SelectionUnit,
}

impl TextSelection {
    pub fn new(at: DocumentPoint, unit: SelectionUnit) -> Self {
        TextSelection { anchor: at, head: at, unit }
    }

    /// The first point, and the one after the last.
    pub fn bounds(&self, document: &Document) -> (DocumentPoint, DocumentPoint) {
        let (first, last) = (self.anchor.min(self.head), self.anchor.max(self.head));
        match self.unit {
            SelectionUnit::Character => {
                let start = document.cell_at(first).0.start;
                let end = document.cell_at(last).0.end;
                (DocumentPoint { col: start, ..first }, DocumentPoint { col: end, ..last })
            }
            SelectionUnit::Word => (word_at(document, first).0, word_at(document, last).1),
            SelectionUnit::Line => {
                let first = document.line_of(first.row).start;
                let last = document.line_of(last.row).end - 1;
                (DocumentPoint { row: first, col: 0 }, DocumentPoint { row: last, col: u32::from(document.cols()) })
            }
        }
    }

    /// The selected columns of a row.
    pub fn cols(&self, document: &Document, row: usize) -> Option<Range<u32>> {
        let (start, end) = self.bounds(document);
        if !(start.row..=end.row).contains(&row) {
            return None;
        }
        let from = if row == start.row { start.col } else { 0 };
        let to = if row == end.row { end.col } else { u32::from(document.cols()) };
        (from < to).then_some(from..to)
    }

    /// The marks of a pane that shows `rows` rows from `top`.
    pub fn marks(&self, document: &Document, top: usize, rows: u16, style: Style) -> Vec<PaneMark> {
        (0..rows)
            .filter_map(|row| Some(PaneMark { row, cols: self.cols(document, top + usize::from(row))?, style }))
            .collect()
    }

    /// The selected text: wrapped rows are joined, trailing blanks are left out.
    pub fn text(&self, document: &Document) -> String {
        let (start, end) = self.bounds(document);
        let mut out = String::new();
        for row in start.row..=end.row.min(document.len().saturating_sub(1)) {
            let Some(cols) = self.cols(document, row) else { continue };
            let from = out.len();
            for cell in document.cells(row).filter(|cell| cols.contains(&cell.col)) {
                out.push_str(cell.text);
            }
            let runs_on = document.runs_on(row);
            if !runs_on {
                let kept = out[from..].trim_end_matches(' ').len();
                out.truncate(from + kept);
            }
            if !runs_on && row < end.row {
                out.push('\n');
            }
            if out.len() > MAX_COPY {
                break;
            }
        }
        if self.unit == SelectionUnit::Line {
            out.push('\n');
        }
        out
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CharClass {
    Blank,
    Word,
    Other,
}

/// Paths, URLs and names with punctuation count as one word, since people double-click them.
pub(crate) fn class(text: &str) -> CharClass {
    match text.chars().next() {
        None | Some(' ' | '\u{a0}') => CharClass::Blank,
        Some(c) if c.is_alphanumeric() || "_-./~:@%+?&=#".contains(c) => CharClass::Word,
        Some(_) => CharClass::Other,
    }
}

/// The word around `at`, across wrapped rows: its first point, and the one after its last.
fn word_at(document: &Document, at: DocumentPoint) -> (DocumentPoint, DocumentPoint) {
    let (cols, text) = document.cell_at(at);
    let kind = class(text);
    let mut start = DocumentPoint { col: cols.start, ..at };
    let mut end = DocumentPoint { col: cols.end, ..at };
    // Bounds the work: a double click in a line of a megabyte must not stall.
    for _ in 0..100_000 {
        let before = match start.col {
            0 if start.row > 0 && document.runs_on(start.row - 1) => {
                let row = start.row - 1;
                DocumentPoint { row, col: document.cells(row).last().map_or(0, |cell| cell.col) }
            }
            0 => break,
            col => DocumentPoint { col: col - 1, ..start },
        };
        let (cols, text) = document.cell_at(before);
        if class(text) != kind {
            break;
        }
        start = DocumentPoint { col: cols.start, ..before };
    }
    for _ in 0..100_000 {
        let width = document.cells(end.row).last().map_or(0, |cell| cell.col + cell.width);
        let after = match end.col >= width {
            true if document.runs_on(end.row) => DocumentPoint { row: end.row + 1, col: 0 },
            true => break,
            false => end,
        };
        let (cols, text) = document.cell_at(after);
        if class(text) != kind {
            break;
        }
        end = DocumentPoint { col: cols.end, ..after };
    }
    (start, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presses_are_counted_at_one_place_and_time() {
        let mut clicks = ClickCounter::default();
        let start = Instant::now();
        let mut press = |col, after| clicks.press(Position { row: 0, col }, start + Duration::from_millis(after));
        assert_eq!(
            [press(1, 0), press(1, 100), press(1, 200)],
            [SelectionUnit::Character, SelectionUnit::Word, SelectionUnit::Line]
        );
        assert_eq!([press(1, 300), press(2, 350), press(2, 2000)], [SelectionUnit::Character; 3]);
    }
}
