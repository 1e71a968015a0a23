//! Searches what a session has printed: rendered lines, or raw bytes.

use std::collections::VecDeque;
use std::ops::Range;

use crate::fair_lock::lock;
use crate::session::Session;
use crate::text::pattern::Pattern;
use crate::wait::MatchPlace;

#[derive(Clone, Debug)]
pub struct SearchRequest {
    pub pattern: Pattern,
    /// Maximum matches to return.
    pub limit: usize,
    /// Lines of context around each match.
    pub before: usize,
    pub after: usize,
    /// Maximum bytes of text to return, context included.
    pub max_bytes: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    pub matches: Vec<FoundLine>,
    /// There are more matches than the limit, or than fit; the newest ones are left out.
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// A numbered line, or a row of the alternate screen.
    pub place: MatchPlace,
    /// Cut if the line does not fit.
    pub text: String,
    /// The first match in `text`.
    pub bytes: Range<usize>,
    pub before: Vec<String>,
    pub after: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawSearchResult {
    pub matches: Vec<FoundBytes>,
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundBytes {
    /// Absolute offset of the line's first byte.
    pub offset: u64,
    /// The line that contains the match, without its newlines.
    pub line: Vec<u8>,
}

/// A longer raw line is cut: most likely it is not a line.
const MAX_RAW_LINE: usize = 4096;

impl Session {
    /// Lines of history and screen that match the pattern, oldest first, joined where they wrapped. The screen is
    /// locked for a few lines at a time and never while the pattern runs.
    pub fn search(&self, request: &SearchRequest) -> SearchResult {
        let mut found = Collection::new(request);
        let mut at = 0;
        loop {
            let batch = self.shared().screen.lock().lines_from(at);
            for (place, text) in batch.iter() {
                found.pass(place, text);
                if found.is_complete() {
                    return found.result;
                }
            }
            at = batch.lines.end;
            if batch.is_last {
                return found.result;
            }
        }
    }

    /// Lines of the kept raw output that match the pattern, oldest first.
    pub fn search_raw(&self, pattern: &Pattern, limit: usize) -> RawSearchResult {
        let kept = lock(&self.shared().ring).read(0, usize::MAX);
        let mut result = RawSearchResult::default();
        let Some(regex) = pattern.bytes_regex() else { return result };
        let mut at = 0;
        while let Some(found) = regex.find_at(&kept.bytes, at) {
            if result.matches.len() == limit {
                result.truncated = true;
                break;
            }
            let start = kept.bytes[..found.start()].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let rest = &kept.bytes[found.end()..];
            let end = rest.iter().position(|byte| *byte == b'\n').map_or(kept.bytes.len(), |at| found.end() + at);
            let start = start.max(found.start().saturating_sub(MAX_RAW_LINE));
            let line = kept.bytes[start..end.min(start + 2 * MAX_RAW_LINE)].to_vec();
            result.matches.push(FoundBytes { offset: kept.offset + start as u64, line });
            // One match per line, always moving forward.
            at = end + 1;
            if at > kept.bytes.len() {
                break;
            }
        }
        result
    }
}

/// Collects matches with their context. Neighbours each have their own copy of shared lines, so the total is counted.
/// If it becomes too much, the newest match is dropped: those that remain are complete.
struct Collection<'a> {
    wanted: &'a SearchRequest,
    /// The preceding lines, at most `before` of them.
    recent: VecDeque<String>,
    result: SearchResult,
    /// Bytes of text in `result`.
    bytes: usize,
    /// The only match is complete, and no more of its context fits.
    full: bool,
}

impl<'a> Collection<'a> {
    fn new(wanted: &'a SearchRequest) -> Self {
        Collection { wanted, recent: VecDeque::new(), result: SearchResult::default(), bytes: 0, full: false }
    }

    fn pass(&mut self, place: MatchPlace, text: &str) {
        self.show_after(text);
        if let Some(found) = self.wanted.pattern.regex().find(text) {
            let has_room = !self.result.truncated && self.result.matches.len() < self.wanted.limit;
            self.result.truncated = !(has_room && self.take(place, text, found.range()));
        }
        if self.wanted.before > 0 {
            if self.recent.len() == self.wanted.before {
                self.recent.pop_front();
            }
            self.recent.push_back(text.to_owned());
        }
    }

    /// Appends `text` to the matches that still lack lines of context.
    fn show_after(&mut self, text: &str) {
        let lacks_lines = |found: &&FoundLine| found.after.len() < self.wanted.after;
        let mut open = self.result.matches.iter().rev().take_while(lacks_lines).count();
        while open > 0 && self.bytes + open * cost(text) > self.wanted.max_bytes {
            self.result.truncated = true;
            if self.result.matches.len() == 1 {
                self.full = true;
                return;
            }
            self.bytes -= self.result.matches.pop().map_or(0, |newest| newest.cost());
            open -= 1;
        }
        for found in self.result.matches.iter_mut().rev().take(open) {
            found.after.push(text.to_owned());
        }
        self.bytes += open * cost(text);
    }

