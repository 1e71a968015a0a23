//! Decodes bytes as text when a read may end within a character.

/// Holds back an incomplete character until the rest of it comes.
#[derive(Debug, Default)]
pub(crate) struct Utf8Pieces {
    held: Vec<u8>,
}

impl Utf8Pieces {
    /// The text of `bytes`, preceded by what was held back. Invalid UTF-8 becomes U+FFFD.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> String {
        let joined;
        let bytes = if self.held.is_empty() {
            bytes
        } else {
            self.held.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.held);
            &joined[..]
        };
        let whole = bytes.len() - open_character(bytes);
        self.held = bytes[whole..].to_vec();
        String::from_utf8_lossy(&bytes[..whole]).into_owned()
    }

    /// Flushes what is held back, which can't become a character any more.
    pub(crate) fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.held)).into_owned()
    }
}

/// The number of bytes at the end that may be an incomplete character: at most three.
fn open_character(bytes: &[u8]) -> usize {
    // Everything before the last start of a character is complete or invalid.
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    let Some(start) = tail.iter().rposition(|byte| *byte >= 0xc0) else { return 0 };
    match std::str::from_utf8(&tail[start..]) {
        Err(error) if error.error_len().is_none() => tail.len() - start,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn in_pieces(pieces: &[&[u8]]) -> String {
        let mut text = Utf8Pieces::default();
        let mut out: String = pieces.iter().map(|piece| text.take(piece)).collect();
        out.push_str(&text.finish());
        out
    }

    #[test]
    fn characters_are_never_split() {
        let mut text = Utf8Pieces::default();
        assert_eq!(text.take(b"a\xf0\x9f"), "a");
        assert_eq!(text.take(b"\x98"), "");
        assert_eq!(text.take(b"\x80b\xc3"), "😀b");
        assert_eq!(text.take(b"x"), "\u{fffd}x");
        assert_eq!(text.take(b"\xe2\x82"), "");
        assert_eq!(text.finish(), "\u{fffd}");
        assert_eq!(text.finish(), "");
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_text(bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 0x80u8..=0xf4], 0..40), cuts in proptest::collection::vec(0usize..40, 0..6)) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(in_pieces(&pieces), String::from_utf8_lossy(&bytes));
        }
    }
}
