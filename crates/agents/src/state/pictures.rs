//! Finds the ends of pictures in a stream whose times are not known: bytes in, offsets out. Knows no vendors.
//!
//! Programs end a picture with a synchronized update, by showing the cursor again, or with a title. Programs that do
//! none of these draw from top to bottom and start the next picture by moving back over what they drew; so a picture
//! ends there.

/// Longest sequence that is parsed.
const LONGEST: usize = 8 << 10;

/// The end of each picture, in order; the last one is the end of the stream.
pub(super) fn ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let (mut begin, mut drawn, mut held) = (0, false, false);
    let mut at = 0;
    while at < bytes.len() {
        let piece = Piece::at(&bytes[at..]);
        if matches!(piece.kind, PictureKind::Back | PictureKind::Hold) && drawn && !held {
            ends.push(at);
            (begin, drawn) = (at, false);
        }
        at += piece.length;
        drawn |= piece.kind == PictureKind::Text;
        held = (held || piece.kind == PictureKind::Hold) && piece.kind != PictureKind::Release;
        if matches!(piece.kind, PictureKind::Release | PictureKind::End) || at - begin >= LONGEST {
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
    kind: PictureKind,
    length: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PictureKind {
    Text,
    /// A move back over what was drawn, up, left, to the row's start or to a position, or erasing it.
    Back,
    /// A synchronized update begins; nothing is shown until its end.
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
            [0x1b, b']', rest @ ..] => Piece { kind: PictureKind::End, length: 2 + string_length(rest) },
            [0x1b, _, ..] => Piece { kind: PictureKind::Other, length: 2 },
            [0x1b] | [b'\n', ..] => Piece { kind: PictureKind::Other, length: 1 },
            // Before a line feed it is only part of the line end.
            [b'\r', rest @ ..] => {
                let line_end = rest.iter().find(|byte| **byte != b'\r').is_none_or(|byte| *byte == b'\n');
                Piece { kind: if line_end { PictureKind::Other } else { PictureKind::Back }, length: 1 }
            }
            [0x08, ..] => Piece { kind: PictureKind::Back, length: 1 },
            _ => {
                let length = bytes.iter().position(|byte| matches!(byte, 0x1b | b'\r' | b'\n' | 0x08));
                Piece { kind: PictureKind::Text, length: length.unwrap_or(bytes.len()).clamp(1, LONGEST) }
            }
        }
    }

    /// After `ESC [`.
    fn control(rest: &[u8]) -> Self {
        // Longer sequences are invalid: a damaged stream must not be searched to its end for each byte.
        let Some(last) = rest.iter().take(64).position(|byte| (0x40..=0x7e).contains(byte)) else {
            return Piece { kind: PictureKind::Other, length: 2 };
        };
        let kind = match (&rest[..last], rest[last]) {
            (b"?2026", b'h') => PictureKind::Hold,
            (b"?2026", b'l') => PictureKind::Release,
            (b"?25", b'h') => PictureKind::End,
            (b"?25", b'l') | (_, b'A' | b'D' | b'F' | b'H' | b'J') | (b"1" | b"2", b'K') => PictureKind::Back,
            // Scrolls or clears: it changes the picture as text does.
            (b"" | b"0", b'K') => PictureKind::Text,
            _ => PictureKind::Other,
        };
        Piece { kind, length: 2 + last + 1 }
    }
}

/// The length of a string with its BEL or ST, or of a bounded part of an unterminated one.
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
