//! A frozen text to look around in: the history, followed by the screen as it was. Scrolling, selecting and copy mode
//! work on it while the child goes on printing.

use std::{ops::Range, sync::Arc};

use vt::{Frame, Line};

use crate::pane::PaneRow;

/// A place in a document: its row from the top, and its column from the left edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentPoint {
    pub row: usize,
    pub col: u32,
}

#[derive(Clone, Debug)]
struct DocumentRow {
    line: Arc<Line>,
    cols: Range<u32>,
    /// Whether the text continues in the next row without a line break.
    runs_on: bool,
}

/// A cell of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DocumentCell<'a> {
    /// Columns from the row's left edge.
    pub(crate) col: u32,
    pub(crate) width: u32,
    pub(crate) text: &'a str,
}

/// Rows of one width: the wrapped history, then the screen's rows.
#[derive(Clone, Debug)]
pub struct Document {
    rows: Vec<DocumentRow>,
    cols: u16,
    screen: usize,
}

impl Document {
    /// `history` holds the logical lines above the screen, oldest first; they are wrapped to the screen's width. If the
    /// screen's first row continues a line, `open` is the part of that line above the screen.
    pub fn new(history: impl IntoIterator<Item = Arc<Line>>, open: Option<Arc<Line>>, frame: &Frame) -> Self {
        let cols = frame.size.cols.max(1);
        let mut rows = Vec::new();
        for line in history {
            wrap(&line, u32::from(cols), &mut rows);
        }
        if let Some(open) = open {
            wrap(&open, u32::from(cols), &mut rows);
            rows.last_mut().expect("a line has a row").runs_on = true;
        }
        let screen = rows.len();
        rows.extend(frame.rows.iter().map(|line| DocumentRow {
            line: Arc::clone(line),
            cols: 0..u32::from(cols),
            runs_on: line.wrapped(),
        }));
        Document { rows, cols, screen }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn cols(&self) -> u16 {
        self.cols
    }

    /// The first row of the screen; the rows above it are history.
    pub fn screen_top(&self) -> usize {
        self.screen
    }

    /// The number of logical lines above the one that contains `row`.
    pub fn line_at(&self, row: usize) -> usize {
        self.rows.iter().take(row).filter(|row| !row.runs_on).count()
    }

    /// The first row of a logical line, counted from the top; the last row if there are fewer lines.
    pub fn row_of_line(&self, line: usize) -> usize {
        let ends = self.rows.iter().enumerate().filter(|(_, row)| !row.runs_on).map(|(row, _)| row + 1);
        let first = std::iter::once(0).chain(ends).nth(line);
        first.unwrap_or(usize::MAX).min(self.rows.len().saturating_sub(1))
    }

    /// Up to `count` rows from `top`, for a pane.
    pub fn pane_rows(&self, top: usize, count: u16) -> Vec<PaneRow> {
        let rows = self.rows.iter().skip(top).take(usize::from(count));
        rows.map(|row| PaneRow { line: Arc::clone(&row.line), cols: row.cols.clone() }).collect()
    }

    /// Whether the text of `row` continues in the next row.
    pub(crate) fn runs_on(&self, row: usize) -> bool {
        self.rows.get(row).is_some_and(|row| row.runs_on) && row + 1 < self.rows.len()
    }

    pub(crate) fn cells(&self, row: usize) -> impl Iterator<Item = DocumentCell<'_>> {
        self.rows.get(row).into_iter().flat_map(|row| {
            let Range { start, end } = row.cols;
            let cells = row.line.cells().skip_while(move |cell| cell.col < start);
            cells.take_while(move |cell| cell.col < end).map(move |cell| DocumentCell {
                col: cell.col - start,
                width: cell.width,
                text: cell.text,
            })
        })
    }

    /// The column after the last cell that is not blank.
    pub(crate) fn text_end(&self, row: usize) -> u32 {
        self.cells(row).filter(|cell| cell.text != " ").last().map_or(0, |cell| cell.col + cell.width)
    }

    /// Start and end column of the cell at `at`, and its text; one blank column where there is no cell.
    pub(crate) fn cell_at(&self, at: DocumentPoint) -> (Range<u32>, &str) {
        let covering = self.cells(at.row).find(|cell| (cell.col..cell.col + cell.width).contains(&at.col));
        covering.map_or((at.col..at.col + 1, " "), |cell| (cell.col..cell.col + cell.width, cell.text))
    }

    /// The rows of the logical line that contains `row`.
    pub(crate) fn line_of(&self, row: usize) -> Range<usize> {
        let mut first = row;
        while first > 0 && self.runs_on(first - 1) {
            first -= 1;
        }
        let mut last = row;
        while self.runs_on(last) {
            last += 1;
        }
        first..last + 1
    }
}

/// Wraps a logical line into rows; a wide character is never split.
fn wrap(line: &Arc<Line>, cols: u32, rows: &mut Vec<DocumentRow>) {
    let (mut start, mut end) = (0, 0);
    for cell in line.cells() {
        if cell.col + cell.width > start + cols && cell.col > start {
            rows.push(DocumentRow { line: Arc::clone(line), cols: start..cell.col, runs_on: true });
            start = cell.col;
        }
        end = cell.col + cell.width;
    }
    rows.push(DocumentRow { line: Arc::clone(line), cols: start..end.max(start), runs_on: false });
}
