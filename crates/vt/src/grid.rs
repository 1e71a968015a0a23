//! Rows of cells and the operations on them, independent of the sequences that ask for them.
//!
//! A wide character is two cells that are always written and erased together: an operation that touches one half blanks
//! the other.

use std::{ops::Range, sync::Arc};

use crate::{
    cell::{Cell, StyleId},
    geometry::Size,
    line::Line,
};

#[derive(Clone, Debug)]
pub(crate) struct GridRow {
    pub(crate) cells: Vec<Cell>,
    /// The text continues in the next row.
    pub(crate) wrapped: bool,
    /// The cells differ from `drawn`.
    pub(crate) dirty: bool,
    /// The row as the last frame showed it.
    pub(crate) drawn: Option<Arc<Line>>,
}

impl GridRow {
    pub(crate) fn new(cols: u16, fill: Cell) -> Self {
        GridRow { cells: vec![fill; usize::from(cols)], wrapped: false, dirty: true, drawn: None }
    }

    pub(crate) fn clear(&mut self, fill: Cell) {
        self.cells.fill(fill);
        self.wrapped = false;
        self.dirty = true;
    }

    /// Blanks the half of a wide character that would remain if the row were cut just before `col`.
    #[inline]
    pub(crate) fn split_at(&mut self, col: u16) {
        let col = usize::from(col);
        if col < self.cells.len() && self.cells[col].is_spacer() {
            self.cells[col] = Cell::BLANK;
            if col > 0 {
                self.cells[col - 1] = Cell::BLANK;
            }
        }
    }

    /// The mark left by a wide character that went to the next row is meaningful only in the last column of a row that
    /// continues: remove it before cells move.
    pub(crate) fn drop_edge(&mut self) {
        if let Some(last) = self.cells.last_mut().filter(|cell| cell.is_edge()) {
            *last = Cell::blank(last.style);
        }
    }

    /// Overwrites from `col` with printable ASCII; the caller has made sure that it fits.
    #[inline]
    pub(crate) fn write_ascii(&mut self, col: u16, text: &[u8], style: StyleId) {
        self.split_at(col);
        self.split_at(col + text.len() as u16);
        let start = usize::from(col);
        for (cell, &byte) in self.cells[start..start + text.len()].iter_mut().zip(text) {
            *cell = Cell::ascii(byte, style);
        }
        self.dirty = true;
    }

    pub(crate) fn fill(&mut self, cols: Range<u16>, cell: Cell) {
        self.split_at(cols.start);
        self.split_at(cols.end);
        self.cells[usize::from(cols.start)..usize::from(cols.end)].fill(cell);
        self.dirty = true;
    }

    /// Fills `cols` with one character of `width` columns.
    #[inline]
    pub(crate) fn fill_with(&mut self, cols: Range<u16>, c: char, width: u16, style: StyleId) {
        if width == 1 {
            return self.fill(cols, Cell::narrow(c, style));
        }
        self.fill(cols.clone(), Cell::spacer(style));
        for cell in self.cells[usize::from(cols.start)..usize::from(cols.end)].iter_mut().step_by(2) {
            *cell = Cell::wide(c, style);
        }
    }

    /// Moves the cells of `cols` right by `count`; cells pushed past the end are lost.
    pub(crate) fn insert(&mut self, cols: Range<u16>, count: u16, fill: Cell) {
        let count = count.min(cols.end - cols.start);
        self.drop_edge();
        self.split_at(cols.start);
        self.split_at(cols.end);
        self.split_at(cols.end - count);
        let (start, end) = (usize::from(cols.start), usize::from(cols.end));
        self.cells.copy_within(start..end - usize::from(count), start + usize::from(count));
        self.cells[start..start + usize::from(count)].fill(fill);
        self.dirty = true;
    }

