//! Sizes and positions. Rows and columns count from zero; `row` before `col` in prose, `cols` before `rows` in sizes.

/// A terminal's size in cells. [`Size::clamped`] brings it within [`Size::MIN`] and [`Size::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    pub cols: u16,
    pub rows: u16,
}

impl Size {
    /// Two columns, the width of a wide character, which a single column could neither show nor keep.
    pub const MIN: Size = Size { cols: 2, rows: 1 };
    /// A 2,000 x 1,000 grid is 16 MB; no person or agent reads anything larger.
    pub const MAX: Size = Size { cols: 2000, rows: 1000 };

    pub const fn new(cols: u16, rows: u16) -> Self {
        Size { cols, rows }
    }

    /// The nearest valid terminal size.
    pub fn clamped(self) -> Self {
        Size {
            cols: self.cols.clamp(Self::MIN.cols, Self::MAX.cols),
            rows: self.rows.clamp(Self::MIN.rows, Self::MAX.rows),
        }
    }
}

impl Default for Size {
    fn default() -> Self {
        Size { cols: 80, rows: 24 }
    }
}

/// A cell's place on the visible grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub row: u16,
    pub col: u16,
}
