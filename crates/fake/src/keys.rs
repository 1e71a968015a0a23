//! Bytes from the terminal to keys: legacy, kitty and modifyOtherKeys alike, whatever the host sends.
//!
//! Answers to the queries a fake sends at its start, mouse reports and releases are swallowed here: none of them may
//! ever reach the prompt box as text.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Char(char),
    Enter,
    /// LF, or Enter with a modifier: a line end in the box.
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

/// One paste. The rest of a larger one is dropped.
const MAX_PASTE: usize = 4 << 20;
/// A control sequence or string that is still not over is none.
const MAX_SEQUENCE: usize = 64 << 10;

const PASTE_END: &[u8] = b"\x1b[201~";

#[derive(Debug, Default)]
pub(crate) struct Decoder {
    pending: Vec<u8>,
    /// What was pasted so far, while the bracket is open.
    paste: Option<Vec<u8>>,
}

enum Taken {
    /// So many bytes were one key, or none worth knowing.
    Key(usize, Option<Key>),
    OpenPaste(usize),
    More,
}

impl Decoder {
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Key> {
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
                Taken::Key(count, key) => {
                    self.pending.drain(..count);
                    keys.extend(key);
                }
                Taken::OpenPaste(count) => {
                    self.pending.drain(..count);
                    self.paste = Some(Vec::new());
                }
                Taken::More if self.pending.len() > MAX_SEQUENCE => self.pending.clear(),
                Taken::More => return keys,
            }
        }
    }

    /// Whether an Escape may be waiting for the rest of a sequence.
    pub(crate) fn is_undecided(&self) -> bool {
        self.paste.is_none() && !self.pending.is_empty()
    }

    /// Nothing came for a while: what waits is a key of its own.
    pub(crate) fn settle(&mut self) -> Option<Key> {
        let escape = self.pending == [0x1b];
        if self.is_undecided() {
            self.pending.clear();
        }
        escape.then_some(Key::Escape)
    }

    fn take_paste(&mut self) -> Option<Key> {
        let paste = self.paste.as_mut()?;
        let end = self.pending.windows(PASTE_END.len()).position(|window| window == PASTE_END);
        // The bracket may be cut by the read: its possible beginning stays.
        let take = end.unwrap_or(self.pending.len().saturating_sub(PASTE_END.len() - 1));
        paste.extend(self.pending.drain(..take));
        paste.truncate(MAX_PASTE);
        end?;
        self.pending.drain(..PASTE_END.len());
        let text = String::from_utf8_lossy(paste).replace("\r\n", "\n").replace('\r', "\n");
        self.paste = None;
        Some(Key::Paste(text))
    }
}

fn take(bytes: &[u8]) -> Taken {
    let key = |key| Taken::Key(1, Some(key));
    match bytes[0] {
        b'\r' => key(Key::Enter),
        b'\n' => key(Key::Newline),
        b'\t' => key(Key::Tab),
        0x7f | 0x08 => key(Key::Backspace),
        0x03 => key(Key::Interrupt),
        0x04 => key(Key::EndOfInput),
        0x15 => key(Key::Clear),
        0x1b => take_escape(bytes),
        0..0x20 => Taken::Key(1, None),
        0x20..0x7f => key(Key::Char(char::from(bytes[0]))),
        0x80.. => take_utf8(bytes),
    }
}

fn take_utf8(bytes: &[u8]) -> Taken {
    let len = match bytes[0] {
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => 1,
    };
    if bytes.len() < len {
        return Taken::More;
    }
    let text = std::str::from_utf8(&bytes[..len]).ok();
    match text.and_then(|text| text.chars().next()) {
        Some(c) => Taken::Key(len, Some(Key::Char(c))),
        None => Taken::Key(1, Some(Key::Char(char::REPLACEMENT_CHARACTER))),
    }
}