    /// Moves the cells of `cols` left by `count`; blanks come in at the end.
    pub(crate) fn delete(&mut self, cols: Range<u16>, count: u16, fill: Cell) {
        let count = count.min(cols.end - cols.start);
        self.drop_edge();
        self.split_at(cols.start);
        self.split_at(cols.start + count);
        self.split_at(cols.end);
        let (start, end) = (usize::from(cols.start), usize::from(cols.end));
        self.cells.copy_within(start + usize::from(count)..end, start);
        self.cells[end - usize::from(count)..end].fill(fill);
        self.dirty = true;
    }

    /// Columns up to the last cell that is not blank in the default look.
    pub(crate) fn used(&self) -> usize {
        let mut end = self.cells.len();
        // Most rows end in blanks: eight at a time.
        while end >= 8 && self.cells[end - 8..end].iter().fold(0, |bits, cell| bits | cell.bits()) == 0 {
            end -= 8;
        }
        let stale_edge = |cell: Cell| !self.wrapped && cell == Cell::edge(StyleId(0));
        self.cells[..end].iter().rposition(|&cell| cell != Cell::BLANK && !stale_edge(cell)).map_or(0, |last| last + 1)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) rows: Vec<GridRow>,
    size: Size,
}

impl Grid {
    pub(crate) fn new(size: Size) -> Self {
        Grid { rows: (0..size.rows).map(|_| GridRow::new(size.cols, Cell::BLANK)).collect(), size }
    }

