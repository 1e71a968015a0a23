//! When text was on the screen.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use regex::{Regex, RegexBuilder};

use crate::{
    reel::Reel,
    tape::{Tape, TapeEntry, boundary},
};

/// Of a line that matched: what can be shown of it anywhere.
const MAX_LINE: usize = 1000;
/// What looking at a screen costs, in bytes of output that take as long.
const LOOK_COST: usize = 2_000;

/// A line that matched, and when it could be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub from: Duration,
    /// None: it was there at the end.
    pub until: Option<Duration>,
    pub line: String,
    /// Events that had happened when it came, for going there.
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

/// All times at which a line of the screen matched, by their beginning, at most `limit`.
pub fn sightings(tape: &Arc<Tape>, pattern: Regex, limit: usize) -> Vec<Sighting> {
    let mut search = SightingSearch::new(Arc::clone(tape), pattern, limit);
    while !search.go_on(usize::MAX) {}
    search.found()
}

/// A search under way: it goes through the recording from its start, as far at once as is asked.
#[derive(Debug)]
pub struct SightingSearch {
    reel: Reel,
    pattern: Regex,
    limit: usize,
    /// On the screen now.
    seen: BTreeMap<String, Sighting>,
    /// Gone again.
    gone: Vec<Sighting>,
    /// Lines that scrolled away before this one have been looked at.
    passed: u64,
    text: String,
}

impl SightingSearch {
    pub fn new(tape: Arc<Tape>, pattern: Regex, limit: usize) -> Self {
        let reel = Reel::with_history(tape);
        let passed = reel.terminal().first_screen_line();
        SightingSearch { reel, pattern, limit, seen: BTreeMap::new(), gone: Vec::new(), passed, text: String::new() }
    }

    /// How much of the recording is behind it, of a hundred.
    pub fn percent(&self) -> usize {
        self.reel.fed() * 100 / self.reel.tape().len().max(1)
    }

    /// Looks on, no further than `work` bytes of output take. True when there is nothing more to look at.
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

    /// What is on the screen after an event.
    fn look(&mut self) {
        let (time, event) = (self.reel.time(), self.reel.fed());
        let (terminal, pattern, limit) = (self.reel.terminal(), &self.pattern, self.limit);
        if terminal.synchronized_update().is_some() {
            return;
        }
        // What scrolled away within one event was there too, if only for a moment.
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

    /// What it found so far, by their beginning.
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
