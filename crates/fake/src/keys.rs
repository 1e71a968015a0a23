//! Decodes the terminal's bytes into keys: legacy, kitty and modifyOtherKeys, whichever the host sends.
//!
//! Answers to the queries that a fake sends at its start, mouse reports and key releases are dropped here: none of them
//! may reach the prompt box as text.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypedKey {
    Char(char),
    Enter,
    /// LF, or Enter with a modifier: a line break in the box.
    Newline,
    Tab,
    BackTab,
    Backspace,
    Escape,
    Up,
    Down,
    Left,
    Right,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    EndOfInput,
    /// Ctrl-U.
    Clear,
    Paste(String),
}

/// Maximum bytes of a paste; the rest is dropped.
const MAX_PASTE: usize = 4 << 20;
/// A control sequence or string that is longer than this is invalid.
const MAX_SEQUENCE: usize = 64 << 10;

const PASTE_END: &[u8] = b"\x1b[201~";

#[derive(Debug, Default)]
pub(crate) struct TypedKeyDecoder {
    pending: Vec<u8>,
    /// The pasted text so far, while the bracket is open.
    paste: Option<Vec<u8>>,
}

enum DecodeStep {
    /// This many bytes were one key, or a sequence to be dropped.
    Key(usize, Option<TypedKey>),
    OpenPaste(usize),
    More,
}

impl TypedKeyDecoder {
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<TypedKey> {
        self.pending.extend_from_slice(bytes);
        let mut keys = Vec::new();
        loop {
            if self.paste.is_some() {
                match self.take_paste() {
                    Some(key) => keys.push(key),
                    None => return keys,
                }
            }
            if self.pending.is_empty() {
                return keys;
            }
            match take(&self.pending) {
                DecodeStep::Key(count, key) => {
                    self.pending.drain(..count);
                    keys.extend(key);
                }
                DecodeStep::OpenPaste(count) => {
                    self.pending.drain(..count);
                    self.paste = Some(Vec::new());
                }
                DecodeStep::More if self.pending.len() > MAX_SEQUENCE => self.pending.clear(),
                DecodeStep::More => return keys,
            }
        }
    }

    /// Whether a pending Escape may start a sequence.
    pub(crate) fn is_undecided(&self) -> bool {
        self.paste.is_none() && !self.pending.is_empty()
    }

    /// No more input came in time: the pending Escape is a key.
    pub(crate) fn settle(&mut self) -> Option<TypedKey> {
        let escape = self.pending == [0x1b];
        if self.is_undecided() {
            self.pending.clear();
        }
        escape.then_some(TypedKey::Escape)
    }

    fn take_paste(&mut self) -> Option<TypedKey> {
        let paste = self.paste.as_mut()?;
        let end = self.pending.windows(PASTE_END.len()).position(|window| window == PASTE_END);
        // The end marker may be split between two reads: keep its possible beginning.
        let take = end.unwrap_or(self.pending.len().saturating_sub(PASTE_END.len() - 1));
        paste.extend(self.pending.drain(..take));
        paste.truncate(MAX_PASTE);
        end?;
        self.pending.drain(..PASTE_END.len());
        let text = String::from_utf8_lossy(paste).replace("\r\n", "\n").replace('\r', "\n");
        self.paste = None;
        Some(TypedKey::Paste(text))
    }
}

fn take(bytes: &[u8]) -> DecodeStep {
    let key = |key| DecodeStep::Key(1, Some(key));
    match bytes[0] {
        b'\r' => key(TypedKey::Enter),
        b'\n' => key(TypedKey::Newline),
        b'\t' => key(TypedKey::Tab),
        0x7f | 0x08 => key(TypedKey::Backspace),
        0x03 => key(TypedKey::Interrupt),
        0x04 => key(TypedKey::EndOfInput),
        0x15 => key(TypedKey::Clear),
        0x1b => take_escape(bytes),
        0..0x20 => DecodeStep::Key(1, None),
        0x20..0x7f => key(TypedKey::Char(char::from(bytes[0]))),
        0x80.. => take_utf8(bytes),
    }
}

fn take_utf8(bytes: &[u8]) -> DecodeStep {
    let len = match bytes[0] {
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => 1,
    };
    if bytes.len() < len {
        return DecodeStep::More;
    }
    let text = std::str::from_utf8(&bytes[..len]).ok();
    match text.and_then(|text| text.chars().next()) {
        Some(c) => DecodeStep::Key(len, Some(TypedKey::Char(c))),
        None => DecodeStep::Key(1, Some(TypedKey::Char(char::REPLACEMENT_CHARACTER))),
    }
}

fn take_escape(bytes: &[u8]) -> DecodeStep {
    let Some(second) = bytes.get(1) else { return DecodeStep::More };
    match second {
        b'[' => take_csi(bytes),
        b'O' => match bytes.get(2) {
            None => DecodeStep::More,
            Some(last) => DecodeStep::Key(3, arrow(*last)),
        },
        // OSC, DCS, APC, PM, SOS: answers to queries.
        b']' | b'P' | b'_' | b'^' | b'X' => match string_end(&bytes[2..]) {
            Some(end) => DecodeStep::Key(2 + end, None),
            None => DecodeStep::More,
        },
        b'\r' | b'\n' => DecodeStep::Key(2, Some(TypedKey::Newline)),
        0x1b => DecodeStep::Key(1, Some(TypedKey::Escape)),
        // Alt with a letter.
        _ => DecodeStep::Key(2, None),
    }
}

