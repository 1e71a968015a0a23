//! When text was on the screen.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use regex::{Regex, RegexBuilder};

use super::{reel::Reel, tape::Tape};

/// A line that matched, and when it could be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sighting {
    pub(crate) from: Duration,
    /// None: it was there at the end.
    pub(crate) until: Option<Duration>,
    pub(crate) line: String,
    /// Events that had happened when it came, for going there.
    pub(crate) event: usize,
}

/// As everywhere in this house: no look-around, and bounded.
pub(crate) fn pattern(text: &str) -> Result<Regex, String> {
    const MAX_TEXT: usize = 4096;
    const MAX_COMPILED: usize = 1 << 20;
    if text.len() > MAX_TEXT {
        return Err(format!("the pattern has {} bytes; {MAX_TEXT} are the limit", text.len()));
    }
    RegexBuilder::new(text).size_limit(MAX_COMPILED).build().map_err(|error| format!("the pattern: {error}"))
}

/// All times at which a line of the screen matched, by their beginning, at most `limit`.
pub(crate) fn sightings(tape: &Arc<Tape>, pattern: &Regex, limit: usize) -> Vec<Sighting> {
    let mut reel = Reel::new(Arc::clone(tape));
    let mut seen: BTreeMap<String, Sighting> = BTreeMap::new();
    let mut done: Vec<Sighting> = Vec::new();
    let mut passed = reel.terminal().first_screen_line();
    let mut text = String::new();
    while done.len() < limit && reel.step() {
        let (time, event) = (reel.time(), reel.fed());
        let terminal = reel.terminal();
        if terminal.synchronized_update().is_some() {
            continue;
        }
        // What scrolled away within one event was there too, if only for a moment.
        let gone = passed..terminal.first_screen_line();
        passed = gone.end.max(passed);
        terminal.for_each_line(gone, &mut |_, line| {
            if pattern.is_match(line) && !seen.contains_key(line) {
                done.push(Sighting { from: time, until: Some(time), line: line.to_owned(), event });
            }
            done.len() < limit
        });
        text.clear();
        terminal.grid_text(&mut text);
        let mut now: BTreeMap<String, Sighting> = BTreeMap::new();
        for line in text.lines().filter(|line| pattern.is_match(line)) {
            let known = seen.remove(line);
            let new = || Sighting { from: time, until: None, line: line.to_owned(), event };
            now.entry(line.to_owned()).or_insert_with(|| known.unwrap_or_else(new));
        }
        let left = std::mem::replace(&mut seen, now).into_values();
        done.extend(left.filter(|one| one.until.is_none()).map(|one| Sighting { until: Some(time), ..one }));
    }
    done.extend(seen.into_values());
    done.sort_by(|a, b| (a.event, &a.line).cmp(&(b.event, &b.line)));
    done.truncate(limit);
    done
}

#[cfg(test)]
mod tests {
    use cast::{Event, EventData, Header};

    use super::*;

    fn found(events: &[(u64, &str)], pattern: &str) -> Vec<(u64, Option<u64>, String)> {
        let output = |(seconds, text): &(u64, &str)| Event {
            time: Duration::from_secs(*seconds),
            data: EventData::Output((*text).to_owned()),
        };
        let header = Header { cols: 30, rows: 4, ..Header::default() };
        let tape = Tape { header, events: events.iter().map(output).collect(), cut: false };
        let seconds = |time: Duration| time.as_secs();
        sightings(&Arc::new(tape), &Regex::new(pattern).unwrap(), 100)
            .into_iter()
            .map(|one| (seconds(one.from), one.until.map(seconds), one.line))
            .collect()
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
}
