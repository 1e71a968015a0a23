//! Moving the caret.

use super::TerminalState;
use crate::modes::ModeFlags;

impl TerminalState {
    #[inline]
    pub(super) fn carriage_return(&mut self) {
        let before_margin = self.caret.col < self.margins.left && !self.has(ModeFlags::ORIGIN);
        self.caret.col = if before_margin { 0 } else { self.margins.left };
        self.caret.pending_wrap = false;
    }

    fn in_columns(&self) -> bool {
        (self.margins.left..=self.margins.right).contains(&self.caret.col)
    }

    /// IND: one row down, scrolling at the bottom margin.
    #[inline]
    pub(super) fn index(&mut self) {
        self.caret.pending_wrap = false;
        if self.caret.row == self.margins.bottom {
            if self.in_columns() {
                self.scroll_up(1);
            }
        } else if self.caret.row + 1 < self.size.rows {
            self.caret.row += 1;
        }
    }

    /// RI: one row up, scrolling at the top margin.
    pub(super) fn reverse_index(&mut self) {
        self.caret.pending_wrap = false;
        if self.caret.row == self.margins.top {
            if self.in_columns() {
                self.scroll_down(1);
            }
        } else {
            self.caret.row = self.caret.row.saturating_sub(1);
        }
    }

    /// LF, VT, FF.
    #[inline]
    pub(super) fn line_feed(&mut self) {
        self.index();
        if self.has(ModeFlags::LINEFEED_NEWLINE) {
            self.carriage_return();
        }
    }

    pub(super) fn next_line(&mut self) {
        self.index();
        self.carriage_return();
    }

    pub(super) fn up(&mut self, count: u16) {
        let stop = if self.caret.row >= self.margins.top { self.margins.top } else { 0 };
        self.caret.row = self.caret.row.saturating_sub(count).max(stop);
        self.caret.pending_wrap = false;
    }

    pub(super) fn down(&mut self, count: u16) {
        let stop = if self.caret.row <= self.margins.bottom { self.margins.bottom } else { self.size.rows - 1 };
        self.caret.row = self.caret.row.saturating_add(count).min(stop);
        self.caret.pending_wrap = false;
    }

    pub(super) fn right(&mut self, count: u16) {
        let stop = if self.caret.col <= self.margins.right { self.margins.right } else { self.size.cols - 1 };
        self.caret.col = self.caret.col.saturating_add(count).min(stop);
        self.caret.pending_wrap = false;
    }

    /// BS and CUB. Both reverse wrap modes mean what xterm meant before it split them (patch 383, later
    /// than the level we report): back to the row above whatever it holds, from the top to the bottom.
    pub(super) fn left(&mut self, count: u16) {
        let reverse = ModeFlags::REVERSE_WRAP | ModeFlags::EXTENDED_REVERSE_WRAP;
        let wraps = self.has(ModeFlags::AUTOWRAP) && self.flags.intersects(reverse);
        let left = if self.caret.col < self.margins.left { 0 } else { self.margins.left };
        if !wraps {
            self.caret.col = self.caret.col.saturating_sub(count).max(left);
            self.caret.pending_wrap = false;
            return;
        }
        // With a wrap pending, the caret is logically past the last column: one step undoes that.
        let mut count = count - u16::from(self.caret.pending_wrap);
        self.caret.pending_wrap = false;
        loop {
            let left = if self.caret.col < self.margins.left { 0 } else { self.margins.left };
            let step = (self.caret.col - left).min(count);
            self.caret.col -= step;
            count -= step;
            if count == 0 {
                break;
            }
            let at_top = self.caret.row == self.margins.top || self.caret.row == 0;
            self.caret.row = if at_top { self.margins.bottom } else { self.caret.row - 1 };
            self.caret.col = self.margins.right;
            count -= 1;
        }
    }

    /// CUP and HVP, from zero; relative to the margins in origin mode.
    pub(super) fn go_to(&mut self, row: u16, col: u16) {
        self.go_to_row(row);
        self.go_to_col(col);
    }

    pub(super) fn go_to_row(&mut self, row: u16) {
        let (top, bottom) =
            if self.has(ModeFlags::ORIGIN) { (self.margins.top, self.margins.bottom) } else { (0, self.size.rows - 1) };
        self.caret.row = top.saturating_add(row).min(bottom);
        self.caret.pending_wrap = false;
    }

    pub(super) fn go_to_col(&mut self, col: u16) {
        let (left, right) =
            if self.has(ModeFlags::ORIGIN) { (self.margins.left, self.margins.right) } else { (0, self.size.cols - 1) };
        self.caret.col = left.saturating_add(col).min(right);
        self.caret.pending_wrap = false;
    }

    pub(super) fn tab(&mut self, count: u16) {
        if self.caret.pending_wrap && self.has(ModeFlags::MORE_FIX) {
            self.wrap();
        }
        let last = if self.caret.col <= self.margins.right { self.margins.right } else { self.size.cols - 1 };
        for _ in 0..count.min(self.size.cols) {
            self.caret.col = self.tabs.after(self.caret.col, last);
        }
    }

    pub(super) fn back_tab(&mut self, count: u16) {
        let first = if self.has(ModeFlags::ORIGIN) { self.margins.left } else { 0 };
        for _ in 0..count.min(self.size.cols) {
            self.caret.col = self.tabs.before(self.caret.col, first);
        }
        // xterm keeps a pending wrap here, so that the next character would wrap from the middle of a row. No program
        // can want that.
        self.caret.pending_wrap = false;
    }

    /// DECSTBM, from one; 0 means the default.
    pub(super) fn set_vertical_margins(&mut self, top: u16, bottom: u16) {
        let top = top.max(1);
        let bottom = if bottom == 0 { self.size.rows } else { bottom.min(self.size.rows) };
        if top < bottom {
            self.margins.top = top - 1;
            self.margins.bottom = bottom - 1;
            self.go_to(0, 0);
        }
    }

    /// DECSLRM, from one; 0 means the default.
    pub(super) fn set_horizontal_margins(&mut self, left: u16, right: u16) {
        let left = left.max(1);
        let right = if right == 0 { self.size.cols } else { right.min(self.size.cols) };
        if left < right {
            self.margins.left = left - 1;
            self.margins.right = right - 1;
            self.go_to(0, 0);
        }
    }
}
