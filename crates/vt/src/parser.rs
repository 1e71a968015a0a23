//! The tokenizer: splits bytes into text, controls and sequences (the states of the DEC ANSI parser, plus UTF-8).
//!
//! Its whole state persists between calls, so a stream may be cut anywhere. Plain text takes a bulk path: a run of
//! printable ASCII is passed on as one slice. The parser does not know what a sequence means.

use crate::params::SequenceParams;

/// Longest OSC, DCS or APC body kept. Longer ones are consumed and dropped whole, so that half a
/// clipboard or half a link never takes effect.
pub(crate) const MAX_STRING: usize = 1 << 20;
/// Capacity kept between strings; a rare huge string's memory is freed.
const KEPT_STRING: usize = 4096;

/// Receives what the parser finds.
pub(crate) trait Sink {
    /// Printable ASCII, never empty.
    fn print_ascii(&mut self, text: &[u8]);
    /// One character beyond ASCII.
    fn print(&mut self, c: char);
    /// A C0 control, or a C1 control that stands alone.
    fn control(&mut self, byte: u8);
    fn escape(&mut self, intermediates: IntermediateBytes, last: u8);
    fn csi(&mut self, params: &SequenceParams, intermediates: IntermediateBytes, last: u8);
    /// A complete control string.
    fn string(&mut self, kind: StringKind, body: &[u8], terminator: StringTerminator);
}

/// The private marker and intermediate bytes of a sequence, packed in reading order: `b"?"`, `b"?$"`, …
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct IntermediateBytes {
    bytes: [u8; 3],
    len: u8,
}

impl IntermediateBytes {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// False if there is no more room: no sequence we know is this long.
    fn push(&mut self, byte: u8) -> bool {
        let Some(slot) = self.bytes.get_mut(usize::from(self.len)) else { return false };
        *slot = byte;
        self.len += 1;
        true
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StringKind {
    Osc,
    /// The body starts with everything between the introducer and the data, final byte included.
    Dcs,
    Apc,
    Pm,
    Sos,
}

/// How a string ended; a reply ends the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StringTerminator {
    Bell,
    StringTerminator,
}

impl StringTerminator {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            StringTerminator::Bell => "\x07",
            StringTerminator::StringTerminator => "\x1b\\",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParserState {
    Ground,
    Escape,
    EscapeIntermediate,
    CsiEntry,
    CsiParam,
    CsiIntermediate,
    CsiIgnore,
    String(StringKind),
    /// An ESC inside a string: `\` terminates the string, anything else cancels it and starts a sequence.
    StringEscape(StringKind),
}

#[derive(Debug)]
pub(crate) struct Parser {
    state: ParserState,
    params: SequenceParams,
    intermediates: IntermediateBytes,
    string: Vec<u8>,
    string_overflow: bool,
    /// The first bytes of a character that is not complete yet.
    partial: [u8; 4],
    partial_len: u8,
}

const ESC: u8 = 0x1b;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const BEL: u8 = 0x07;

impl Parser {
    pub(crate) fn new() -> Self {
        Parser {
            state: ParserState::Ground,
            params: SequenceParams::new(),
            intermediates: IntermediateBytes::default(),
            string: Vec::new(),
            string_overflow: false,
            partial: [0; 4],
            partial_len: 0,
        }
    }

    pub(crate) fn feed<S: Sink>(&mut self, bytes: &[u8], sink: &mut S) {
        let mut rest = bytes;
        while let Some(&byte) = rest.first() {
            rest = match self.state {
                ParserState::Ground => self.ground(rest, sink),
                ParserState::CsiEntry | ParserState::CsiParam => self.csi_params(rest, sink),
                ParserState::String(kind) => self.string_body(kind, rest, sink),
                _ => {
                    self.step(byte, sink);
                    &rest[1..]
                }
            };
        }
    }

    /// A control sequence or string has begun and not ended.
    pub(crate) fn is_in_sequence(&self) -> bool {
        self.state != ParserState::Ground
    }

    /// Bytes of a character whose rest has not come yet.
    pub(crate) fn partial_bytes(&self) -> usize {
        self.partial_len.into()
    }

