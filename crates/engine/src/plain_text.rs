//! Raw output without its control sequences: what a log file of the session would hold.
//!
//! Not a terminal: it knows where sequences end, not what they draw. Whoever wants to know what is
//! on the screen reads the screen.

use std::mem;

/// Lines beyond this are handed out in parts: a child need never print a newline.
const MAX_LINE_BYTES: usize = 64 << 10;

/// Takes raw output in any pieces and hands out lines.
#[derive(Debug, Default)]
pub struct PlainText {
    state: State,
    /// The line so far. Bytes, as a read may end within a character.
    line: Vec<u8>,
    /// CR was last: a newline ends the line, anything else starts it over.
    returned: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    Escape,
    /// ESC and an intermediate: one more byte.
    EscapeIntermediate,
    Csi,
    /// OSC, DCS, SOS, PM, APC: up to ST, and OSC also up to BEL.
    Text,
    TextEscape,
}

impl PlainText {
    /// Calls `line` with each line that `bytes` end, without its line end.
    pub fn feed(&mut self, bytes: &[u8], line: &mut dyn FnMut(&str)) {
        for byte in bytes {
            self.take(*byte, line);
        }
    }

    /// The line that has not ended yet.
    pub fn open_line(&self) -> String {
        String::from_utf8_lossy(&self.line).into_owned()
    }

    fn take(&mut self, byte: u8, line: &mut dyn FnMut(&str)) {
        self.state = match (self.state, byte) {
            (State::Text, 0x07) => State::Ground,
            (State::Text, 0x1b) => State::TextEscape,
            (_, 0x18 | 0x1a) => State::Ground,
            (State::Text, _) => State::Text,
            (State::TextEscape, b'\\') => State::Ground,
            (_, 0x1b) => State::Escape,
            (State::Ground, _) => {
                self.print(byte, line);
                State::Ground
            }
            (State::Escape | State::TextEscape, b'[') => State::Csi,
            (State::Escape | State::TextEscape, b']' | b'P' | b'X' | b'^' | b'_') => State::Text,
            (State::Escape | State::TextEscape | State::EscapeIntermediate, 0x20..=0x2f) => State::EscapeIntermediate,
            // Parameters and intermediates.
            (State::Csi, 0x20..=0x3f) => State::Csi,
            (State::Csi, b'A' | b'B' | b'E' | b'F' | b'H' | b'd' | b'f') => {
                // The cursor goes to another row: what follows is not the same line.
                self.end_line(line);
                State::Ground
            }
            // Programs move right instead of printing blanks.
            (State::Csi, b'C' | b'G') => {
                self.print(b' ', line);
                State::Ground
            }
            // A control character within a sequence acts at once.
            (state, 0x00..=0x1f) => {
                self.print(byte, line);
                state
            }
            _ => State::Ground,
        };
    }

    fn print(&mut self, byte: u8, line: &mut dyn FnMut(&str)) {
        match byte {
            b'\n' => self.end_line(line),
            b'\r' => self.returned = true,
            0x08 => drop(self.line.pop()),
            b'\t' | 0x20..=0x7e | 0x80.. => {
                if mem::take(&mut self.returned) {
                    // A progress bar paints its line again and again: each painting is a line.
                    self.end_line(line);
                }
                self.line.push(byte);
                if self.line.len() >= MAX_LINE_BYTES {
                    self.end_line(line);
                }
            }
            _ => {}
        }
    }

    fn end_line(&mut self, line: &mut dyn FnMut(&str)) {
        self.returned = false;
        line(&String::from_utf8_lossy(&self.line));
        self.line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut plain = PlainText::default();
        let mut all = Vec::new();
        for chunk in chunks {
            plain.feed(chunk, &mut |line| all.push(line.to_owned()));
        }
        all.push(plain.open_line());
        all
    }

    #[test]
    fn sequences_are_left_out() {
        let cases: &[(&[u8], &[&str])] = &[
            (b"a\x1b[1;31mb\x1b[0mc\r\nd", &["abc", "d"]),
            (b"\x1b]0;title\x07x\x1b]8;;http://y\x1b\\link\x1b]8;;\x1b\\z", &["xlinkz"]),
            (b"\x1bP1$r0m\x1b\\ok\x1b(B\x1b=\x1b7!", &["ok!"]),
            (b"10%\r20%\r100%\r\n", &["10%", "20%", "100%", ""]),
            (b"one\x1b[5;1Htwo", &["one", "two"]),
            (b"a\x1b[3Cb", &["a b"]),
            (b"abc\x08\x08x", &["ax"]),
            (b"\x1b[31\x18plain", &["plain"]),
            (b"caf\xc3\xa9 \xff", &["café \u{fffd}"]),
        ];
        for (raw, expected) in cases {
            assert_eq!(lines(&[raw]), *expected, "{}", raw.escape_ascii());
        }
    }

    #[test]
    fn an_endless_line_is_bounded() {
        let all = lines(&[&vec![b'x'; 3 * MAX_LINE_BYTES + 5]]);
        assert_eq!(
            all.iter().map(String::len).collect::<Vec<_>>(),
            [MAX_LINE_BYTES, MAX_LINE_BYTES, MAX_LINE_BYTES, 5]
        );
    }

    proptest! {
        #[test]
        fn any_pieces_give_the_same_lines(
            raw in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0x1b), Just(b'['), Just(b']'), Just(b'\r'), Just(b'\n')], 0..200),
            cut in 0usize..200,
        ) {
            let cut = cut.min(raw.len());
            prop_assert_eq!(lines(&[&raw]), lines(&[&raw[..cut], &raw[cut..]]));
        }
    }
}
