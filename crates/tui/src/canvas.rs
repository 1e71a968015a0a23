//! The canvas: a grid of cells that widgets draw on, kept from one frame to the next.
//!
//! Writing a value that a cell already holds is not a change, so redrawing the same content costs nothing downstream:
//! each row carries a stamp that moves only when one of its cells changes, and panes and the writer skip rows by it.
//! The canvas does not know where it is shown.

mod cell;
mod draw;
mod memory;

use vt::{CursorShape, Position, Size};

pub use cell::{CanvasCell, CellLink, CellText};
pub use draw::text_cols;
pub use draw::{BoxLines, Span};
pub(crate) use memory::{PaneMemory, RowMemory};

/// Where the host's own cursor goes, and how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanvasCursor {
    pub position: Position,
    pub shape: CursorShape,
    pub blinking: bool,
}

#[derive(Debug)]
pub(crate) struct CanvasRow {
    pub(crate) cells: Vec<CanvasCell>,
    /// The canvas's change counter at this row's last change.
    pub(crate) stamp: u64,
}

/// A grid of cells. Each wide character owns two: the second one is empty.
#[derive(Debug)]
pub struct Canvas {
    size: Size,
    rows: Vec<CanvasRow>,
    clock: u64,
    cursor: Option<CanvasCursor>,
    memory: memory::CanvasMemory,
}

impl Canvas {
    /// A blank canvas. Sizes beyond a terminal's maximum are clamped; zero is allowed.
    pub fn new(size: Size) -> Self {
        let mut canvas = Canvas {
            size: Size::new(0, 0),
            rows: Vec::new(),
            clock: 0,
            cursor: None,
            memory: memory::CanvasMemory::default(),
        };
        canvas.resize(size);
        canvas
    }

    pub fn size(&self) -> Size {
        self.size
    }

    /// Clears the canvas and gives it a new size. Does nothing if the size is the same.
    pub fn resize(&mut self, size: Size) {
        let size = Size { cols: size.cols.min(Size::MAX.cols), rows: size.rows.min(Size::MAX.rows) };
        if size == self.size {
            return;
        }
        self.size = size;
        self.clock += 1;
        let stamp = self.clock;
        self.rows = (0..size.rows)
            .map(|_| CanvasRow { cells: vec![CanvasCell::BLANK; usize::from(size.cols)], stamp })
            .collect();
        self.memory = memory::CanvasMemory::default();
        self.cursor = None;
    }

    /// The cell at `at`; `None` outside.
    pub fn cell(&self, at: Position) -> Option<&CanvasCell> {
        self.rows.get(usize::from(at.row))?.cells.get(usize::from(at.col))
    }

    pub fn cursor(&self) -> Option<CanvasCursor> {
        self.cursor
    }

    /// Shows the cursor. It is hidden for `None` and for a place outside of the canvas.
    pub fn set_cursor(&mut self, cursor: Option<CanvasCursor>) {
        self.cursor = cursor.filter(|cursor| self.cell(cursor.position).is_some());
    }

    /// The rows as text, trailing blanks trimmed: for tests and screen readers.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for row in &self.rows {
            let start = out.len();
            row.cells.iter().filter(|cell| cell.width > 0).for_each(|cell| cell.text.push_to(&mut out));
            let end = out[start..].trim_end_matches(' ').len();
            out.truncate(start + end);
            out.push('\n');
        }
        out
    }

    pub(crate) fn rows(&self) -> &[CanvasRow] {
        &self.rows
    }

    pub(crate) fn stamp(&self, row: u16) -> u64 {
        self.rows[usize::from(row)].stamp
    }

    pub(crate) fn memory(&mut self, slot: u64) -> &mut PaneMemory {
        self.memory.slot(slot)
    }

    /// Writes one cell of one or two columns. A wide character that is cut in half by it becomes blank. The caller
    /// makes sure that the cell fits.
    pub(crate) fn put(&mut self, row: u16, col: u16, cell: CanvasCell) {
        let row = &mut self.rows[usize::from(row)];
        let col = usize::from(col);
        let width = usize::from(cell.width);
        debug_assert!((1..=2).contains(&width) && col + width <= row.cells.len());
        if row.cells[col] == cell {
            return;
        }
        self.clock += 1;
        row.stamp = self.clock;
        if row.cells[col].width == 0 && col > 0 {
            row.cells[col - 1].clear_text();
        }
        let last = col + width - 1;
        if row.cells[last].width == 2 && last + 1 < row.cells.len() {
            row.cells[last + 1].clear_text();
        }
        if width == 2 {
            row.cells[last] = cell.right_half();
        }
        row.cells[col] = cell;
    }
}
