//! An immutable, self-contained line of cells: what frames and history hand out.

use std::sync::Arc;

use crate::style::{LinkTarget, Style};

/// How the text of a run maps to cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunShape {
    /// One character, one cell.
    Narrow,
    /// One character, two cells.
    Wide,
    /// The whole run is one cluster in one cell.
    Cluster,
    /// The whole run is one cluster in two cells.
    WideCluster,
    /// Never written, or erased: spaces in the text, one a cell.
    Blank,
}

impl RunShape {
    /// Columns of a cell.
    fn width(self) -> u32 {
        if matches!(self, RunShape::Wide | RunShape::WideCluster) { 2 } else { 1 }
    }

    fn is_cluster(self) -> bool {
        matches!(self, RunShape::Cluster | RunShape::WideCluster)
    }
}

/// Neighbouring cells of one look and one shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyleRun {
    /// Columns covered: more than a screen's width in a joined line.
    pub cols: u32,
    /// Bytes of [`Line::text`] covered.
    pub bytes: u32,
    pub shape: RunShape,
    pub style: Style,
    pub link: Option<Arc<LinkTarget>>,
}

/// A row of the grid or a line of history. Blank cells with the default look at its end are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    pub(crate) text: String,
    pub(crate) runs: Vec<StyleRun>,
    pub(crate) wrapped: bool,
}

/// One cell as [`Line::cells`] yields it: the second column of a wide character has no cell of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRef<'a> {
    pub col: u32,
    /// One or two columns.
    pub width: u32,
    /// One character or cluster; a space for a blank cell.
    pub text: &'a str,
    pub run: &'a StyleRun,
}

impl Line {
    /// The text with its trailing blanks, if they have a look of their own.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text without trailing white space.
    pub fn trimmed(&self) -> &str {
        self.text.trim_end_matches(' ')
    }

    pub fn runs(&self) -> &[StyleRun] {
        &self.runs
    }

    /// Whether the text wrapped into the next row.
    pub fn wrapped(&self) -> bool {
        self.wrapped
    }

    /// Columns up to the last cell kept.
    pub fn cols(&self) -> u32 {
        self.runs.iter().map(|run| run.cols).sum()
    }

    /// The number of columns from the left in which `other` has the same cells; a lower bound.
    pub fn common_cols(&self, other: &Line) -> u32 {
        let (mut mine, mut theirs) = (self.text.as_str(), other.text.as_str());
        let mut cols = 0;
        for (run, other) in self.runs.iter().zip(&other.runs) {
            if (run.shape, &run.style, &run.link) != (other.shape, &other.style, &other.link) {
                break;
            }
            let (text, other_text) = (&mine[..run.bytes as usize], &theirs[..other.bytes as usize]);
            if text != other_text {
                if !run.shape.is_cluster() {
                    let same = text.chars().zip(other_text.chars()).take_while(|(mine, theirs)| mine == theirs);
                    cols += same.count() as u32 * run.shape.width();
                }
                break;
            }
            cols += run.cols;
            (mine, theirs) = (&mine[text.len()..], &theirs[text.len()..]);
        }
        cols
    }

    /// Every cell from the left, wide ones once.
    pub fn cells(&self) -> impl Iterator<Item = CellRef<'_>> {
        let mut rest = self.text.as_str();
        let mut col = 0;
        self.runs.iter().flat_map(move |run| {
            let (text, after) = rest.split_at(run.bytes as usize);
            rest = after;
            let start = col;
            col += run.cols;
            cells_of(run, text, start)
        })
    }
}

fn cells_of<'a>(run: &'a StyleRun, text: &'a str, start: u32) -> impl Iterator<Item = CellRef<'a>> {
    let (whole, width) = (run.shape.is_cluster(), run.shape.width());
    let mut rest = text;
    let mut col = start;
    std::iter::from_fn(move || {
        let len = if whole { rest.len() } else { rest.chars().next()?.len_utf8() };
        if len == 0 {
            return None;
        }
        let (text, after) = rest.split_at(len);
        rest = after;
        let cell = CellRef { col, width, text, run };
        col += width;
        Some(cell)
    })
}

#[cfg(test)]
mod tests {
    use crate::{Terminal, TerminalOptions};

    #[test]
    fn lines_have_columns_in_common_up_to_the_first_cell_that_differs() {
        let common = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|text| {
                let mut terminal = Terminal::new(TerminalOptions::default());
                terminal.feed(text.as_bytes());
                terminal.frame().rows[0].clone()
            });
            assert_eq!(one.common_cols(&other), other.common_cols(&one));
            one.common_cols(&other)
        };
        assert_eq!(common("abc", "abc"), 3);
        assert_eq!(common("abc", "abcd"), 3);
        assert_eq!(common("abc", "xbc"), 0);
        assert_eq!(common("", "abc"), 0);
        assert_eq!(common("漢字a", "漢字b"), 4);
        assert_eq!(common("漢字", "漢漢"), 2);
        assert_eq!(common("a\x1b[31mbc", "a\x1b[31mbd"), 2);
        assert_eq!(common("a\x1b[31mbc", "a\x1b[32mbc"), 1);
        assert_eq!(common("abc", "ab\x1b[1mc"), 2);
        assert_eq!(common("ae\u{301}b", "ae\u{300}b"), 1);
        assert_eq!(common("ae\u{301}b", "ae\u{301}c"), 2);
        assert_eq!(common("a\x1b]8;;http://x/\x1b\\b", "a\x1b]8;;http://y/\x1b\\b"), 1);
    }
}
