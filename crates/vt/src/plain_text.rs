//! Raw output without its control sequences: what a log file of a session would hold.
//!
//! Not a terminal: it knows where sequences end, because it shares the terminal's parser, and not what they draw. A
//! reader who wants to know what is on the screen reads the screen.

use std::mem;

use crate::params::SequenceParams;
use crate::parser::{IntermediateBytes, Parser, Sink, StringKind, StringTerminator};

/// A longer line is handed out in parts: a child need never print a newline.
const MAX_LINE_BYTES: usize = 64 << 10;

/// Takes raw output in any pieces and hands out lines.
#[derive(Debug)]
pub struct PlainText {
    parser: Parser,
    lines: LineCollector,
    /// Bytes since the beginning of a sequence that has not ended yet.
    in_sequence: usize,
    /// A CR was last when that sequence began. One within the sequence is among its bytes.
    returned_before: bool,
}

impl Default for PlainText {
    fn default() -> Self {
        PlainText { parser: Parser::new(), lines: LineCollector::default(), in_sequence: 0, returned_before: false }
    }
}

impl PlainText {
    /// Calls `line` with each line that `bytes` end, without its line end.
    pub fn feed(&mut self, bytes: &[u8], line: &mut dyn FnMut(&str)) {
        let mut sink = LineSink { lines: &mut self.lines, line };
        let mut rest = bytes;
        // In pieces that begin where a sequence may begin, to know how long an unfinished one is. C1 controls begin with 0xc2.
        while !rest.is_empty() {
            let next = rest[1..].iter().position(|byte| matches!(byte, 0x1b | 0xc2));
            let (piece, after) = rest.split_at(next.map_or(rest.len(), |at| at + 1));
            // The first byte of a C1 control may have come alone.
            let continued = if (0x80..0xc0).contains(&piece[0]) { self.parser.partial_bytes() } else { 0 };
            if self.in_sequence == 0 {
                self.returned_before = sink.lines.returned;
            }
            self.parser.feed(piece, &mut sink);
            let length = self.in_sequence + continued + piece.len();
            self.in_sequence = if self.parser.is_in_sequence() { length } else { 0 };
            rest = after;
        }
    }

    /// The line that has not ended yet, without the part of a character at its end.
    pub fn open_line(&self) -> &str {
        &self.lines.open
    }

    /// Bytes at the end that mean nothing without what follows: part of a sequence, of a character, or a CR whose LF may
    /// come.
    pub fn unfinished_bytes(&self) -> usize {
        let returned = self.lines.returned && (self.in_sequence == 0 || self.returned_before);
        self.in_sequence + self.parser.partial_bytes() + usize::from(returned)
    }

    /// How many of those are part of a sequence, which need never end.
    pub fn sequence_bytes(&self) -> usize {
        self.in_sequence
    }
}

#[derive(Debug, Default)]
struct LineCollector {
    /// The line so far.
    open: String,
    /// CR was last: a newline ends the line, anything else starts it over.
    returned: bool,
}

/// Receives what the parser finds and hands the lines on.
struct LineSink<'a> {
    lines: &'a mut LineCollector,
    line: &'a mut dyn FnMut(&str),
}

impl LineSink<'_> {
    fn end_line(&mut self) {
        self.lines.returned = false;
        (self.line)(&self.lines.open);
        self.lines.open.clear();
    }

    fn begin_text(&mut self) {
        if mem::take(&mut self.lines.returned) {
            // A progress bar paints its line again and again: each painting is a line.
            self.end_line();
        }
    }

    fn end_if_full(&mut self) {
        if self.lines.open.len() >= MAX_LINE_BYTES {
            self.end_line();
        }
    }
}

