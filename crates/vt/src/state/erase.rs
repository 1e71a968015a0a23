//! Erasing: whole, selective, and around protected cells.

use super::TerminalState;
use crate::{cell::Cell, history::CellTables, style::Attributes};

/// Which cells an erase leaves alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SparedCells {
    /// ED, EL, ECH: cells guarded by SPA.
    Guarded,
    /// DECSED, DECSEL, DECSERA: cells protected by DECSCA.
    Protected,
    Nothing,
}

impl SparedCells {
    fn attributes(self) -> Attributes {
        match self {
            SparedCells::Guarded => Attributes::GUARDED,
            SparedCells::Protected => Attributes::PROTECTED,
            SparedCells::Nothing => Attributes::empty(),
        }
    }
}

impl TerminalState {
    /// Blanks columns of one row.
    pub(super) fn erase_cells(&mut self, row: u16, cols: std::ops::Range<u16>, spare: SparedCells, fill: Cell) {
        if cols.is_empty() {
            return;
        }
        let by = spare.attributes();
        if !self.protection_used || by.is_empty() {
            return self.grid.row_mut(row).fill(cols, fill);
        }
        let mut from = cols.start;
        while from < cols.end {
            let (spared, to) = self.equally_protected(row, from..cols.end, by);
            if !spared {
                self.grid.row_mut(row).fill(from..to, fill);
            }
            from = to;
        }
    }

    /// Whether the first of the cells is protected, and where that changes.
    fn equally_protected(&self, row: u16, cols: std::ops::Range<u16>, by: Attributes) -> (bool, u16) {
        let cells = &self.grid.row(row).cells[usize::from(cols.start)..usize::from(cols.end)];
        let first = self.protected(cells[0], by);
        // Neighbours mostly share a style: the table is asked only when it changes.
        let mut style = cells[0].style;
        let same = cells.iter().position(|&cell| {
            cell.style != style && {
                style = cell.style;
                self.protected(cell, by) != first
            }
        });
        (first, same.map_or(cols.end, |count| cols.start + count as u16))
    }

    fn erase_rows(&mut self, rows: std::ops::Range<u16>, spare: SparedCells, fill: Cell) {
        for row in rows {
            self.erase_cells(row, 0..self.size.cols, spare, fill);
            self.grid.row_mut(row).wrapped = false;
        }
    }

    /// ED and DECSED.
    pub(super) fn erase_display(&mut self, what: u16, spare: SparedCells) {
        let fill = self.eraser();
        let (row, col) = (self.caret.row, self.caret.col);
        let all = what == 2 || (what == 0 && (row, col) == (0, 0));
        if all && !self.on_alternate() {
            self.keep_cleared();
        }
        match what {
            0 => {
                self.erase_cells(row, col..self.size.cols, spare, fill);
                self.grid.row_mut(row).wrapped = false;
                self.erase_rows(row + 1..self.size.rows, spare, fill);
                if (row, col) == (0, 0) {
                    self.end_run_from_history();
                }
            }
            1 => {
                self.erase_rows(0..row, spare, fill);
                self.erase_cells(row, 0..col + 1, spare, fill);
                self.end_run_from_history();
            }
            2 => {
                self.erase_rows(0..self.size.rows, spare, fill);
                self.end_run_from_history();
            }
            3 if spare != SparedCells::Protected => self.history.clear(),
            _ => return,
        }
        self.caret.pending_wrap = false;
    }

    /// Called before the main screen is cleared: with cleared text kept, it moves to history as if it had scrolled
    /// away.
    pub(super) fn keep_cleared(&mut self) {
        let main = if self.on_alternate() { self.other.as_ref() } else { Some(&self.grid) };
        let Some(main) = main.filter(|_| self.history.keeps_cleared()) else { return };
        let used = main.rows.iter().rposition(|row| row.used() > 0).map_or(0, |last| last + 1);
        let tables = CellTables { styles: &self.styles, clusters: &self.clusters, links: &self.links };
        for row in &main.rows[..used] {
            self.history.push(row, &tables);
        }
        self.history.close_line();
    }

    /// The first row no longer continues a line of history.
    fn end_run_from_history(&mut self) {
        if !self.on_alternate() {
            self.history.close_line();
        }
    }

    /// EL and DECSEL.
    pub(super) fn erase_line(&mut self, what: u16, spare: SparedCells) {
        let fill = self.eraser();
        let (row, col) = (self.caret.row, self.caret.col);
        let cols = match what {
            0 => col..self.size.cols,
            1 => 0..col + 1,
            2 => 0..self.size.cols,
            _ => return,
        };
        self.erase_cells(row, cols, spare, fill);
        if what != 1 {
            self.grid.row_mut(row).wrapped = false;
        }
        self.caret.pending_wrap = false;
    }

    /// ECH.
    pub(super) fn erase_characters(&mut self, count: u16) {
        let fill = self.eraser();
        let end = self.caret.col.saturating_add(count).min(self.size.cols);
        self.erase_cells(self.caret.row, self.caret.col..end, SparedCells::Guarded, fill);
        self.caret.pending_wrap = false;
    }
}
