//! Scrolling the region between the margins.

use super::TerminalState;

impl TerminalState {
    fn full_width(&self) -> bool {
        self.margins.left == 0 && self.margins.right + 1 == self.size.cols
    }

    /// Moves text up; rows that leave the top of the main screen go to history.
    pub(super) fn scroll_up(&mut self, count: u16) {
        self.scroll_up_from(self.margins.top, count, true);
    }

    /// Like `scroll_up`, for the part of the region from row `top` down.
    pub(super) fn scroll_up_from(&mut self, top: u16, count: u16, keep: bool) {
        let fill = self.eraser();
        let rows = top..self.margins.bottom + 1;
        if !self.full_width() {
            let cols = self.margins.left..self.margins.right + 1;
            return self.grid.scroll_up_within(rows, cols, count, fill);
        }
        if keep && top == 0 && !self.on_alternate() {
            let leaving = count.min(rows.end);
            for row in 0..leaving {
                let tables =
                    crate::history::CellTables { styles: &self.styles, clusters: &self.clusters, links: &self.links };
                self.history.push(self.grid.row(row), &tables);
            }
        } else if top == 0 && !self.on_alternate() {
            self.history.close_line();
        }
        self.grid.scroll_up(rows, count, fill);
    }

    pub(super) fn scroll_down(&mut self, count: u16) {
        self.scroll_down_from(self.margins.top, count);
    }

    /// Moves text down from row `top`; rows that leave at the bottom margin are lost.
    pub(super) fn scroll_down_from(&mut self, top: u16, count: u16) {
        let fill = self.eraser();
        let rows = top..self.margins.bottom + 1;
        if !self.full_width() {
            let cols = self.margins.left..self.margins.right + 1;
            return self.grid.scroll_down_within(rows, cols, count, fill);
        }
        if top == 0 && !self.on_alternate() {
            self.history.close_line();
        }
        self.grid.scroll_down(rows, count, fill);
    }
}
