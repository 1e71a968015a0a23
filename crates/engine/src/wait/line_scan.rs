//! Searches rendered lines for a pattern, both existing and future ones.
//!
//! Lines have numbers that never change, so a scan remembers the next number to check and finds every line, however
//! fast it scrolled by, as long as the history still has it. Lines on the screen can still change and are checked again
//! each time, as are the rows of an alternate screen, which have no line numbers.

use std::ops::Range;
use std::sync::Arc;

use vt::Terminal;

use crate::session::shared::SessionShared;
use crate::text::pattern::Pattern;
use crate::wait::MatchPlace;
use crate::wait::mark::OutputMark;

/// Lines copied each time the screen is locked: with 120 columns they take about 0.1 ms. Never less than a whole screen
/// ([`vt::Size::MAX`]), so that a mark is taken in one step.
const LINES_PER_TURN: u64 = 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundText {
    pub(crate) place: MatchPlace,
    pub(crate) text: String,
}

#[derive(Debug)]
pub(crate) struct LineScan {
    /// Lines before this have been checked and can't change any more.
    next: u64,
    /// Whether lines that disappear before they are checked count as missed. Not at the start of a scan of the whole
    /// past: lines dropped long ago are not there.
    counting: bool,
    /// `None` if old lines count as well.
    after: Option<OutputMark>,
    skipped: u64,
}

impl LineScan {
    pub(crate) fn from_the_start() -> Self {
        LineScan { next: 0, counting: false, after: None, skipped: 0 }
    }

    pub(crate) fn after(mark: OutputMark) -> Self {
        LineScan { next: mark.first_line(), counting: true, after: Some(mark), skipped: 0 }
    }

    /// Lines that left the history before they could be checked.
    pub(crate) fn skipped_lines(&self) -> u64 {
        self.skipped
    }

    /// The first match in the lines that may have changed since the last call.
    pub(crate) async fn next_match(&mut self, shared: &SessionShared, pattern: &Pattern) -> Option<FoundText> {
        // A screen that grew has taken lines back from history: they can change again.
        let mut at = self.next.min(shared.screen.lock().terminal.first_screen_line());
        loop {
            let batch = shared.screen.lock().lines_from(at);
            if self.counting {
                self.skipped += batch.lines.start.saturating_sub(at);
            }
            self.counting = true;
            for (place, text) in batch.iter() {
                if self.is_match(pattern, place, text) {
                    return Some(FoundText { place, text: text.to_owned() });
                }
            }
            if let Some(mark) = &mut self.after {
                mark.forget_what_changed(&batch);
            }
            at = batch.lines.end;
            self.next = self.next.max(at.min(batch.first_screen_line));
            if batch.is_last {
                return None;
            }
            tokio::task::yield_now().await;
        }
    }

    fn is_match(&self, pattern: &Pattern, place: MatchPlace, text: &str) -> bool {
        match self.after.as_ref().and_then(|mark| mark.known_prefix(place, text)) {
            None => pattern.is_match(text),
            // Most of a screen is unchanged.
            Some(known) if known == text.len() => false,
            // The text was there before: a match counts if it extends into what was printed since.
            Some(known) => pattern.is_match_beyond(text, known),
        }
    }
}

/// Some lines, copied from the screen: once for all who ask before the screen changes again.
#[derive(Clone, Debug)]
pub(crate) struct LineBatch {
    copied: Arc<Copied>,
    /// Entries in `copied` before the requested line.
    skipped: usize,
    /// The range of lines checked. Starts later than requested if older ones are gone.
    pub(crate) lines: Range<u64>,
    pub(crate) first_screen_line: u64,
    /// Everything up to the end of the screen has been copied.
    pub(crate) is_last: bool,
}

#[derive(Debug)]
struct Copied {
    text: String,
    /// Place and end of each line's text.
    ends: Vec<(MatchPlace, usize)>,
}

impl LineBatch {
    /// Lines starting at `from`, as many as are copied under one lock. The last batch includes the rows of an alternate
    /// screen, if one is shown.
    pub(crate) fn copy(terminal: &Terminal, from: u64) -> Self {
        let kept = terminal.lines();
        let first_screen_line = terminal.first_screen_line();
        let start = from.clamp(kept.start, kept.end);
        let end = kept.end.min(start.saturating_add(LINES_PER_TURN));
        let mut text = String::new();
        let mut ends = Vec::new();
        terminal.for_each_line(start..end, &mut |number, line| {
            text.push_str(line);
            ends.push((MatchPlace::Line(number), text.len()));
            true
        });
        let is_last = end == kept.end;
        if is_last && terminal.alternate_screen() {
            let mut grid = String::new();
            terminal.grid_text(&mut grid);
            for (row, line) in (0u16..).zip(grid.lines()) {
                text.push_str(line);
                ends.push((MatchPlace::Row(row), text.len()));
            }
        }
        let copied = Arc::new(Copied { text, ends });
        LineBatch { copied, skipped: 0, lines: start..end, first_screen_line, is_last }
    }

    /// The part of it that a copy starting at `from` would contain, if the screen has not changed since.
    pub(crate) fn part(&self, from: u64) -> Option<Self> {
        let skip = from.checked_sub(self.lines.start)?.min(self.lines.end - self.lines.start);
        self.is_last.then(|| LineBatch {
            skipped: self.skipped + skip as usize,
            lines: self.lines.start + skip..self.lines.end,
            ..self.clone()
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (MatchPlace, &str)> {
        self.places().map(|(place, text)| (place, &self.copied.text[text]))
    }

    /// Each line's place, and the range of its text in [`LineBatch::text`].
    pub(crate) fn places(&self) -> impl Iterator<Item = (MatchPlace, Range<usize>)> {
        let (before, asked) = self.copied.ends.split_at(self.skipped);
        let mut from = before.last().map_or(0, |(_, end)| *end);
        asked.iter().map(move |(place, end)| {
            let text = from..*end;
            from = *end;
            (*place, text)
        })
    }

    pub(crate) fn text(&self) -> &str {
        &self.copied.text
    }
}