    /// Becomes a copy of `other`, reusing memory.
    pub(crate) fn copy_from(&mut self, other: &Grid) {
        self.size = other.size;
        self.rows.truncate(other.rows.len());
        for (row, from) in self.rows.iter_mut().zip(&other.rows) {
            row.cells.clone_from(&from.cells);
            row.wrapped = from.wrapped;
            row.dirty = from.dirty;
            row.drawn.clone_from(&from.drawn);
        }
        let have = self.rows.len();
        self.rows.extend_from_slice(&other.rows[have..]);
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    #[inline]
    pub(crate) fn row(&self, row: u16) -> &GridRow {
        &self.rows[usize::from(row)]
    }

    #[inline]
    pub(crate) fn row_mut(&mut self, row: u16) -> &mut GridRow {
        &mut self.rows[usize::from(row)]
    }

    #[inline]
    pub(crate) fn cell(&self, row: u16, col: u16) -> Cell {
        self.rows[usize::from(row)].cells[usize::from(col)]
    }

    /// Moves the rows of `rows` up by `count`; cleared rows come in below.
    pub(crate) fn scroll_up(&mut self, rows: Range<u16>, count: u16, fill: Cell) {
        let region = &mut self.rows[usize::from(rows.start)..usize::from(rows.end)];
        let count = usize::from(count).min(region.len());
        region.rotate_left(count);
        let fresh = region.len() - count;
        for row in &mut region[fresh..] {
            row.clear(fill);
        }
        self.unwrap_before(rows.start);
        if fresh > 0 {
            self.rows[usize::from(rows.start) + fresh - 1].wrapped = false;
        }
    }

    /// Moves the rows of `rows` down by `count`; cleared rows come in above.
    pub(crate) fn scroll_down(&mut self, rows: Range<u16>, count: u16, fill: Cell) {
        let region = &mut self.rows[usize::from(rows.start)..usize::from(rows.end)];
        let count = usize::from(count).min(region.len());
        region.rotate_right(count);
        for row in &mut region[..count] {
            row.clear(fill);
        }
        self.unwrap_before(rows.start);
        self.rows[usize::from(rows.end) - 1].wrapped = false;
    }

    /// Ends the continuation of the row above into `row`.
    pub(crate) fn unwrap_before(&mut self, row: u16) {
        if row > 0 {
            self.rows[usize::from(row) - 1].wrapped = false;
        }
    }

    /// Like `scroll_up`, but only within `cols`.
    pub(crate) fn scroll_up_within(&mut self, rows: Range<u16>, cols: Range<u16>, count: u16, fill: Cell) {
        let count = count.min(rows.end - rows.start);
        for row in rows.clone() {
            if row + count < rows.end {
                self.copy_span(row + count, row, &cols)
            } else {
                self.row_mut(row).fill(cols.clone(), fill)
            }
        }
    }

    /// Like `scroll_down`, but only within `cols`.
    pub(crate) fn scroll_down_within(&mut self, rows: Range<u16>, cols: Range<u16>, count: u16, fill: Cell) {
        let count = count.min(rows.end - rows.start);
        for row in rows.clone().rev() {
            if row >= rows.start + count {
                self.copy_span(row - count, row, &cols)
            } else {
                self.row_mut(row).fill(cols.clone(), fill)
            }
        }
    }

    fn copy_span(&mut self, from: u16, to: u16, cols: &Range<u16>) {
        let span = usize::from(cols.start)..usize::from(cols.end);
        let Ok([source, target]) = self.rows.get_disjoint_mut([usize::from(from), usize::from(to)]) else { return };
        source.drop_edge();
        for row in [&mut *source, &mut *target] {
            row.split_at(cols.start);
            row.split_at(cols.end);
        }
        target.cells[span.clone()].copy_from_slice(&source.cells[span]);
        target.dirty = true;
    }

    /// Cuts or pads the rows without reflow, as the alternate screen does.
    pub(crate) fn resize(&mut self, size: Size, keep_from: u16) {
        self.rows.drain(..usize::from(keep_from).min(self.rows.len()));
        self.rows.truncate(usize::from(size.rows));
        for row in &mut self.rows {
            if size.cols != self.size.cols {
                row.drop_edge();
            }
            row.split_at(size.cols);
            row.cells.resize(usize::from(size.cols), Cell::BLANK);
            row.cells.shrink_to_fit();
            row.wrapped &= size.cols == self.size.cols;
            row.dirty = true;
        }
        if let Some(last) = self.rows.last_mut() {
            last.wrapped = false;
        }
        self.rows.resize_with(usize::from(size.rows), || GridRow::new(size.cols, Cell::BLANK));
        self.size = size;
    }

    /// Replaces the whole grid by rows of the right width.
    pub(crate) fn replace(&mut self, rows: Vec<GridRow>, size: Size) {
        debug_assert_eq!(rows.len(), usize::from(size.rows));
        self.rows = rows;
        self.size = size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> GridRow {
        let mut row = GridRow::new(text.len() as u16, Cell::BLANK);
        row.write_ascii(0, text.as_bytes(), StyleId(0));
        row
    }

    fn text(row: &GridRow) -> String {
        row.cells.iter().map(|cell| cell.char().unwrap_or('.')).collect()
    }

    #[test]
    fn insert_and_delete_stay_in_their_span() {
        let mut line = row("abcdef");
        line.insert(1..4, 1, Cell::BLANK);
        assert_eq!(text(&line), "a.bcef");
        line.delete(1..4, 2, Cell::BLANK);
        assert_eq!(text(&line), "ac..ef");
        line.insert(0..6, 99, Cell::BLANK);
        assert_eq!(text(&line), "......");
    }

    #[test]
    fn half_a_wide_character_takes_the_other_half_along() {
        let mut line = row("abcd");
        line.cells[1] = Cell::wide('漢', StyleId(0));
        line.cells[2] = Cell::spacer(StyleId(0));
        line.write_ascii(2, b"x", StyleId(0));
        assert_eq!(text(&line), "a.xd");
    }

    #[test]
    fn scrolling_a_span_leaves_its_neighbours() {
        let mut grid = Grid::new(Size::new(4, 3));
        for (index, line) in ["aaaa", "bbbb", "cccc"].into_iter().enumerate() {
            grid.rows[index] = row(line);
        }
        grid.scroll_up_within(0..3, 1..3, 1, Cell::BLANK);
        assert_eq!(grid.rows.iter().map(text).collect::<Vec<_>>(), ["abba", "bccb", "c..c"]);
        grid.scroll_down_within(0..3, 1..3, 2, Cell::BLANK);
        assert_eq!(grid.rows.iter().map(text).collect::<Vec<_>>(), ["a..a", "b..b", "cbbc"]);
    }
}
