//! A moment in a session's output, which separates new output from old.

use std::ops::Range;

use crate::io::screen::SessionScreen;
use crate::wait::MatchPlace;
use crate::wait::line_scan::LineBatch;

/// Cheap enough to take before each input: it contains the text of one screen.
#[derive(Clone, Debug)]
pub struct OutputMark {
    /// The content of the screen at that moment. Lines before it were finished.
    then: LineBatch,
    /// The entries that have not changed since, in the order of [`LineBatch::iter`].
    known: Vec<MarkedScreen>,
    /// Raw output from this offset on is new.
    pub(crate) offset: u64,
}

#[derive(Clone, Debug)]
struct MarkedScreen {
    place: MatchPlace,
    text: Range<usize>,
}

impl OutputMark {
    pub(crate) fn of(screen: &mut SessionScreen) -> Self {
        let then = screen.lines_from(screen.terminal.first_screen_line());
        let known = then.places().map(|(place, text)| MarkedScreen { place, text }).collect();
        OutputMark { then, known, offset: screen.offset() }
    }

    pub(crate) fn first_line(&self) -> u64 {
        self.then.first_screen_line
    }

    /// The number of bytes at the start of `text` that were there at the mark already; `None` if none were.
    pub(crate) fn known_prefix(&self, place: MatchPlace, text: &str) -> Option<usize> {
        if matches!(place, MatchPlace::Line(line) if line < self.first_line()) {
            // A screen that grew took it back from history: all of it is old.
            return Some(text.len());
        }
        let at = self.known.binary_search_by_key(&order(place), |known| order(known.place)).ok()?;
        Some(common_prefix(&self.then.text()[self.known[at].text.clone()], text))
    }

    /// A line that changed once is new from then on, even if it gets its old text again: a screen that is cleared and
    /// printed again is new output.
    pub(crate) fn forget_what_changed(&mut self, batch: &LineBatch) {
        let OutputMark { then, known, .. } = self;
        let old = then.text();
        let mut now = batch.iter().peekable();
        known.retain_mut(|MarkedScreen { place, text }| {
            while now.next_if(|(other, _)| order(*other) < order(*place)).is_some() {}
            match now.next_if(|(other, _)| other == place) {
                Some((_, new)) => {
                    text.end = text.start + common_prefix(&old[text.clone()], new);
                    text.start < text.end
                }
                // No longer on the screen, unless the batch ended before it.
                None => !batch.is_last || matches!(place, MatchPlace::Line(line) if *line < batch.lines.start),
            }
        });
    }
}

/// Lines, then the rows of an alternate screen, as in a [`LineBatch`].
fn order(place: MatchPlace) -> (u8, u64) {
    match place {
        MatchPlace::Line(line) => (0, line),
        MatchPlace::Row(row) => (1, row.into()),
        MatchPlace::Output => (2, 0),
    }
}

/// In bytes, at a character boundary.
fn common_prefix(old: &str, new: &str) -> usize {
    if old == new {
        return new.len();
    }
    let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    (0..=same).rev().find(|at| new.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_between_characters() {
        for (old, new, expected) in [
            ("", "x", 0),
            ("abc", "abc", 3),
            ("abc", "abd", 2),
            ("abc", "ab", 2),
            ("\u{e9}", "\u{e8}", 0),
            ("a\u{e9}", "a\u{e9}b", 3),
        ] {
            assert_eq!(common_prefix(old, new), expected, "{old:?} {new:?}");
        }
    }
}
