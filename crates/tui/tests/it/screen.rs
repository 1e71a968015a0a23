//! Screens cell by cell, so that a canvas, a child's frame and what the host shows can be compared.

use tui::{Canvas, Rect};
use vt::{Attributes, Frame, Position, Size, Style, Terminal, TerminalOptions};

/// A cell as a reader sees it. Erased cells and written blanks look the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) text: String,
    pub(crate) width: u32,
    pub(crate) style: Style,
    pub(crate) link: Option<(String, String)>,
}

fn blank() -> Seen {
    Seen { text: " ".into(), width: 1, ..Seen::default() }
}

/// Rows of columns; the second column of a wide character is empty.
pub(crate) type Screen = Vec<Vec<Seen>>;

pub(crate) fn of_frame(frame: &Frame) -> Screen {
    frame
        .rows
        .iter()
        .map(|line| {
            let mut row = vec![blank(); usize::from(frame.size.cols)];
            for cell in line.cells() {
                let link = cell.run.link.as_ref().map(|link| (link.id.clone(), link.uri.clone()));
                let attributes = cell.run.style.attributes - Attributes::PROTECTED - Attributes::GUARDED;
                let style = Style { link: None, attributes, ..cell.run.style };
                let seen = Seen { text: cell.text.into(), width: cell.width, style, link };
                if cell.width == 2 {
                    row[cell.col as usize + 1] = Seen { text: String::new(), width: 0, ..seen.clone() };
                }
                row[cell.col as usize] = seen;
            }
            row
        })
        .collect()
}

pub(crate) fn of_canvas(canvas: &Canvas) -> Screen {
    let Size { cols, rows } = canvas.size();
    let cell = |row, col| {
        let cell = canvas.cell(Position { row, col }).unwrap();
        let mut text = String::new();
        if cell.width() > 0 {
            cell.text().push_to(&mut text);
        }
        let link = cell.link().map(|link| (link.id.clone(), link.uri.clone()));
        Seen { text, width: u32::from(cell.width()), style: cell.style(), link }
    };
    (0..rows).map(|row| (0..cols).map(|col| cell(row, col)).collect()).collect()
}

/// The part of a screen that `area` covers.
pub(crate) fn part(screen: &Screen, area: Rect) -> Screen {
    let rows = usize::from(area.row)..usize::from(area.bottom());
    let cols = usize::from(area.col)..usize::from(area.right());
    screen[rows].iter().map(|row| row[cols.clone()].to_vec()).collect()
}

#[track_caller]
pub(crate) fn assert_same(got: &Screen, wanted: &Screen, what: &str) {
    assert_eq!(got.len(), wanted.len(), "{what}: rows");
    for (number, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        assert_eq!(got.len(), wanted.len(), "{what}: columns of row {number}");
        for (col, (got, wanted)) in got.iter().zip(wanted).enumerate() {
            assert_eq!(got, wanted, "{what}: row {number}, column {col}");
        }
    }
}

pub(crate) fn terminal(size: Size) -> Terminal {
    Terminal::new(TerminalOptions { size, history_lines: 100, ..TerminalOptions::default() })
}
