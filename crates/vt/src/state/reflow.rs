//! Changes the size: the main screen's lines are wrapped again, and the caret stays on its text.

use super::{Caret, ScrollMargins, TerminalState};
use crate::{
    cell::Cell,
    geometry::Size,
    grid::{Grid, GridRow},
    line::{Line, RunShape},
    modes::ModeFlags,
};

/// A logical line of the screen, as cells independent of the width.
#[derive(Debug, Default)]
struct Flow {
    cells: Vec<Cell>,
    /// The last row was marked as continuing although nothing followed.
    runs_on: bool,
}

/// A place in the text: a line, and an offset in cells. May be beyond the line's end.
#[derive(Clone, Copy, Debug)]
struct TextAnchor {
    line: usize,
    offset: usize,
    /// Right after a full row rather than at the start of the next.
    pending_wrap: bool,
}

impl TerminalState {
    pub(crate) fn resize(&mut self, size: Size) {
        if size == self.size {
            return;
        }
        // A frozen frame of the old size is useless, and its line numbers would no longer match history. The child
        // redraws in any case.
        // anew in any case.
        self.leave_synchronized();
        let alternate = self.on_alternate();
        let main =
            if alternate { self.other.take() } else { Some(std::mem::replace(&mut self.grid, Grid::new(Size::MIN))) };
        let shown = if alternate { self.saved[0].caret } else { self.caret };
        let stored = self.saved[0].caret;
        let main = main.unwrap_or_else(|| Grid::new(self.size));
        let (main, [shown, stored]) = self.reflow(main, size, [shown, stored]);

        self.saved[0].caret = stored;
        self.saved[1].caret = clamp(self.saved[1].caret, size);
        if alternate {
            self.saved[0].caret = shown;
            let shift = (self.caret.row + 1).saturating_sub(size.rows);
            self.grid.resize(size, shift);
            self.caret.row -= shift;
            self.other = Some(main);
        } else {
            self.caret = shown;
            self.grid = main;
            if let Some(other) = &mut self.other {
                other.resize(size, 0);
            }
        }
        self.size = size;
        self.caret = clamp(self.caret, size);
        self.margins = ScrollMargins::full(size);
        self.tabs.resize(size.cols);
        self.cluster = None;
        if self.has(ModeFlags::IN_BAND_RESIZE) {
            self.report_size_in_band();
        }
    }

    /// The grid at its new size, and the carets' new places. The first caret stays on the screen.
    fn reflow(&mut self, grid: Grid, size: Size, carets: [Caret; 2]) -> (Grid, [Caret; 2]) {
        let old = grid.size();
        let used = used_rows(&grid, carets[0]);
        let was_full = used == usize::from(old.rows);

        let (lines, anchors) = self.unwrap_rows(&grid.rows[..used], carets);
        let mut rows = Vec::new();
        let mut places = carets;
        for (index, line) in lines.into_iter().enumerate() {
            let first = rows.len();
            wrap_line(line, size.cols, &mut rows);
            for (anchor, place) in anchors.iter().zip(&mut places) {
                if anchor.line == index {
                    *place = locate(&rows[first..], *anchor, size.cols);
                    place.row += first as u16;
                }
            }
        }
        // Pad for a caret that stood below the last line.
        let caret_row = usize::from(places[0].row);
        rows.resize_with(rows.len().max(caret_row + 1), || GridRow::new(size.cols, Cell::BLANK));

        let height = usize::from(size.rows);
        let leaving = rows.len().saturating_sub(height).min(caret_row);
        for row in rows.drain(..leaving) {
            let tables =
                crate::history::CellTables { styles: &self.styles, clusters: &self.clusters, links: &self.links };
            self.history.push(&row, &tables);
        }
        let arriving = if was_full && leaving == 0 {
            self.take_back(height.saturating_sub(rows.len()), size.cols)
        } else {
            Vec::new()
        };
        let arrived = arriving.len();
        rows.splice(0..0, arriving);
        rows.truncate(height);
        rows.resize_with(height, || GridRow::new(size.cols, Cell::BLANK));
        if let Some(last) = rows.last_mut() {
            last.wrapped = false;
        }

        for place in &mut places {
            let row = (usize::from(place.row) + arrived).saturating_sub(leaving);
            place.row = row.min(height - 1) as u16;
            *place = clamp(*place, size);
        }
        let mut grid = grid;
        grid.replace(rows, size);
        (grid, places)
    }