impl Sink for LineSink<'_> {
    fn print_ascii(&mut self, text: &[u8]) {
        self.begin_text();
        let mut rest = std::str::from_utf8(text).unwrap_or_default();
        while !rest.is_empty() {
            let room = MAX_LINE_BYTES - self.lines.open.len();
            let (part, after) = rest.split_at(room.min(rest.len()));
            self.lines.open.push_str(part);
            self.end_if_full();
            rest = after;
        }
    }

    fn print(&mut self, c: char) {
        self.begin_text();
        self.lines.open.push(c);
        self.end_if_full();
    }

    fn control(&mut self, byte: u8) {
        match byte {
            b'\n' => self.end_line(),
            b'\r' => self.lines.returned = true,
            0x08 => drop(self.lines.open.pop()),
            b'\t' => self.print('\t'),
            _ => {}
        }
    }

    fn escape(&mut self, _: IntermediateBytes, _: u8) {}

    fn csi(&mut self, _: &SequenceParams, intermediates: IntermediateBytes, last: u8) {
        match last {
            _ if !intermediates.as_bytes().is_empty() => {}
            // The cursor goes to another row: what follows is not the same line.
            b'A' | b'B' | b'E' | b'F' | b'H' | b'd' | b'f' => self.end_line(),
            // Programs move right instead of printing blanks.
            b'C' | b'G' => self.print(' '),
            _ => {}
        }
    }

    fn string(&mut self, _: StringKind, _: &[u8], _: StringTerminator) {}
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
        all.push(plain.open_line().to_owned());
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
            (b"a\xc2\x9b1mb", &["ab"]),
        ];
        for (raw, expected) in cases {
            assert_eq!(lines(&[raw]), *expected, "{}", raw.escape_ascii());
        }
    }

    #[test]
    fn an_endless_line_is_bounded() {
        let lengths = |raw: Vec<u8>| lines(&[&raw]).iter().map(String::len).collect::<Vec<_>>();
        assert_eq!(lengths(vec![b'x'; 3 * MAX_LINE_BYTES + 5]), [MAX_LINE_BYTES, MAX_LINE_BYTES, MAX_LINE_BYTES, 5]);
        // A character is never cut, so that the line may be longer by less than one.
        let long =
            lengths(std::iter::once("x").chain(std::iter::repeat_n("漢", MAX_LINE_BYTES)).collect::<String>().into());
        assert!(long.iter().all(|length| *length < MAX_LINE_BYTES + 4), "{long:?}");
    }

    #[test]
    fn what_is_unfinished_is_counted_in_raw_bytes() {
        let unfinished = |raw: &[u8]| {
            let mut plain = PlainText::default();
            plain.feed(raw, &mut |_| {});
            (plain.unfinished_bytes(), plain.sequence_bytes())
        };
        assert_eq!(unfinished(b"text"), (0, 0));
        assert_eq!(unfinished(b"text\x1b[0007"), (6, 6));
        assert_eq!(unfinished(b"text\x1b[1mmore\x1b]0;t"), (5, 5));
        assert_eq!(unfinished(b"text\r"), (1, 0));
        assert_eq!(unfinished(b"caf\xc3"), (1, 0));
        assert_eq!(unfinished(b"\xc2\x9d0;title"), (9, 9));
        assert_eq!(unfinished(b"\x1b]0;title\x07"), (0, 0));
        assert_eq!(unfinished(b"\r\x1b["), (3, 2));
        assert_eq!(unfinished(b"\x1b\r\x1b"), (3, 3));
    }

    proptest! {
        #[test]
        fn any_pieces_give_the_same_lines(
            raw in proptest::collection::vec(
                prop_oneof![any::<u8>(), Just(0x1b), Just(b'['), Just(b']'), Just(b'\r'), Just(b'\n'), Just(0xc2), Just(0x9b)],
                0..200,
            ),
            cut in 0usize..200,
        ) {
            let cut = cut.min(raw.len());
            let mut whole = PlainText::default();
            whole.feed(&raw, &mut |_| {});
            let mut parts = PlainText::default();
            parts.feed(&raw[..cut], &mut |_| {});
            parts.feed(&raw[cut..], &mut |_| {});
            prop_assert_eq!(lines(&[&raw]), lines(&[&raw[..cut], &raw[cut..]]));
            prop_assert!(whole.unfinished_bytes() <= raw.len());
            prop_assert_eq!(whole.sequence_bytes() > 0, parts.sequence_bytes() > 0);
        }
    }
}