fn string_end(bytes: &[u8]) -> Option<usize> {
    let end = bytes.iter().position(|byte| matches!(byte, 0x07 | 0x1b))?;
    match (bytes[end], bytes.get(end + 1)) {
        (0x07, _) => Some(end + 1),
        (_, Some(b'\\')) => Some(end + 2),
        (_, Some(_)) => Some(end),
        (_, None) => None,
    }
}

fn take_csi(bytes: &[u8]) -> DecodeStep {
    let body = &bytes[2..];
    let Some(end) = body.iter().position(|byte| (0x40..0x7f).contains(byte)) else { return DecodeStep::More };
    let (parameters, last) = (&body[..end], body[end]);
    let count = 2 + end + 1;
    let text = String::from_utf8_lossy(parameters);
    // Reports start with a private marker, such as mouse reports and device attributes.
    if text.starts_with(['?', '<', '>', '=']) {
        return DecodeStep::Key(count, None);
    }
    let fields: Vec<Vec<u32>> =
        text.split(';').map(|field| field.split(':').map(|part| part.parse().unwrap_or(0)).collect()).collect();
    let field = |index: usize, part: usize| fields.get(index).and_then(|field| field.get(part)).copied().unwrap_or(0);
    let released = field(1, 1) == 3;
    let modifiers = field(1, 0).saturating_sub(1);
    let key = match last {
        _ if released => None,
        b'A'..=b'D' => arrow(last),
        b'Z' => Some(TypedKey::BackTab),
        b'u' => modified(field(0, 0), modifiers),
        b'~' if field(0, 0) == 200 => return DecodeStep::OpenPaste(count),
        b'~' if field(0, 0) == 27 => modified(field(2, 0), modifiers),
        _ => None,
    };
    DecodeStep::Key(count, key)
}

fn arrow(last: u8) -> Option<TypedKey> {
    match last {
        b'A' => Some(TypedKey::Up),
        b'B' => Some(TypedKey::Down),
        b'C' => Some(TypedKey::Right),
        b'D' => Some(TypedKey::Left),
        _ => None,
    }
}

/// `modifiers` are kitty's bits: shift 1, alt 2, ctrl 4.
fn modified(code: u32, modifiers: u32) -> Option<TypedKey> {
    let c = char::from_u32(code)?;
    let control = modifiers & 4 != 0;
    match c {
        '\r' if modifiers & 7 == 0 => Some(TypedKey::Enter),
        '\r' => Some(TypedKey::Newline),
        '\t' if modifiers & 1 != 0 => Some(TypedKey::BackTab),
        '\t' => Some(TypedKey::Tab),
        '\x1b' => Some(TypedKey::Escape),
        '\x7f' | '\x08' => Some(TypedKey::Backspace),
        'c' if control => Some(TypedKey::Interrupt),
        'd' if control => Some(TypedKey::EndOfInput),
        'u' if control => Some(TypedKey::Clear),
        'j' if control => Some(TypedKey::Newline),
        c if modifiers & 6 == 0 && !c.is_control() => Some(TypedKey::Char(c)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> Vec<TypedKey> {
        TypedKeyDecoder::default().feed(bytes)
    }

    #[test]
    fn keys_of_every_keyboard() {
        for (bytes, key) in [
            (&b"\r"[..], TypedKey::Enter),
            (b"\x1b[13u", TypedKey::Enter),
            (b"\n", TypedKey::Newline),
            (b"\x1b\r", TypedKey::Newline),
            (b"\x1b[13;2u", TypedKey::Newline),
            (b"\x03", TypedKey::Interrupt),
            (b"\x1b[99;5u", TypedKey::Interrupt),
            (b"\x1b[27;5;99~", TypedKey::Interrupt),
            (b"\x1b[27u", TypedKey::Escape),
            (b"\x1b[A", TypedKey::Up),
            (b"\x1bOB", TypedKey::Down),
            (b"\x1b[1;1:1D", TypedKey::Left),
            ("漢".as_bytes(), TypedKey::Char('漢')),
        ] {
            assert_eq!(keys(bytes), [key], "{bytes:?}");
        }
    }

    #[test]
    fn answers_reports_and_releases_are_no_text() {
        for bytes in [
            &b"\x1b[?62;22c"[..],
            b"\x1b]11;rgb:0000/0000/0000\x1b\\",
            b"\x1b]10;rgb:ffff/ffff/ffff\x07",
            b"\x1bP>|patterm 1\x1b\\",
            b"\x1b[12;1R",
            b"\x1b[?2026;2$y",
            b"\x1b[I\x1b[O",
            b"\x1b[<0;10;10M",
            b"\x1b[13;1:3u",
            b"\x1b[1;1:3A",
            b"\x1b_Gi=31337;OK\x1b\\",
        ] {
            assert_eq!(keys(bytes), [], "{bytes:?}");
        }
    }

    #[test]
    fn a_paste_is_one_key_however_it_is_cut() {
        let stream = "\x1b[200~one\rtwo\x1b[200~\n漢\x1b[201~\r".as_bytes();
        let expected = vec![TypedKey::Paste("one\ntwo\x1b[200~\n漢".into()), TypedKey::Enter];
        for cut in 0..stream.len() {
            let mut decoder = TypedKeyDecoder::default();
            let mut keys = decoder.feed(&stream[..cut]);
            keys.extend(decoder.feed(&stream[cut..]));
            assert_eq!(keys, expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_lone_escape_is_a_key_after_a_while() {
        let mut decoder = TypedKeyDecoder::default();
        assert_eq!(decoder.feed(b"\x1b"), []);
        assert!(decoder.is_undecided());
        assert_eq!(decoder.settle(), Some(TypedKey::Escape));
        assert_eq!(decoder.feed(b"\x1b\x1b[13u"), [TypedKey::Escape, TypedKey::Enter]);
    }
}