    /// Bytes that bring a fresh parser to where this one is: the beginning of a sequence whose rest is still to come.
    pub(crate) fn pending(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self.state {
            ParserState::Ground => out.extend_from_slice(&self.partial[..usize::from(self.partial_len)]),
            ParserState::Escape | ParserState::EscapeIntermediate => {
                out.push(ESC);
                out.extend_from_slice(self.intermediates.as_bytes());
            }
            ParserState::CsiEntry | ParserState::CsiParam | ParserState::CsiIntermediate | ParserState::CsiIgnore => {
                out.extend_from_slice(b"\x1b[");
                let marks = self.intermediates.as_bytes();
                let marker = marks.iter().take_while(|byte| (0x3c..=0x3f).contains(*byte)).count();
                out.extend_from_slice(&marks[..marker]);
                self.params.write(&mut out);
                if self.state == ParserState::CsiIgnore {
                    // A marker in the wrong place invalidates the sequence.
                    out.extend_from_slice(b"0?");
                } else {
                    out.extend_from_slice(&marks[marker..]);
                }
            }
            ParserState::String(kind) | ParserState::StringEscape(kind) => {
                out.push(ESC);
                out.push(match kind {
                    StringKind::Osc => b']',
                    StringKind::Dcs => b'P',
                    StringKind::Apc => b'_',
                    StringKind::Pm => b'^',
                    StringKind::Sos => b'X',
                });
                out.extend_from_slice(&self.string);
                if matches!(self.state, ParserState::StringEscape(_)) {
                    out.push(ESC);
                }
            }
        }
        out
    }

    /// Text and controls up to the next escape.
    #[inline]
    fn ground<'a, S: Sink>(&mut self, bytes: &'a [u8], sink: &mut S) -> &'a [u8] {
        let mut rest = bytes;
        if self.partial_len > 0 {
            rest = self.resume_character(rest, sink);
        }
        while self.state == ParserState::Ground {
            let run = printable_prefix(rest);
            if run > 0 {
                sink.print_ascii(&rest[..run]);
                rest = &rest[run..];
            }
            let Some(&byte) = rest.first() else { break };
            if byte == ESC {
                self.enter_escape();
                rest = &rest[1..];
            } else if byte < 0x20 {
                sink.control(byte);
                rest = &rest[1..];
            } else if byte == 0x7f {
                rest = &rest[1..];
            } else {
                rest = self.character(rest, sink);
            }
        }
        rest
    }

