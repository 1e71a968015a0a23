//! Where pictures end in a stream whose times are not known: bytes in, offsets out. Knows no vendors.
//!
//! Programs end a picture with a synchronized update, the cursor shown again or a title. Those that do none of it draw
//! from the top to the bottom and begin the next picture by going back over what they drew; so one ends there.

/// The longest stretch that is not looked at.
const LONGEST: usize = 8 << 10;

/// Where each picture ends, in order; the last is the end of the stream.
pub(super) fn ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let (mut begin, mut drawn, mut held) = (0, false, false);
    let mut at = 0;
    while at < bytes.len() {
        let piece = Piece::at(&bytes[at..]);
        if matches!(piece.kind, Kind::Back | Kind::Hold) && drawn && !held {
            ends.push(at);
            (begin, drawn) = (at, false);
        }
        at += piece.length;
        drawn |= piece.kind == Kind::Text;
        held = (held || piece.kind == Kind::Hold) && piece.kind != Kind::Release;
        if matches!(piece.kind, Kind::Release | Kind::End) || at - begin >= LONGEST {
            ends.push(at);
            (begin, drawn) = (at, false);
        }
    }
    if begin < bytes.len() {
        ends.push(bytes.len());
    }
    ends
}

struct Piece {
    kind: Kind,
    length: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    /// Over what was drawn: up, left, to the row's begin, to a place, or erasing it.
    Back,
    /// A synchronized update begins; until its release, nothing is seen.
    Hold,
    Release,
    /// Comes last in a picture.
    End,
    Other,
}

impl Piece {
    fn at(bytes: &[u8]) -> Self {
        match bytes {
            [0x1b, b'[', rest @ ..] => Self::control(rest),
            [0x1b, b']', rest @ ..] => Piece { kind: Kind::End, length: 2 + string_length(rest) },
            [0x1b, _, ..] => Piece { kind: Kind::Other, length: 2 },
            [0x1b] | [b'\n', ..] => Piece { kind: Kind::Other, length: 1 },
            // Before a line feed, it is only a part of the line's end.
            [b'\r', rest @ ..] => {
                let line_end = rest.iter().find(|byte| **byte != b'\r').is_none_or(|byte| *byte == b'\n');
                Piece { kind: if line_end { Kind::Other } else { Kind::Back }, length: 1 }
            }
            [0x08, ..] => Piece { kind: Kind::Back, length: 1 },
            _ => {
                let length = bytes.iter().position(|byte| matches!(byte, 0x1b | b'\r' | b'\n' | 0x08));
                Piece { kind: Kind::Text, length: length.unwrap_or(bytes.len()).clamp(1, LONGEST) }
            }
        }
    }

    /// Behind `ESC [`.
    fn control(rest: &[u8]) -> Self {
        // Longer ones are none: a torn stream must not be searched to its end for each of its bytes.
        let Some(last) = rest.iter().take(64).position(|byte| (0x40..=0x7e).contains(byte)) else {
            return Piece { kind: Kind::Other, length: 2 };
        };
        let kind = match (&rest[..last], rest[last]) {
            (b"?2026", b'h') => Kind::Hold,
            (b"?2026", b'l') => Kind::Release,
            (b"?25", b'h') => Kind::End,
            (b"?25", b'l') | (_, b'A' | b'D' | b'F' | b'H' | b'J') | (b"1" | b"2", b'K') => Kind::Back,
            // Makes room for what is no more: it changes the picture as text does.
            (b"" | b"0", b'K') => Kind::Text,
            _ => Kind::Other,
        };
        Piece { kind, length: 2 + last + 1 }
    }
}

/// Of a string with its BEL or ST, or of a part of one that has neither for too long.
fn string_length(rest: &[u8]) -> usize {
    let window = &rest[..rest.len().min(LONGEST)];
    let end = window.iter().position(|byte| matches!(byte, 0x07 | 0x1b));
    match end {
        Some(at) if window[at] == 0x07 => at + 1,
        Some(at) if window.get(at + 1) == Some(&b'\\') => at + 2,
        Some(at) => at,
        None => window.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(text: &str) -> Vec<&str> {
        let mut begin = 0;
        ends(text.as_bytes()).into_iter().map(|end| &text[std::mem::replace(&mut begin, end)..end]).collect()
    }

    #[test]
    fn a_picture_ends_where_the_next_goes_back_over_it() {
        assert_eq!(parts("one\r\ntwo\r\n\x1b[2A\x1b[2Kthree\r\n"), ["one\r\ntwo\r\n", "\x1b[2A\x1b[2Kthree\r\n"]);
        assert_eq!(parts("\r\x1b[2K- wait\r\x1b[2K/ wait"), ["\r\x1b[2K- wait", "\r\x1b[2K/ wait"]);
        assert_eq!(parts("a\r\r\nb"), ["a\r\r\nb"], "a line's end is no way back");
        assert_eq!(parts("\x1b[2D\x1b[3B\r\x1b[4Aa"), ["\x1b[2D\x1b[3B\r\x1b[4Aa"], "nothing was drawn meanwhile");
    }

    #[test]
    fn a_picture_ends_with_an_update_a_cursor_or_a_title() {
        assert_eq!(parts("\x1b[?2026ha\x1b[1;1Hb\x1b[?2026lc"), ["\x1b[?2026ha\x1b[1;1Hb\x1b[?2026l", "c"]);
        assert_eq!(parts("a\x1b[?2026hb\x1b[?2026l"), ["a", "\x1b[?2026hb\x1b[?2026l"]);
        assert_eq!(parts("a\x1b[?25hb"), ["a\x1b[?25h", "b"]);
        assert_eq!(parts("\x1b]0;t\x07a\x1b]0;t\x1b\\b"), ["\x1b]0;t\x07", "a\x1b]0;t\x1b\\", "b"]);
    }

    proptest! {
        #[test]
        fn every_byte_is_in_one_picture_of_bounded_length(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "\x1b", "[", "]", "?2026h", "?2026l", "2K", "A", "text", "\r", "\n", "\x07", "\\", "\x08", "é",
            ]), 0..200),
            times in 1usize..40,
        ) {
            let bytes = pieces.concat().repeat(times).into_bytes();
            let ends = ends(&bytes);
            prop_assert_eq!(ends.last().copied().unwrap_or(0), bytes.len());
            prop_assert!(std::iter::once(0).chain(ends.iter().copied()).zip(&ends).all(|(from, to)| from < *to && to - from < 3 * LONGEST));
        }
    }
}
