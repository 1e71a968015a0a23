//! Adds to a judge what a test suite asks of a window rather than of a screen: checksums of cells, the size report and
//! the resize. An emulator that answers these itself is left alone.

use alacritty_terminal::vte::{Params, Parser, Perform};
use anyhow::Result;
use vt::Size;

use super::Emulator;
use crate::screen::Screen;

pub(crate) struct Answering {
    inner: Box<dyn Emulator>,
    parser: Parser,
    replies: Vec<u8>,
    /// The screen since the last bytes that could change it: the suite asks for its cells one by one.
    screen: Option<Screen>,
}

/// A control sequence that concerns a window.
enum Request {
    Resize { rows: u16, cols: u16 },
    ReportSize,
    Checksum { id: u16, top: u16, left: u16, bottom: u16, right: u16 },
}

/// What one byte completed.
#[derive(Default)]
struct Completed {
    request: Option<Request>,
    /// A character or another sequence, so that the next one begins after this byte.
    anything: bool,
}

impl Perform for Completed {
    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], _ignore: bool, action: char) {
        let values: Vec<u16> = params.iter().map(|parameter| parameter[0]).collect();
        let value = |index: usize| values.get(index).copied().unwrap_or(0);
        self.anything = true;
        self.request = match (intermediates, action, value(0)) {
            (b"", 't', 8) => Some(Request::Resize { rows: value(1), cols: value(2) }),
            (b"", 't', 18) => Some(Request::ReportSize),
            (b"*", 'y', id) => {
                Some(Request::Checksum { id, top: value(2), left: value(3), bottom: value(4), right: value(5) })
            }
            _ => None,
        };
    }

    fn print(&mut self, _: char) {
        self.anything = true;
    }

    fn execute(&mut self, _: u8) {
        self.anything = true;
    }

    fn esc_dispatch(&mut self, _: &[u8], _: bool, _: u8) {
        self.anything = true;
    }

    fn osc_dispatch(&mut self, _: &[&[u8]], _: bool) {
        self.anything = true;
    }

    fn unhook(&mut self) {
        self.anything = true;
    }
}

impl Answering {
    pub(crate) fn new(inner: Box<dyn Emulator>) -> Self {
        Answering { inner, parser: Parser::new(), replies: Vec::new(), screen: None }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        // Bytes before `fed` have been passed to the emulator; the current sequence began at `begun`.
        let (mut fed, mut begun) = (0, 0);
        for (index, byte) in bytes.iter().enumerate() {
            let mut completed = Completed::default();
            self.parser.advance(&mut completed, std::slice::from_ref(byte));
            if let Some(request) = completed.request {
                self.feed_inner(&bytes[fed..begun])?;
                self.answer(&request, &bytes[begun..=index])?;
                fed = index + 1;
            }
            if completed.anything {
                begun = index + 1;
            }
        }
        self.feed_inner(&bytes[fed..])
    }

    pub(crate) fn take_replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.replies)
    }

    fn feed_inner(&mut self, bytes: &[u8]) -> Result<()> {
        if !bytes.is_empty() {
            self.screen = None;
            self.inner.feed(bytes)?;
            self.replies.extend(self.inner.take_replies());
        }
        Ok(())
    }

    fn answer(&mut self, request: &Request, sequence: &[u8]) -> Result<()> {
        self.inner.feed(sequence)?;
        let own = self.inner.take_replies();
        if !own.is_empty() {
            self.replies.extend(own);
            return Ok(());
        }
        let size = self.inner.size();
        match *request {
            Request::Resize { rows, cols } => {
                let asked = Size {
                    cols: if cols == 0 { size.cols } else { cols },
                    rows: if rows == 0 { size.rows } else { rows },
                };
                if asked != size {
                    self.screen = None;
                    self.inner.resize(asked)?;
                }
            }
            Request::ReportSize => {
                self.replies.extend(format!("\x1b[8;{};{}t", size.rows, size.cols).into_bytes());
            }
            Request::Checksum { id, top, left, bottom, right } => {
                let screen = match self.screen.take() {
                    Some(screen) => screen,
                    None => self.inner.screen()?,
                };
                let sum = checksum(&screen, top, left, bottom, right);
                self.screen = Some(screen);
                self.replies.extend(format!("\x1bP{id}!~{sum:04X}\x1b\\").into_bytes());
            }
        }
        Ok(())
    }
}

/// The checksum as in xterm since patch 334 without attributes: the sum of the characters, with blank cells as spaces.
/// Rows and columns count from one.
fn checksum(screen: &Screen, top: u16, left: u16, bottom: u16, right: u16) -> u16 {
    let rows = usize::from(top.max(1)) - 1..usize::from(bottom.min(screen.size.rows));
    let cols = usize::from(left.max(1)) - 1..usize::from(right.min(screen.size.cols));
    let cells = rows.flat_map(|row| cols.clone().map(move |col| &screen.rows[row][col]));
    cells.flat_map(|cell| cell.text.chars()).fold(0, |sum, character| sum.wrapping_add(u32::from(character) as u16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::{Factory, Kind};

    fn alacritty() -> Answering {
        let factory = Factory::new(Kind::Alacritty, None).unwrap();
        Answering::new(factory.make(Size::new(10, 3)).unwrap())
    }

    #[test]
    fn checksums_are_answered_in_their_turn() {
        let mut terminal = alacritty();
        terminal.feed(b"ab\x1b[6n\x1b[7;1;1;1;1;3*yc\x1b[8;1;1;1;1;3*y").unwrap();
        let expected = format!("\x1b[1;3R\x1bP7!~{:04X}\x1b\\\x1bP8!~{:04X}\x1b\\", 97 + 98 + 32, 97 + 98 + 99);
        assert_eq!(String::from_utf8(terminal.take_replies()).unwrap(), expected);
    }

    #[test]
    fn a_resize_is_obeyed_and_zero_keeps_the_side() {
        let mut terminal = alacritty();
        terminal.feed(b"\x1b[8;5;0t\x1b[18t").unwrap();
        assert_eq!(terminal.take_replies(), b"\x1b[8;5;10t");
    }
}