    /// Joins rows that ran on, the part in history included.
    fn unwrap_rows(&mut self, rows: &[GridRow], carets: [Caret; 2]) -> (Vec<Flow>, [TextAnchor; 2]) {
        let mut anchors =
            carets.map(|caret| TextAnchor { line: usize::MAX, offset: 0, pending_wrap: caret.pending_wrap });
        let mut lines: Vec<Flow> = Vec::new();
        let mut current = Flow::default();
        if self.history.is_open()
            && let Some(line) = self.history.pop()
        {
            current.cells = self.cells_of_line(&line);
        }
        for (index, row) in rows.iter().enumerate() {
            for (caret, anchor) in carets.iter().zip(&mut anchors) {
                if usize::from(caret.row) == index {
                    anchor.line = lines.len();
                    let halved = row.cells.len() == 1 && row.cells[0].is_wide() && caret.pending_wrap;
                    anchor.offset = current.cells.len() + usize::from(caret.col) + usize::from(halved);
                }
            }
            let cells = if row.wrapped { &row.cells[..] } else { &row.cells[..row.used()] };
            for (col, &cell) in cells.iter().enumerate() {
                if cell.is_edge() && row.wrapped {
                    continue;
                }
                current.cells.push(cell);
                let paired = cells.get(col + 1).is_some_and(|next| next.is_spacer());
                if cell.is_wide() && !paired {
                    // One column was too narrow for the wide character; its second half is restored.
                    current.cells.push(Cell::spacer(cell.style));
                }
            }
            current.runs_on = row.wrapped;
            if !row.wrapped {
                lines.push(std::mem::take(&mut current));
            }
        }
        if !current.cells.is_empty() || current.runs_on {
            lines.push(current);
        }
        // A saved caret below the text keeps its distance from the end.
        for (caret, anchor) in carets.iter().zip(&mut anchors) {
            if anchor.line == usize::MAX {
                anchor.line = lines.len() + usize::from(caret.row).saturating_sub(rows.len());
                anchor.offset = usize::from(caret.col);
            }
        }
        (lines, anchors)
    }

    /// Rows to fill the top of a screen that grew, from history's newest lines.
    fn take_back(&mut self, wanted: usize, cols: u16) -> Vec<GridRow> {
        let mut rows: Vec<GridRow> = Vec::new();
        while rows.len() < wanted {
            let Some(line) = self.history.pop() else { break };
            let cells = self.cells_of_line(&line);
            let mut older = Vec::new();
            wrap_line(Flow { cells, runs_on: false }, cols, &mut older);
            older.append(&mut rows);
            rows = older;
        }
        let surplus = rows.len().saturating_sub(wanted);
        for row in rows.drain(..surplus) {
            let tables =
                crate::history::CellTables { styles: &self.styles, clusters: &self.clusters, links: &self.links };
            self.history.push(&row, &tables);
        }
        rows
    }

    /// Converts a line of history back to cells of this terminal.
    fn cells_of_line(&mut self, line: &Line) -> Vec<Cell> {
        let mut cells = Vec::with_capacity(line.cols() as usize);
        for cell in line.cells() {
            if let Some(link) = &cell.run.link {
                self.links.adopt(link);
            }
            let style = self.styles.intern(&cell.run.style);
            let first = cell.text.chars().next().unwrap_or(' ');
            let content = match cell.run.shape {
                RunShape::Blank => Cell::blank(style),
                RunShape::Narrow => Cell::narrow(first, style),
                RunShape::Wide => Cell::wide(first, style),
                RunShape::Cluster | RunShape::WideCluster => {
                    let base = if cell.width == 2 { Cell::wide(first, style) } else { Cell::narrow(first, style) };
                    self.clusters.intern(cell.text).map_or(base, |id| base.with_cluster(id))
                }
            };
            cells.push(content);
            if cell.width == 2 {
                cells.push(Cell::spacer(style));
            }
        }
        cells
    }
}

fn clamp(caret: Caret, size: Size) -> Caret {
    let col = caret.col.min(size.cols - 1);
    Caret { row: caret.row.min(size.rows - 1), col, pending_wrap: caret.pending_wrap && col == size.cols - 1 }
}

/// Rows down to the last one that holds text or the caret.
fn used_rows(grid: &Grid, caret: Caret) -> usize {
    let text = grid.rows.iter().rposition(|row| row.used() > 0).map_or(0, |last| last + 1);
    text.max(usize::from(caret.row) + 1).min(grid.rows.len())
}

/// Lays a line out in rows of `cols`, never splitting a wide character.
fn wrap_line(line: Flow, cols: u16, rows: &mut Vec<GridRow>) {
    let width = usize::from(cols);
    let mut rest = &line.cells[..];
    loop {
        let mut row = GridRow::new(cols, Cell::BLANK);
        let mut take = rest.len().min(width);
        if take < rest.len() && rest[take].is_spacer() && take > 1 {
            take -= 1;
            row.cells[take] = Cell::edge(crate::cell::StyleId(0));
        }
        row.cells[..take].copy_from_slice(&rest[..take]);
        rest = &rest[take..];
        if width == 1 && rest.first().is_some_and(|cell| cell.is_spacer()) {
            // A wide character in a single column: its first half stands for both.
            rest = &rest[1..];
        }
        row.wrapped = !rest.is_empty() || line.runs_on;
        rows.push(row);
        if rest.is_empty() {
            break;
        }
    }
}

/// The new place of an offset into a line.
fn locate(rows: &[GridRow], anchor: TextAnchor, cols: u16) -> Caret {
    let width = usize::from(cols);
    // With a wrap pending, the caret is logically past its cell.
    let mut left = anchor.offset + usize::from(anchor.pending_wrap);
    for (index, row) in rows.iter().enumerate() {
        let last_cell = row.cells[width - 1];
        let held = match width {
            1 if last_cell.is_wide() => 2,
            _ if row.wrapped && last_cell.is_edge() => width - 1,
            _ => width,
        };
        let row = index as u16;
        if left < held {
            return Caret { row, col: (left as u16).min(cols - 1), pending_wrap: false };
        }
        if index + 1 == rows.len() {
            return Caret { row, col: cols - 1, pending_wrap: left == held };
        }
        left -= held;
    }
    Caret::default()
}
