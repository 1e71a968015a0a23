//! Searching what a session has printed: rendered lines, or raw bytes.

use std::collections::VecDeque;
use std::ops::Range;

use crate::fair_lock::lock;
use crate::pattern::Pattern;
use crate::session::Session;
use crate::waits::Place;

#[derive(Clone, Debug)]
pub struct SearchRequest {
    pub pattern: Pattern,
    /// Matches to return; there may be more.
    pub limit: usize,
    /// Lines of context around each.
    pub before: usize,
    pub after: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    pub matches: Vec<FoundLine>,
    /// There are more matches than the limit.
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// A numbered line, or a row of the alternate screen.
    pub place: Place,
    pub text: String,
    /// Of the first match in `text`.
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
    /// The line between two newlines that holds the match, without them.
    pub line: Vec<u8>,
}

/// A longer raw line is cut: most likely it isn't one.
const MAX_RAW_LINE: usize = 4096;

impl Session {
    /// Lines of history and screen in which the pattern matches, oldest first, joined where they
    /// wrapped. The screen is locked for a few lines at a time and never while the pattern runs.
    pub fn search(&self, request: &SearchRequest) -> SearchResult {
        let mut result = SearchResult::default();
        let mut window = Context { wanted: request, recent: VecDeque::new() };
        let mut at = 0;
        loop {
            let batch = self.shared().screen.lock().lines_from(at);
            for (place, text) in batch.iter() {
                window.pass(place, text, &mut result);
                if window.is_complete(&result) {
                    return result;
                }
            }
            at = batch.lines.end;
            if batch.is_last {
                return result;
            }
        }
    }

    /// Lines of the kept raw output in which the pattern matches, oldest first.
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
            // One match a line, and always onwards.
            at = end + 1;
            if at > kept.bytes.len() {
                break;
            }
        }
        result
    }
}

struct Context<'a> {
    wanted: &'a SearchRequest,
    /// The lines just before, at most `before` of them.
    recent: VecDeque<String>,
}

impl Context<'_> {
    fn pass(&mut self, place: Place, text: &str, result: &mut SearchResult) {
        for found in result.matches.iter_mut().rev() {
            if found.after.len() >= self.wanted.after {
                break;
            }
            found.after.push(text.to_owned());
        }
        if let Some(found) = self.wanted.pattern.regex().find(text) {
            if result.matches.len() < self.wanted.limit {
                let before = self.recent.iter().cloned().collect();
                let bytes = found.range();
                result.matches.push(FoundLine { place, text: text.to_owned(), bytes, before, after: Vec::new() });
            } else {
                result.truncated = true;
            }
        }
        if self.wanted.before > 0 {
            if self.recent.len() == self.wanted.before {
                self.recent.pop_front();
            }
            self.recent.push_back(text.to_owned());
        }
    }

    /// Nothing that follows could change the result.
    fn is_complete(&self, result: &SearchResult) -> bool {
        result.truncated && result.matches.last().is_none_or(|last| last.after.len() >= self.wanted.after)
    }
}