    /// A character beyond ASCII, or its replacement. Keeps an unfinished tail for the next chunk.
    #[inline]
    fn character<'a, S: Sink>(&mut self, bytes: &'a [u8], sink: &mut S) -> &'a [u8] {
        match decode(bytes) {
            Decoded::Char(c, len) => {
                self.beyond_ascii(c, sink);
                &bytes[len..]
            }
            Decoded::Invalid(len) => {
                sink.print(char::REPLACEMENT_CHARACTER);
                &bytes[len..]
            }
            Decoded::Incomplete => {
                self.partial[..bytes.len()].copy_from_slice(bytes);
                self.partial_len = bytes.len() as u8;
                &[]
            }
        }
    }

    /// Completes a character begun in an earlier chunk, byte by byte.
    fn resume_character<'a, S: Sink>(&mut self, bytes: &'a [u8], sink: &mut S) -> &'a [u8] {
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            let held = usize::from(self.partial_len);
            self.partial[held] = byte;
            match decode(&self.partial[..held + 1]) {
                Decoded::Incomplete => {
                    self.partial_len += 1;
                    rest = after;
                }
                Decoded::Char(c, _) => {
                    self.partial_len = 0;
                    self.beyond_ascii(c, sink);
                    return after;
                }
                Decoded::Invalid(_) => {
                    // The held bytes were a maximal prefix; the new byte starts over.
                    self.partial_len = 0;
                    sink.print(char::REPLACEMENT_CHARACTER);
                    return rest;
                }
            }
        }
        rest
    }

    #[inline]
    fn beyond_ascii<S: Sink>(&mut self, c: char, sink: &mut S) {
        if ('\u{80}'..='\u{9f}').contains(&c) { self.c1(c as u8, sink) } else { sink.print(c) }
    }

    /// C1 controls are recognised only in UTF-8, so a stray byte is never one.
    fn c1<S: Sink>(&mut self, byte: u8, sink: &mut S) {
        self.enter_escape();
        match byte {
            0x90 => self.enter_string(StringKind::Dcs),
            0x98 => self.enter_string(StringKind::Sos),
            0x9b => self.enter_csi(),
            0x9d => self.enter_string(StringKind::Osc),
            0x9e => self.enter_string(StringKind::Pm),
            0x9f => self.enter_string(StringKind::Apc),
            0x9c => self.state = ParserState::Ground,
            _ => {
                self.state = ParserState::Ground;
                sink.control(byte);
            }
        }
    }

    fn enter_escape(&mut self) {
        self.state = ParserState::Escape;
        self.intermediates = IntermediateBytes::default();
    }

    fn enter_csi(&mut self) {
        self.state = ParserState::CsiEntry;
        self.params.clear();
    }

    fn enter_string(&mut self, kind: StringKind) {
        self.state = ParserState::String(kind);
        self.string.clear();
        self.string.shrink_to(KEPT_STRING);
        self.string_overflow = false;
    }

    /// The states with few bytes, which are handled one byte at a time.
    fn step<S: Sink>(&mut self, byte: u8, sink: &mut S) {
        if let ParserState::StringEscape(kind) = self.state {
            self.string_escape(kind, byte, sink);
            return;
        }
        match byte {
            CAN | SUB => {
                self.state = ParserState::Ground;
                sink.control(byte);
                return;
            }
            ESC => return self.enter_escape(),
            0x00..=0x1f => return sink.control(byte),
            0x7f => return,
            0x80.. => {
                // No sequence contains such a byte: the sequence is dropped, and the byte is text again.
                self.state = ParserState::Ground;
                self.character(&[byte], sink);
                return;
            }
            _ => {}
        }
        match self.state {
            ParserState::Escape => match byte {
                0x20..=0x2f => {
                    self.intermediates.push(byte);
                    self.state = ParserState::EscapeIntermediate;
                }
                b'[' => self.enter_csi(),
                b']' => self.enter_string(StringKind::Osc),
                b'P' => self.enter_string(StringKind::Dcs),
                b'X' => self.enter_string(StringKind::Sos),
                b'^' => self.enter_string(StringKind::Pm),
                b'_' => self.enter_string(StringKind::Apc),
                _ => self.finish_escape(byte, sink),
            },
            ParserState::EscapeIntermediate => match byte {
                0x20..=0x2f => {
                    self.intermediates.push(byte);
                }
                _ => self.finish_escape(byte, sink),
            },
            ParserState::CsiIntermediate => match byte {
                0x20..=0x2f => {
                    if !self.intermediates.push(byte) {
                        self.state = ParserState::CsiIgnore;
                    }
                }
                0x30..=0x3f => self.state = ParserState::CsiIgnore,
                _ => {
                    self.state = ParserState::Ground;
                    sink.csi(&self.params, self.intermediates, byte);
                }
            },
            ParserState::CsiIgnore => {
                if byte >= 0x40 {
                    self.state = ParserState::Ground;
                }
            }
            // These states have loops of their own in `feed`.
            ParserState::Ground
            | ParserState::CsiEntry
            | ParserState::CsiParam
            | ParserState::String(_)
            | ParserState::StringEscape(_) => {
                unreachable!("handled by feed")
            }
        }
    }

    fn finish_escape<S: Sink>(&mut self, byte: u8, sink: &mut S) {
        self.state = ParserState::Ground;
        sink.escape(self.intermediates, byte);
    }

    /// Marker and parameters of a control sequence, which are most of the bytes of a repaint.
    #[inline]
    fn csi_params<'a, S: Sink>(&mut self, bytes: &'a [u8], sink: &mut S) -> &'a [u8] {
        let mut rest = bytes;
        loop {
            rest = self.params.number(rest);
            let Some((&byte, after)) = rest.split_first() else {
                self.state = if bytes.is_empty() { self.state } else { ParserState::CsiParam };
                return rest;
            };
            let first = self.state == ParserState::CsiEntry && rest.len() == bytes.len();
            rest = after;
            match byte {
                b';' | b':' => self.params.separator(byte == b':'),
                0x40..=0x7e => {
                    self.state = ParserState::Ground;
                    sink.csi(&self.params, self.intermediates, byte);
                    return rest;
                }
                0x3c..=0x3f => {
                    self.state = if first && self.intermediates.push(byte) {
                        ParserState::CsiParam
                    } else {
                        ParserState::CsiIgnore
                    };
                    return rest;
                }
                0x20..=0x2f => {
                    self.state = if self.intermediates.push(byte) {
                        ParserState::CsiIntermediate
                    } else {
                        ParserState::CsiIgnore
                    };
                    return rest;
                }
                _ => {
                    self.state = ParserState::CsiParam;
                    self.step_in_csi(byte, sink);
                    return rest;
                }
            }
            self.state = ParserState::CsiParam;
        }
    }

    /// A control or foreign byte in the middle of a control sequence.
    fn step_in_csi<S: Sink>(&mut self, byte: u8, sink: &mut S) {
        match byte {
            CAN | SUB => {
                self.state = ParserState::Ground;
                sink.control(byte);
            }
            ESC => self.enter_escape(),
            0x00..=0x1f => sink.control(byte),
            0x7f => {}
            _ => {
                self.state = ParserState::Ground;
                self.character(&[byte], sink);
            }
        }
    }

    fn string_body<'a, S: Sink>(&mut self, kind: StringKind, bytes: &'a [u8], sink: &mut S) -> &'a [u8] {
        let end =
            bytes.iter().position(|&byte| matches!(byte, ESC | CAN | SUB) || (byte == BEL && kind == StringKind::Osc));
        let body = &bytes[..end.unwrap_or(bytes.len())];
        if self.string.len() + body.len() > MAX_STRING {
            self.string_overflow = true;
        } else if matches!(kind, StringKind::Osc | StringKind::Dcs) {
            self.string.extend_from_slice(body);
        }
        let Some(end) = end else { return &[] };
        match bytes[end] {
            ESC => self.state = ParserState::StringEscape(kind),
            BEL => self.finish_string(kind, StringTerminator::Bell, sink),
            _ => {
                self.state = ParserState::Ground;
                sink.control(bytes[end]);
            }
        }
        &bytes[end + 1..]
    }

    fn string_escape<S: Sink>(&mut self, kind: StringKind, byte: u8, sink: &mut S) {
        if byte == b'\\' {
            self.finish_string(kind, StringTerminator::StringTerminator, sink);
        } else {
            self.enter_escape();
            if byte != ESC {
                self.step(byte, sink);
            }
        }
    }

    fn finish_string<S: Sink>(&mut self, kind: StringKind, terminator: StringTerminator, sink: &mut S) {
        self.state = ParserState::Ground;
        if !self.string_overflow {
            sink.string(kind, &self.string, terminator);
        }
        self.string.clear();
    }
}

