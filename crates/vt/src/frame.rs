//! An immutable copy of what the screen shows.

use std::sync::Arc;

use crate::{color::Theme, geometry::Position, geometry::Size, line::Line};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CursorShape {
    #[default]
    Block,
    Underline,
    Bar,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    pub position: Position,
    pub visible: bool,
    pub shape: CursorShape,
    pub blinking: bool,
}

/// What the screen showed at one moment. Rows unchanged since the previous frame are the same `Arc`.
#[derive(Clone, Debug)]
pub struct Frame {
    pub size: Size,
    pub rows: Vec<Arc<Line>>,
    pub cursor: Cursor,
    pub alternate_screen: bool,
    /// DECSCNM: the whole screen is drawn inverse.
    pub reverse_video: bool,
    /// Number of the logical line that the first row belongs to.
    pub first_line: u64,
    pub theme: Arc<Theme>,
}

impl Frame {
    /// Rows of `self` that differ from `earlier`, from the top. All of them after a resize.
    pub fn damage<'a>(&'a self, earlier: &'a Frame) -> impl Iterator<Item = u16> + 'a {
        let resized = self.size != earlier.size;
        self.rows.iter().enumerate().filter_map(move |(row, line)| {
            let same = !resized && earlier.rows.get(row).is_some_and(|old| Arc::ptr_eq(old, line) || old == line);
            (!same).then_some(row as u16)
        })
    }

    /// The rows as text, one a line, trailing blanks trimmed.
    pub fn text(&self) -> String {
        let mut out = String::with_capacity(self.rows.iter().map(|row| row.text.len() + 1).sum());
        for row in &self.rows {
            out.push_str(row.trimmed());
            out.push('\n');
        }
        out
    }
}
