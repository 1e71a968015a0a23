//! Inserting and deleting characters, lines and columns.

use super::TerminalState;
use crate::cell::Cell;

impl TerminalState {
    fn inside_margins(&self) -> bool {
        let Self { margins, caret, .. } = self;
        (margins.top..=margins.bottom).contains(&caret.row) && (margins.left..=margins.right).contains(&caret.col)
    }

    fn inside_columns(&self) -> bool {
        (self.margins.left..=self.margins.right).contains(&self.caret.col)
    }

    /// ICH.
    pub(super) fn insert_characters(&mut self, count: u16) {
        if self.inside_columns() {
            let fill = self.eraser();
            let cols = self.caret.col..self.margins.right + 1;
            self.grid.row_mut(self.caret.row).insert(cols, count, fill);
            self.grid.row_mut(self.caret.row).wrapped = false;
        }
        self.caret.pending_wrap = false;
    }

    /// DCH.
    pub(super) fn delete_characters(&mut self, count: u16) {
        if self.inside_columns() {
            let fill = self.eraser();
            let cols = self.caret.col..self.margins.right + 1;
            self.grid.row_mut(self.caret.row).delete(cols, count, fill);
            self.grid.row_mut(self.caret.row).wrapped = false;
        }
        self.caret.pending_wrap = false;
    }

    /// IL.
    pub(super) fn insert_lines(&mut self, count: u16) {
        if self.inside_margins() {
            self.scroll_down_from(self.caret.row, count);
            self.caret.col = self.margins.left;
        }
        self.caret.pending_wrap = false;
    }

    /// DL.
    pub(super) fn delete_lines(&mut self, count: u16) {
        if self.inside_margins() {
            self.scroll_up_from(self.caret.row, count, false);
            self.caret.col = self.margins.left;
        }
        self.caret.pending_wrap = false;
    }

    /// DECIC.
    pub(super) fn insert_columns(&mut self, count: u16) {
        if self.inside_margins() {
            let fill = self.eraser();
            self.shift_columns(self.caret.col, count, fill, true);
        }
    }

    /// DECDC.
    pub(super) fn delete_columns(&mut self, count: u16) {
        if self.inside_margins() {
            let fill = self.eraser();
            self.shift_columns(self.caret.col, count, fill, false);
        }
    }

    fn shift_columns(&mut self, from: u16, count: u16, fill: Cell, insert: bool) {
        let cols = from..self.margins.right + 1;
        for row in self.margins.top..=self.margins.bottom {
            let row = self.grid.row_mut(row);
            if insert {
                row.insert(cols.clone(), count, fill)
            } else {
                row.delete(cols.clone(), count, fill)
            }
            row.wrapped = false;
        }
        self.caret.pending_wrap = false;
    }

    /// DECBI: back one column, or push the text right at the left margin.
    pub(super) fn back_index(&mut self) {
        if self.caret.col == self.margins.left && self.inside_margins() {
            let fill = self.eraser();
            self.shift_columns(self.margins.left, 1, fill, true);
        } else {
            self.caret.col = self.caret.col.saturating_sub(1);
            self.caret.pending_wrap = false;
        }
    }

    /// DECFI: forward one column, or pull the text left at the right margin.
    pub(super) fn forward_index(&mut self) {
        if self.caret.col == self.margins.right && self.inside_margins() {
            let fill = self.eraser();
            self.shift_columns(self.margins.left, 1, fill, false);
        } else {
            self.caret.col = (self.caret.col + 1).min(self.size.cols - 1);
            self.caret.pending_wrap = false;
        }
    }
}
