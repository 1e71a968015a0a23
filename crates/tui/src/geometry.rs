//! Rectangles of cells, and how to divide them.

use vt::{Position, Size};

/// A rectangle of cells. Everything that draws stays inside one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rect {
    pub col: u16,
    pub row: u16,
    pub cols: u16,
    pub rows: u16,
}

impl Rect {
    pub const fn new(col: u16, row: u16, cols: u16, rows: u16) -> Self {
        Rect { col, row, cols, rows }
    }

    /// The whole screen.
    pub const fn of(size: Size) -> Self {
        Rect { col: 0, row: 0, cols: size.cols, rows: size.rows }
    }

    /// The first column to the right of it.
    pub fn right(self) -> u16 {
        self.col.saturating_add(self.cols)
    }

    /// The first row below it.
    pub fn bottom(self) -> u16 {
        self.row.saturating_add(self.rows)
    }

    pub fn size(self) -> Size {
        Size { cols: self.cols, rows: self.rows }
    }

    pub fn is_empty(self) -> bool {
        self.cols == 0 || self.rows == 0
    }

    pub fn contains(self, at: Position) -> bool {
        (self.col..self.right()).contains(&at.col) && (self.row..self.bottom()).contains(&at.row)
    }

    /// The intersection; empty if they don't overlap.
    pub fn intersect(self, other: Rect) -> Rect {
        let col = self.col.max(other.col);
        let row = self.row.max(other.row);
        let cols = self.right().min(other.right()).saturating_sub(col);
        let rows = self.bottom().min(other.bottom()).saturating_sub(row);
        Rect { col, row, cols, rows }
    }

    /// The rectangle without `cols` columns at the left and right and `rows` rows above and below.
    pub fn inner(self, cols: u16, rows: u16) -> Rect {
        Rect {
            col: self.col + cols.min(self.cols / 2),
            row: self.row + rows.min(self.rows / 2),
            cols: self.cols.saturating_sub(cols.saturating_mul(2)),
            rows: self.rows.saturating_sub(rows.saturating_mul(2)),
        }
    }

    /// The first `rows` rows, and the rest.
    pub fn split_top(self, rows: u16) -> (Rect, Rect) {
        let rows = rows.min(self.rows);
        (Rect { rows, ..self }, Rect { row: self.row + rows, rows: self.rows - rows, ..self })
    }

    /// The rest, and the last `rows` rows.
    pub fn split_bottom(self, rows: u16) -> (Rect, Rect) {
        self.split_top(self.rows.saturating_sub(rows))
    }

    /// The first `cols` columns, and the rest.
    pub fn split_left(self, cols: u16) -> (Rect, Rect) {
        let cols = cols.min(self.cols);
        (Rect { cols, ..self }, Rect { col: self.col + cols, cols: self.cols - cols, ..self })
    }

    /// The rest, and the last `cols` columns.
    pub fn split_right(self, cols: u16) -> (Rect, Rect) {
        self.split_left(self.cols.saturating_sub(cols))
    }

    /// Its row `index` from the top; empty if there is none.
    pub fn line(self, index: u16) -> Rect {
        let rows = u16::from(index < self.rows);
        Rect { row: self.row.saturating_add(index), rows, ..self }
    }

    /// A rectangle of at most `cols` by `rows` in its middle.
    pub fn centered(self, cols: u16, rows: u16) -> Rect {
        let (cols, rows) = (cols.min(self.cols), rows.min(self.rows));
        Rect { col: self.col + (self.cols - cols) / 2, row: self.row + (self.rows - rows) / 2, cols, rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_cover_the_whole() {
        let area = Rect::new(2, 3, 10, 5);
        assert_eq!(area.split_top(2), (Rect::new(2, 3, 10, 2), Rect::new(2, 5, 10, 3)));
        assert_eq!(area.split_bottom(1), (Rect::new(2, 3, 10, 4), Rect::new(2, 7, 10, 1)));
        assert_eq!(area.split_right(99), (Rect::new(2, 3, 0, 5), area));
        assert_eq!(area.inner(1, 1), Rect::new(3, 4, 8, 3));
        assert!(area.inner(6, 0).is_empty() && area.line(5).is_empty());
        assert_eq!(area.centered(4, 99), Rect::new(5, 3, 4, 5));
    }

    #[test]
    fn parts_outside_share_nothing() {
        let area = Rect::new(0, 0, 4, 4);
        assert!(area.intersect(Rect::new(4, 0, 4, 4)).is_empty());
        assert_eq!(area.intersect(Rect::new(2, 1, 9, 9)), Rect::new(2, 1, 2, 3));
        assert!(!area.contains(Position { row: 0, col: 4 }));
    }
}
