//! A moment in a session's output: tells what was printed after it from what was there before.

use std::collections::HashMap;

use crate::line_scan::Batch;
use crate::screen::Screen;
use crate::waits::Place;

/// Cheap enough to take before each input: it holds the text of one screen.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Lines before this were finished.
    first_line: u64,
    /// What was on the screen then and has not changed since.
    known: HashMap<Place, String>,
    /// Raw output from here on is new.
    pub(crate) offset: u64,
}

impl Mark {
    pub(crate) fn of(screen: &Screen) -> Self {
        let first_line = screen.terminal.first_screen_line();
        let batch = Batch::copy_of(screen, first_line);
        let known = batch.iter().map(|(place, text)| (place, text.to_owned())).collect();
        Mark { first_line, known, offset: screen.offset() }
    }

    pub(crate) fn first_line(&self) -> u64 {
        self.first_line
    }

    /// Bytes at the start of `text` that were there at the mark already; `None` when none of it was.
    pub(crate) fn known_prefix(&self, place: Place, text: &str) -> Option<usize> {
        if matches!(place, Place::Line(line) if line < self.first_line) {
            // A screen that grew took it back from history: all of it is old.
            return Some(text.len());
        }
        self.known.get(&place).map(|old| common_prefix(old, text))
    }

    /// What has changed once is new from then on, even if it becomes what it was: a screen that is
    /// cleared and printed again is new output.
    pub(crate) fn forget_what_changed(&mut self, batch: &Batch) {
        let mut seen: HashMap<Place, &str> = batch.iter().collect();
        self.known.retain(|place, old| match seen.remove(place) {
            Some(text) => {
                old.truncate(common_prefix(old, text));
                !old.is_empty()
            }
            // Not on the screen any more, unless the batch ended before it.
            None => !batch.is_last || matches!(place, Place::Line(line) if *line < batch.lines.start),
        });
    }
}

/// In bytes, at a border of characters.
fn common_prefix(old: &str, new: &str) -> usize {
    let same = old.chars().zip(new.chars()).take_while(|(old, new)| old == new);
    same.map(|(old, _)| old.len_utf8()).sum()
}
