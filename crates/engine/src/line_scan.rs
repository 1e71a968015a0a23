//! Looking for a pattern in rendered lines, those that are there and those that come.
//!
//! Lines have numbers that never change, so a scan remembers the next number to look at and finds
//! every line however fast it scrolled by, as long as the history still holds it. Lines on the
//! screen can still change and are looked at again each time.

use std::ops::Range;

use crate::pattern::Pattern;
use crate::shared::Shared;

/// Lines copied per turn of the screen lock: 120 columns of them take about 0.05 ms.
pub(crate) const LINES_PER_TURN: u64 = 512;

/// A moment in a session's output: what was on the screen then is not new.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Lines before this were finished.
    first: u64,
    /// The lines on the screen, from `first` on.
    lines: Vec<String>,
}

impl Mark {
    pub(crate) fn now(shared: &Shared) -> Self {
        let screen = shared.screen.lock();
        let first = screen.terminal.first_screen_line();
        let mut lines = Vec::new();
        screen.terminal.for_each_line(first..screen.terminal.lines().end, &mut |_, text| {
            lines.push(text.to_owned());
            true
        });
        Mark { first, lines }
    }

    /// Bytes at the start of `text` that were there at the mark already; `None` for a new line.
    fn known_prefix(&self, line: u64, text: &str) -> Option<usize> {
        let old = self.lines.get(usize::try_from(line.checked_sub(self.first)?).ok()?)?;
        Some(old.bytes().zip(text.bytes()).take_while(|(old, new)| old == new).count())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineMatch {
    pub(crate) line: u64,
    pub(crate) text: String,
}

#[derive(Debug)]
pub(crate) struct LineScan {
    /// Lines before this have been looked at and can't change any more.
    next: u64,
    /// `None` when old lines count as well.
    after: Option<Mark>,
    skipped: u64,
}

impl LineScan {
    pub(crate) fn from_the_start() -> Self {
        LineScan { next: 0, after: None, skipped: 0 }
    }

    pub(crate) fn after(mark: Mark) -> Self {
        LineScan { next: mark.first, after: Some(mark), skipped: 0 }
    }

    pub(crate) fn skipped_lines(&self) -> u64 {
        self.skipped
    }

    /// The first line that matches, of all that may have changed since the last call.
    pub(crate) async fn next_match(&mut self, shared: &Shared, pattern: &Pattern) -> Option<LineMatch> {
        let mut at = self.next;
        loop {
            let batch = Batch::copy(shared, at..u64::MAX);
            // From the start, lines that were dropped long ago are not missed: nobody asked for them.
            if at > 0 {
                self.skipped += batch.lines.start.saturating_sub(at);
            }
            for (line, text) in batch.iter() {
                if self.matches(pattern, line, text) {
                    return Some(LineMatch { line, text: text.to_owned() });
                }
            }
            at = batch.lines.end;
            self.next = self.next.max(at.min(batch.first_screen_line));
            if batch.is_last {
                return None;
            }
            tokio::task::yield_now().await;
        }
    }

    fn matches(&self, pattern: &Pattern, line: u64, text: &str) -> bool {
        match self.after.as_ref().and_then(|mark| mark.known_prefix(line, text)) {
            None => pattern.regex().is_match(text),
            // The line was there: a match counts if it reaches into what was printed since.
            Some(known) => pattern.regex().find_iter(text).any(|found| found.end() > known),
        }
    }
}

/// Some lines, copied out of the screen.
#[derive(Debug)]
pub(crate) struct Batch {
    text: String,
    /// Number and end of each line's text.
    ends: Vec<(u64, usize)>,
    /// Lines looked at. Begins later than asked when older ones are gone.
    pub(crate) lines: Range<u64>,
    pub(crate) first_screen_line: u64,
    /// Nothing of what was asked for comes after this.
    pub(crate) is_last: bool,
}

impl Batch {
    /// The first lines of `wanted`, as many as one turn of the lock allows.
    pub(crate) fn copy(shared: &Shared, wanted: Range<u64>) -> Self {
        let mut text = String::new();
        let mut ends = Vec::new();
        let screen = shared.screen.lock();
        let kept = screen.terminal.lines();
        let stop = wanted.end.min(kept.end);
        let start = wanted.start.clamp(kept.start, kept.end);
        let end = stop.min(start.saturating_add(LINES_PER_TURN)).max(start);
        screen.terminal.for_each_line(start..end, &mut |number, line| {
            text.push_str(line);
            ends.push((number, text.len()));
            true
        });
        let first_screen_line = screen.terminal.first_screen_line();
        Batch { text, ends, lines: start..end, first_screen_line, is_last: end >= stop }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        let mut from = 0;
        self.ends.iter().map(move |(number, end)| {
            let text = &self.text[from..*end];
            from = *end;
            (*number, text)
        })
    }
}