fn take_escape(bytes: &[u8]) -> Taken {
    let Some(second) = bytes.get(1) else { return Taken::More };
    match second {
        b'[' => take_csi(bytes),
        b'O' => match bytes.get(2) {
            None => Taken::More,
            Some(last) => Taken::Key(3, arrow(*last)),
        },
        // OSC, DCS, APC, PM, SOS: answers to queries.
        b']' | b'P' | b'_' | b'^' | b'X' => match string_end(&bytes[2..]) {
            Some(end) => Taken::Key(2 + end, None),
            None => Taken::More,
        },
        b'\r' | b'\n' => Taken::Key(2, Some(Key::Newline)),
        0x1b => Taken::Key(1, Some(Key::Escape)),
        // Alt with a letter.
        _ => Taken::Key(2, None),
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

fn take_csi(bytes: &[u8]) -> Taken {
    let body = &bytes[2..];
    let Some(end) = body.iter().position(|byte| (0x40..0x7f).contains(byte)) else { return Taken::More };
    let (parameters, last) = (&body[..end], body[end]);
    let count = 2 + end + 1;
    let text = String::from_utf8_lossy(parameters);
    // Reports start with a private mark, as mouse reports and device attributes do.
    if text.starts_with(['?', '<', '>', '=']) {
        return Taken::Key(count, None);
    }
    let fields: Vec<Vec<u32>> =
        text.split(';').map(|field| field.split(':').map(|part| part.parse().unwrap_or(0)).collect()).collect();
    let field = |index: usize, part: usize| fields.get(index).and_then(|field| field.get(part)).copied().unwrap_or(0);
    let released = field(1, 1) == 3;
    let modifiers = field(1, 0).saturating_sub(1);
    let key = match last {
        _ if released => None,
        b'A'..=b'D' => arrow(last),
        b'Z' => Some(Key::BackTab),
        b'u' => modified(field(0, 0), modifiers),
        b'~' if field(0, 0) == 200 => return Taken::OpenPaste(count),
        b'~' if field(0, 0) == 27 => modified(field(2, 0), modifiers),
        _ => None,
    };
    Taken::Key(count, key)
}

fn arrow(last: u8) -> Option<Key> {
    match last {
        b'A' => Some(Key::Up),
        b'B' => Some(Key::Down),
        b'C' => Some(Key::Right),
        b'D' => Some(Key::Left),
        _ => None,
    }
}

/// `modifiers` are kitty's bits: shift 1, alt 2, ctrl 4.
fn modified(code: u32, modifiers: u32) -> Option<Key> {
    let c = char::from_u32(code)?;
    let control = modifiers & 4 != 0;
    match c {
        '\r' if modifiers & 7 == 0 => Some(Key::Enter),
        '\r' => Some(Key::Newline),
        '\t' if modifiers & 1 != 0 => Some(Key::BackTab),
        '\t' => Some(Key::Tab),
        '\x1b' => Some(Key::Escape),
        '\x7f' | '\x08' => Some(Key::Backspace),
        'c' if control => Some(Key::Interrupt),
        'd' if control => Some(Key::EndOfInput),
        'u' if control => Some(Key::Clear),
        'j' if control => Some(Key::Newline),
        c if modifiers & 6 == 0 && !c.is_control() => Some(Key::Char(c)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> Vec<Key> {
        Decoder::default().feed(bytes)
    }

    #[test]
    fn keys_of_every_keyboard() {
        for (bytes, key) in [
            (&b"\r"[..], Key::Enter),
            (b"\x1b[13u", Key::Enter),
            (b"\n", Key::Newline),
            (b"\x1b\r", Key::Newline),
            (b"\x1b[13;2u", Key::Newline),
            (b"\x03", Key::Interrupt),
            (b"\x1b[99;5u", Key::Interrupt),
            (b"\x1b[27;5;99~", Key::Interrupt),
            (b"\x1b[27u", Key::Escape),
            (b"\x1b[A", Key::Up),
            (b"\x1bOB", Key::Down),
            (b"\x1b[1;1:1D", Key::Left),
            ("漢".as_bytes(), Key::Char('漢')),
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
        let expected = vec![Key::Paste("one\ntwo\x1b[200~\n漢".into()), Key::Enter];
        for cut in 0..stream.len() {
            let mut decoder = Decoder::default();
            let mut keys = decoder.feed(&stream[..cut]);
            keys.extend(decoder.feed(&stream[cut..]));
            assert_eq!(keys, expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_lone_escape_is_a_key_after_a_while() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.feed(b"\x1b"), []);
        assert!(decoder.is_undecided());
        assert_eq!(decoder.settle(), Some(Key::Escape));
        assert_eq!(decoder.feed(b"\x1b\x1b[13u"), [Key::Escape, Key::Enter]);
    }
}