/// Length of the run of printable ASCII at the start, eight bytes at a time.
#[inline]
fn printable_prefix(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut len = 0;
    for chunk in bytes.chunks_exact(8) {
        let word = u64::from_le_bytes(chunk.try_into().expect("chunks of eight"));
        // The high bit of each byte is set for values below 0x20, for 0x7f, and above. Borrows only spill upwards past
        // a byte that is already marked, so the lowest mark is exact.
        let low = word.wrapping_sub(ONES * 0x20);
        let delete = (word ^ (ONES * 0x7f)).wrapping_sub(ONES);
        let marks = (low | delete | word) & HIGH;
        if marks != 0 {
            return len + marks.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    len + bytes[len..].iter().take_while(|byte| (0x20..0x7f).contains(*byte)).count()
}

enum Decoded {
    Char(char, usize),
    /// The number of bytes at the start that don't form a character: a maximal prefix of one, or a stray byte.
    Invalid(usize),
    Incomplete,
}

/// Decodes the character at the start of `bytes`, which begins beyond ASCII.
#[inline]
fn decode(bytes: &[u8]) -> Decoded {
    let first = bytes[0];
    // The second byte's range depends on the first (no overlong forms, no surrogates, no more than U+10FFFF).
    let (len, low, high, bits) = match first {
        0xc2..=0xdf => (2, 0x80, 0xbf, first & 0x1f),
        0xe0 => (3, 0xa0, 0xbf, first & 0x0f),
        0xed => (3, 0x80, 0x9f, first & 0x0f),
        0xe1..=0xef => (3, 0x80, 0xbf, first & 0x0f),
        0xf0 => (4, 0x90, 0xbf, first & 0x07),
        0xf1..=0xf3 => (4, 0x80, 0xbf, first & 0x07),
        0xf4 => (4, 0x80, 0x8f, first & 0x07),
        _ => return Decoded::Invalid(1),
    };
    let mut code = u32::from(bits);
    for index in 1..len {
        let Some(&byte) = bytes.get(index) else { return Decoded::Incomplete };
        let range = if index == 1 { low..=high } else { 0x80..=0xbf };
        if !range.contains(&byte) {
            return Decoded::Invalid(index);
        }
        code = code << 6 | u32::from(byte & 0x3f);
    }
    match char::from_u32(code) {
        Some(c) => Decoded::Char(c, len),
        None => Decoded::Invalid(len),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default, Debug, PartialEq)]
    struct Log(Vec<String>);

    impl Sink for Log {
        fn print_ascii(&mut self, text: &[u8]) {
            for &byte in text {
                self.print(char::from(byte));
            }
        }
        fn print(&mut self, c: char) {
            self.0.push(format!("print {c}"));
        }
        fn control(&mut self, byte: u8) {
            self.0.push(format!("control {byte:02x}"));
        }
        fn escape(&mut self, intermediates: IntermediateBytes, last: u8) {
            self.0.push(format!("esc {:?}{}", String::from_utf8_lossy(intermediates.as_bytes()), char::from(last)));
        }
        fn csi(&mut self, params: &SequenceParams, intermediates: IntermediateBytes, last: u8) {
            let values: Vec<String> = (0..params.len()).map(|index| params.get(index).to_string()).collect();
            let marker = String::from_utf8_lossy(intermediates.as_bytes()).into_owned();
            self.0.push(format!("csi {marker:?} {} {}", values.join(";"), char::from(last)));
        }
        fn string(&mut self, kind: StringKind, body: &[u8], terminator: StringTerminator) {
            self.0.push(format!("{kind:?} {:?} {terminator:?}", String::from_utf8_lossy(body)));
        }
    }

    fn parse(bytes: &[u8]) -> Vec<String> {
        let mut log = Log::default();
        Parser::new().feed(bytes, &mut log);
        log.0
    }

    #[test]
    fn sequences() {
        assert_eq!(parse(b"\x1b[1;22H"), ["csi \"\" 1;22 H"]);
        assert_eq!(parse(b"\x1b[?25l"), ["csi \"?\" 25 l"]);
        assert_eq!(parse(b"\x1b[?2026$p"), ["csi \"?$\" 2026 p"]);
        assert_eq!(parse(b"\x1b(0"), ["esc \"(\"0"]);
        assert_eq!(parse(b"\x1b]0;hi\x07"), ["Osc \"0;hi\" Bell"]);
        assert_eq!(parse(b"\x1bP$qm\x1b\\x"), ["Dcs \"$qm\" StringTerminator", "print x"]);
        assert_eq!(parse("\u{9b}5A".as_bytes()), ["csi \"\" 5 A"]);
    }

    #[test]
    fn broken_sequences_leave_no_trace() {
        assert_eq!(parse(b"\x1b[1\x18x"), ["control 18", "print x"]);
        assert_eq!(parse(b"\x1b[1\x1b[2J"), ["csi \"\" 2 J"]);
        assert_eq!(parse(b"\x1b[1?2Jx"), ["print x"]);
        assert_eq!(parse(b"\x1b[3\n4H"), ["control 0a", "csi \"\" 34 H"]);
        assert_eq!(parse(b"\x1b]0;a\x1b[1mx"), ["csi \"\" 1 m", "print x"]);
    }

    #[test]
    fn invalid_utf8_becomes_one_mark_per_maximal_prefix() {
        let text: String = parse(b"a\xf0\x9f\x98z\xff\xc3(").iter().map(|entry| &entry[6..]).collect();
        assert_eq!(text, "a\u{fffd}z\u{fffd}\u{fffd}(");
    }

    #[test]
    fn overlong_strings_are_dropped_whole() {
        let mut bytes = b"\x1b]52;c;".to_vec();
        bytes.resize(MAX_STRING + 100, b'A');
        bytes.extend(b"\x07ok");
        assert_eq!(parse(&bytes), ["print o", "print k"]);
    }

    #[test]
    fn any_cut_gives_the_same_tokens() {
        let stream = "a\x1b[38;2;1;2;3mé漢😀\x1b]8;;x\x1b\\\x1bP+q544e\x1b\\\u{9b}2J\x1b[?1$p\x7f\r\n".as_bytes();
        let mut broken = stream.to_vec();
        broken.extend(b"\xf0\x9f\xe2\x82\x1b[\xc3\xa9\x1b");
        let whole = parse(&broken);
        for cut in 0..=broken.len() {
            let mut log = Log::default();
            let mut parser = Parser::new();
            parser.feed(&broken[..cut], &mut log);
            let before = log.0.len();
            let pending = parser.pending();
            parser.feed(&broken[cut..], &mut log);
            assert_eq!(log.0, whole, "cut at {cut}");

            let mut other = Log::default();
            let mut resumed = Parser::new();
            resumed.feed(&pending, &mut other);
            resumed.feed(&broken[cut..], &mut other);
            assert_eq!(other.0, whole[before..], "resumed at {cut} from {pending:?}");
        }
    }

    #[test]
    fn printable_prefix_is_exact() {
        for stop in [0x00u8, 0x1f, 0x7f, 0x80, 0xff] {
            for at in 0..20 {
                let mut bytes = vec![b'~'; 24];
                bytes[at] = stop;
                assert_eq!(printable_prefix(&bytes), at, "{stop:02x} at {at}");
            }
        }
        assert_eq!(printable_prefix(b" ~ abc"), 6);
    }
}
