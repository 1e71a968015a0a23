//! Searches a recording for when text was on the screen.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use regex::{Regex, RegexBuilder};

use crate::{
    reel::Reel,
    tape::{Tape, TapeEntry, boundary},
};

/// Maximum characters kept of a matching line: enough to show it anywhere.
const MAX_LINE: usize = 1000;
/// The cost of checking a screen, in bytes of output that take as long to process.
const LOOK_COST: usize = 2_000;

/// A matching line, and when it was visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub from: Duration,
    /// `None`: visible at the end.
    pub until: Option<Duration>,
    pub line: String,
    /// The number of events before it appeared, for jumping there.
    pub event: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum SightingPatternError {
    #[error("the pattern has {0} bytes; {limit} are the limit", limit = MAX_PATTERN)]
    TooLong(usize),
    #[error("the pattern: {0}")]
    Invalid(#[from] regex::Error),
}

const MAX_PATTERN: usize = 4096;

/// As everywhere in this house: no look-around, and bounded.
pub fn pattern(text: &str) -> Result<Regex, SightingPatternError> {
    const MAX_COMPILED: usize = 1 << 20;
    if text.len() > MAX_PATTERN {
        return Err(SightingPatternError::TooLong(text.len()));
    }
    Ok(RegexBuilder::new(text).size_limit(MAX_COMPILED).build()?)
}

/// All intervals in which a matching line was on the screen, by their start, at most `limit`.
pub fn sightings(tape: &Arc<Tape>, pattern: Regex, limit: usize) -> Vec<Sighting> {
    let mut search = SightingSearch::new(Arc::clone(tape), pattern, limit);
    while !search.go_on(usize::MAX) {}
    search.found()
}

/// A search in progress: it proceeds from the recording's start, in steps of any size.
#[derive(Debug)]
pub struct SightingSearch {
    reel: Reel,
    pattern: Regex,
    limit: usize,
    /// Visible now.
    seen: BTreeMap<String, Sighting>,
    /// No longer visible.
    gone: Vec<Sighting>,
    /// Lines before this one that scrolled away have been checked.
    passed: u64,
    text: String,
}

impl SightingSearch {
    pub fn new(tape: Arc<Tape>, pattern: Regex, limit: usize) -> Self {
        let reel = Reel::with_history(tape);
        let passed = reel.terminal().first_screen_line();
        SightingSearch { reel, pattern, limit, seen: BTreeMap::new(), gone: Vec::new(), passed, text: String::new() }
    }

    /// Progress in percent.
    pub fn percent(&self) -> usize {
        self.reel.fed() * 100 / self.reel.tape().len().max(1)
    }

    /// Continues the search, doing no more work than `work` bytes of output take. True when it is finished.
    pub fn go_on(&mut self, work: usize) -> bool {
        let mut done = 0;
        while done < work {
            let fed = self.reel.fed();
            let drawn = match self.reel.tape().get(fed) {
                _ if self.gone.len() >= self.limit => return true,
                None => return true,
                Some((_, TapeEntry::Output(text))) => Some(text.len()),
                Some((_, entry)) => entry.draws().then_some(0),
            };
            self.reel.step();
            if let Some(bytes) = drawn {
                self.look();
                done += bytes + LOOK_COST;
            }
        }
        false
    }

    /// Checks the screen after an event.
    fn look(&mut self) {
        let (time, event) = (self.reel.time(), self.reel.fed());
        let (terminal, pattern, limit) = (self.reel.terminal(), &self.pattern, self.limit);
        if terminal.synchronized_update().is_some() {
            return;
        }
        // Lines that scrolled away within one event were visible too, if only for a moment.
        let away = self.passed..terminal.first_screen_line();
        self.passed = away.end.max(self.passed);
        let (seen, gone) = (&self.seen, &mut self.gone);
        terminal.for_each_line(away, &mut |_, line| {
            if pattern.is_match(line) && !seen.contains_key(line) {
                gone.push(Sighting { from: time, until: Some(time), line: shown(line), event });
            }
            gone.len() < limit
        });
        self.text.clear();
        terminal.grid_text(&mut self.text);
        let mut now: BTreeMap<String, Sighting> = BTreeMap::new();
        for line in self.text.lines().filter(|line| pattern.is_match(line)) {
            let known = self.seen.remove(line);
            let new = || Sighting { from: time, until: None, line: shown(line), event };
            now.entry(line.to_owned()).or_insert_with(|| known.unwrap_or_else(new));
        }
        let left = std::mem::replace(&mut self.seen, now).into_values();
        self.gone.extend(left.map(|one| Sighting { until: Some(time), ..one }));
    }

    /// The results so far, by their start.
    pub fn found(self) -> Vec<Sighting> {
        let mut all = self.gone;
        all.extend(self.seen.into_values());
        all.sort_by(|a, b| (a.event, &a.line).cmp(&(b.event, &b.line)));
        all.truncate(self.limit);
        all
    }
}

fn shown(line: &str) -> String {
    line[..boundary(line, MAX_LINE)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::TapeLimits;

    fn tape(events: &[(u64, &str)]) -> Arc<Tape> {
        let header = cast::CastHeader { cols: 30, rows: 4, ..cast::CastHeader::default() };
        let mut writer = cast::CastWriter::new(Vec::new(), cast::AsciicastVersion::V2, &header).unwrap();
        for (seconds, text) in events {
            writer.output(Duration::from_secs(*seconds), text.as_bytes()).unwrap();
        }
        Arc::new(Tape::read(&writer.into_sink()[..], TapeLimits::default()).unwrap())
    }

    fn found(events: &[(u64, &str)], pattern: &str) -> Vec<(u64, Option<u64>, String)> {
        let seconds = |time: Duration| time.as_secs();
        let at_once = sightings(&tape(events), Regex::new(pattern).unwrap(), 100);
        let mut search = SightingSearch::new(tape(events), Regex::new(pattern).unwrap(), 100);
        while !search.go_on(1) {}
        assert_eq!(search.percent(), 100);
        assert_eq!(search.found(), at_once);
        at_once.into_iter().map(|one| (seconds(one.from), one.until.map(seconds), one.line)).collect()
    }

    #[test]
    fn text_comes_and_goes() {
        let events = [(1, "an error here\r\n"), (2, "more\r\n"), (5, "\x1b[H\x1b[2J"), (7, "error again")];
        assert_eq!(found(&events, "error"), [(1, Some(5), "an error here".into()), (7, None, "error again".into())]);
        assert!(found(&events, "nothing").is_empty());
    }

    #[test]
    fn what_rushes_by_was_there() {
        let flood: String = (0..50).map(|line| format!("line {line}\r\n")).collect();
        assert_eq!(found(&[(3, &flood)], "line 7$"), [(3, Some(3), "line 7".into())]);
    }

    #[test]
    fn patterns_are_bounded() {
        assert!(matches!(pattern(&"x".repeat(5000)), Err(SightingPatternError::TooLong(5000))));
        assert!(matches!(pattern(r"(\w{1000}){1000}"), Err(SightingPatternError::Invalid(_))));
        assert!(pattern("(").is_err() && pattern("a|b").is_ok());
    }
}