    /// Adds a match; returns whether it fits. The first one always does, with as much context as there is room for.
    fn take(&mut self, place: MatchPlace, line: &str, bytes: Range<usize>) -> bool {
        let (text, bytes) = cut(line, bytes, self.wanted.max_bytes);
        let room = self.wanted.max_bytes.saturating_sub(self.bytes + cost(text));
        let mut used = 0;
        let fits = |line: &&String| {
            used += cost(line);
            used <= room
        };
        let lines = self.recent.iter().rev().take_while(fits).count();
        let is_first = self.result.matches.is_empty();
        if !is_first && (lines < self.recent.len() || room == 0) {
            return false;
        }
        let before = self.recent.range(self.recent.len() - lines..).cloned().collect();
        let found = FoundLine { place, text: text.to_owned(), bytes, before, after: Vec::new() };
        self.bytes += found.cost();
        self.result.matches.push(found);
        true
    }

    /// Whether no further line could change the result.
    fn is_complete(&self) -> bool {
        let last = self.result.matches.last();
        self.full || self.result.truncated && last.is_none_or(|last| last.after.len() >= self.wanted.after)
    }
}

impl FoundLine {
    fn cost(&self) -> usize {
        cost(&self.text) + self.before.iter().chain(&self.after).map(|line| cost(line)).sum::<usize>()
    }
}

/// Empty lines count as well.
fn cost(line: &str) -> usize {
    line.len() + size_of::<String>()
}

/// At most `most` bytes of `line`, including the beginning of the match at `found`.
fn cut(line: &str, found: Range<usize>, most: usize) -> (&str, Range<usize>) {
    if line.len() <= most {
        return (line, found);
    }
    let boundary = |at: usize| (0..=at.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    let start = boundary(found.start.saturating_sub(most / 2));
    let end = boundary(start + most);
    (&line[start..end], found.start - start..found.end.min(end) - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search<'a>(
        lines: impl IntoIterator<Item = &'a str>,
        pattern: &str,
        context: usize,
        bytes: usize,
    ) -> SearchResult {
        let pattern = Pattern::new(pattern).unwrap();
        let wanted = SearchRequest { pattern, limit: 10_000, before: context, after: context, max_bytes: bytes };
        let mut found = Collection::new(&wanted);
        for (number, line) in (0..).zip(lines) {
            found.pass(MatchPlace::Line(number), line);
            let kept: usize = found.result.matches.iter().map(FoundLine::cost).sum();
            assert_eq!(found.bytes, kept, "line {number}");
            assert!(kept <= bytes.max(cost("") + bytes), "{kept} bytes at line {number}");
            if found.is_complete() {
                break;
            }
        }
        found.result
    }

    #[test]
    fn context_that_overlaps_is_bounded_and_the_oldest_matches_are_whole() {
        let lines: Vec<String> = (0..3000).map(|number| format!("line {number}")).collect();
        let result = search(lines.iter().map(String::as_str), ".", 1000, 1 << 20);
        assert!(result.truncated && !result.matches.is_empty());
        for (found, number) in result.matches.iter().zip(0..) {
            assert_eq!((found.place, found.text.as_str()), (MatchPlace::Line(number as u64), lines[number].as_str()));
            assert_eq!(found.before, lines[number.saturating_sub(1000)..number]);
            assert_eq!(found.after, lines[number + 1..=number + 1000]);
        }
    }

    #[test]
    fn what_fits_is_not_cut() {
        let lines: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let result = search(lines.iter().map(String::as_str), ".", 10, 1 << 20);
        assert_eq!((result.matches.len(), result.truncated), (100, false));
    }

    #[test]
    fn the_first_match_stays_with_what_fits_around_it() {
        let long = "x".repeat(100);
        let lines = [long.as_str(), &long, "needle", "near", &long, "needle"];
        let result = search(lines, "needle", 2, 250);
        let [found] = &result.matches[..] else { panic!("{result:?}") };
        assert!(result.truncated);
        assert_eq!((found.before.len(), found.after.as_slice()), (1, ["near".to_owned()].as_slice()));
    }

    #[test]
    fn a_line_that_does_not_fit_is_cut_around_the_match() {
        let line = format!("{}needle{}", "é".repeat(1000), "é".repeat(1000));
        let result = search([line.as_str(), "needle"], "needle", 0, 101);
        let [found] = &result.matches[..] else { panic!("{result:?}") };
        assert!(result.truncated && found.text.len() <= 101, "{}", found.text.len());
        assert_eq!(&found.text[found.bytes.clone()], "needle");
    }
}
