//! `vt` behind the same interface as its judges.

use anyhow::Result;
use vt::{Attributes, Effect, Size, Terminal, TerminalOptions};

use super::Emulator;
use crate::screen::{Cell, Color, Cursor, Look, Screen, Underline};

pub(super) struct Ours {
    terminal: Terminal,
    replies: Vec<u8>,
}

impl Ours {
    pub(super) fn new(size: Size) -> Self {
        Ours { terminal: Terminal::new(TerminalOptions { size, ..TerminalOptions::default() }), replies: Vec::new() }
    }
}

impl Emulator for Ours {
    fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        self.terminal.feed(bytes);
        for effect in self.terminal.take_effects() {
            match effect {
                Effect::Reply(bytes) => self.replies.extend(bytes),
                // A window obeys, as xterm's would; patterm itself may refuse.
                Effect::ResizeRequest { cols, rows } => {
                    let now = self.terminal.size();
                    self.terminal.resize(Size {
                        cols: if cols == 0 { now.cols } else { cols },
                        rows: if rows == 0 { now.rows } else { rows },
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn take_replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.replies)
    }

    fn size(&self) -> Size {
        self.terminal.size()
    }

    fn resize(&mut self, size: Size) -> Result<()> {
        self.terminal.resize(size);
        Ok(())
    }

    fn screen(&mut self) -> Result<Screen> {
        self.terminal.expire_synchronized_update();
        let frame = self.terminal.frame();
        let blank = Cell { text: " ".to_owned(), look: Look::default() };
        let rows = frame
            .rows
            .iter()
            .map(|line| {
                let mut cells = vec![blank.clone(); usize::from(frame.size.cols)];
                for cell in line.cells() {
                    let look = look(&cell);
                    let col = cell.col as usize;
                    cells[col] = Cell { text: cell.text.to_owned(), look: look.clone() };
                    if cell.width == 2 {
                        cells[col + 1] = Cell { text: String::new(), look };
                    }
                }
                cells
            })
            .collect();
        let cursor = Cursor {
            row: frame.cursor.position.row,
            col: frame.cursor.position.col.min(frame.size.cols - 1),
            visible: frame.cursor.visible,
        };
        Ok(Screen { size: frame.size, rows, cursor, alternate: frame.alternate_screen })
    }
}

fn look(cell: &vt::CellRef<'_>) -> Look {
    let style = &cell.run.style;
    // In the order of `screen::ATTRIBUTES`. Protection from erasure is not visible.
    let attributes = [
        Attributes::BOLD,
        Attributes::ITALIC,
        Attributes::DIM,
        Attributes::BLINK | Attributes::RAPID_BLINK,
        Attributes::INVERSE,
        Attributes::INVISIBLE,
        Attributes::STRIKE,
        Attributes::OVERLINE,
    ];
    Look {
        foreground: color(style.foreground),
        background: color(style.background),
        underline: match style.underline {
            vt::Underline::None => Underline::None,
            vt::Underline::Single => Underline::Single,
            vt::Underline::Double => Underline::Double,
            vt::Underline::Curly => Underline::Curly,
            vt::Underline::Dotted => Underline::Dotted,
            vt::Underline::Dashed => Underline::Dashed,
        },
        underline_color: color(style.underline_color),
        attributes: attributes
            .iter()
            .enumerate()
            .filter(|(_, flag)| style.attributes.intersects(**flag))
            .fold(0, |bits, (bit, _)| bits | 1 << bit),
        link: cell.run.link.as_ref().map(|link| link.uri.clone()),
    }
}

fn color(color: vt::Color) -> Color {
    match color {
        vt::Color::Default => Color::Default,
        vt::Color::Indexed(index) => Color::Indexed(index),
        vt::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
    }
}
