//! Raw output without its control sequences: what a log file of the session would hold.
//!
//! Not a terminal: it knows where sequences end, not what they draw. Whoever wants to know what is
//! on the screen reads the screen.

use std::mem;

use crate::io::ring::RawOutput;

/// Lines beyond this are handed out in parts: a child need never print a newline.
const MAX_LINE_BYTES: usize = 64 << 10;

/// A sequence longer than this is not waited for: it may never end.
const MAX_HELD_BACK: usize = 4096;

/// Raw output as plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainOutput {
    pub text: String,
    /// Raw offset of the first byte that was looked at.
    pub offset: u64,
    /// Where the next read goes on: texts of reads in a row fit together.
    pub next_offset: u64,
    /// Bytes between the offset asked for and `offset` that are no longer kept.
    pub dropped: u64,
}

impl PlainOutput {
    pub(crate) fn of(raw: &RawOutput) -> Self {
        let mut plain = PlainText::default();
        let mut text = String::new();
        plain.feed(&raw.bytes, &mut |line| {
            text.push_str(line);
            text.push('\n');
        });
        let held_back = plain.unfinished();
        let open = plain.open_line();
        text.push_str(open.strip_suffix(char::REPLACEMENT_CHARACTER).filter(|_| held_back > 0).unwrap_or(&open));
        PlainOutput {
            text,
            offset: raw.offset,
            next_offset: raw.next_offset() - held_back as u64,
            dropped: raw.dropped,
        }
    }
}

/// Takes raw output in any pieces and hands out lines.
#[derive(Debug, Default)]
pub struct PlainText {
    state: State,
    /// The line so far. Bytes, as a read may end within a character.
    line: Vec<u8>,
    /// CR was last: a newline ends the line, anything else starts it over.
    returned: bool,
    /// Bytes of the sequence that has not ended yet.
    in_sequence: usize,
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
            self.in_sequence = if self.state == State::Ground { 0 } else { self.in_sequence + 1 };
        }
    }

    /// Bytes at the end that mean nothing without what follows: part of a sequence, of a character,
    /// or a CR whose LF may come.
    fn unfinished(&self) -> usize {
        let character = match std::str::from_utf8(&self.line) {
            Err(error) if error.error_len().is_none() => self.line.len() - error.valid_up_to(),
            _ => 0,
        };
        let in_sequence = if self.in_sequence > MAX_HELD_BACK { 0 } else { self.in_sequence };
        in_sequence + usize::from(self.returned) + character
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

    #[test]
    fn reads_in_a_row_fit_together() {
        let raw = "10%\r20%\r\ncaf\u{e9} \x1b[1;31mred\x1b]0;t\x07 end\n\x1b]0;never".as_bytes();
        let whole = "10%\n20%\ncafé red end\n";
        for size in 1..raw.len() {
            let (mut at, mut text, mut want) = (0, String::new(), size);
            while at < raw.len() && want < 100 {
                let bytes = raw[at..raw.len().min(at + want)].to_vec();
                let read = PlainOutput::of(&RawOutput { offset: at as u64, bytes, dropped: 0 });
                // A reader that gets nothing asks for more.
                want = if read.next_offset as usize == at { want + 1 } else { size };
                at = read.next_offset as usize;
                text.push_str(&read.text);
            }
            assert_eq!(text, whole, "in reads of {size}");
        }
    }

    #[test]
    fn a_sequence_without_an_end_does_not_hold_a_reader_up() {
        let mut bytes = b"x\x1b]0;".to_vec();
        bytes.resize(10_000, b'y');
        let read = PlainOutput::of(&RawOutput { offset: 0, bytes, dropped: 0 });
        assert_eq!((read.text.as_str(), read.next_offset), ("x", 10_000));
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
