//! The sessions that a killed coordinator took with it, as messages for people.

use std::time::{Duration, Instant};

use engine::process_table::{self, ProcessLine};
use ops::{ErrorKind, OpError};

use super::roll::{RollEntry, SessionRoll};

/// For this long, `vtr ls` reports the loss; asking for a lost session by name always does.
const TOLD_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// How many names, files and processes are listed.
const MOST_NAMED: usize = 10;

#[derive(Debug)]
pub(crate) struct LostSessions {
    roll: SessionRoll,
    /// Processes of those sessions that still run, without an owner.
    survivors: Vec<ProcessLine>,
    since: Instant,
}

impl LostSessions {
    /// `None` if nothing was lost.
    pub(crate) fn of(roll: SessionRoll) -> Option<Self> {
        let same_boot = roll.boot == process_table::boot_id();
        let survivors = if same_boot { survivors(&roll, process_table::all()) } else { Vec::new() };
        (!roll.sessions.is_empty()).then(|| LostSessions { roll, survivors, since: Instant::now() })
    }

    pub(crate) fn notice(&self) -> Option<String> {
        (self.since.elapsed() < TOLD_FOR).then(|| self.summary())
    }

    pub(crate) fn summary(&self) -> String {
        let SessionRoll { pid, written_at, sessions, .. } = &self.roll;
        let count = match sessions.len() {
            1 => "1 session".to_owned(),
            count => format!("{count} sessions"),
        };
        let names = list(sessions.iter().map(|entry| entry.name.clone()));
        let mut text = format!(
            "the coordinator before this one (pid {pid}) ended unexpectedly after {written_at} and took {count}: {names}"
        );
        let recordings = list(sessions.iter().filter_map(|entry| entry.recording.clone()));
        if !recordings.is_empty() {
            text += &format!("; recordings: {recordings}");
        }
        let running = list(self.survivors.iter().map(described));
        if !running.is_empty() {
            text += &format!("; still running: {running}");
        }
        text
    }

    /// By id, or by the name it had.
    pub(crate) fn missing(&self, id_or_name: &str) -> Option<OpError> {
        let is = |entry: &&RollEntry| entry.id == id_or_name || entry.name == id_or_name;
        let entry = self.roll.sessions.iter().find(is)?;
        let message = format!(
            "session '{}' was lost: the coordinator ended unexpectedly after {}",
            entry.name, self.roll.written_at
        );
        let mut hints = Vec::new();
        if let Some(file) = &entry.recording {
            hints.push(format!("it was recorded to {file}"));
        }
        let own = self.survivors.iter().filter(|process| Some(process.session) == entry.pid);
        let running = list(own.map(described));
        if !running.is_empty() {
            hints.push(format!("still running: {running}"));
        }
        hints.push("`vtr ls` lists all sessions".into());
        Some(OpError::new(ErrorKind::NotFound, message).with_hint(hints.join("; ")))
    }
}

/// Every process of a terminal session has its leader's id as session id, and the kernel does not reuse that number
/// while one of them runs.
fn survivors(roll: &SessionRoll, running: Vec<ProcessLine>) -> Vec<ProcessLine> {
    let given_anew = |entry: &RollEntry| {
        let leader = running.iter().find(|process| Some(process.pid) == entry.pid);
        leader.is_some_and(|leader| Some(leader.started) != entry.pid_started)
    };
    let leaders: Vec<i32> = roll
        .sessions
        .iter()
        .filter(|entry| entry.running && !given_anew(entry))
        .filter_map(|entry| entry.pid)
        .collect();
    running.into_iter().filter(|process| leaders.contains(&process.session)).collect()
}

fn described(process: &ProcessLine) -> String {
    format!("pid {} ({})", process.pid, process.program)
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    let named = items.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match items.len().saturating_sub(MOST_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, session: i32, started: u64) -> ProcessLine {
        ProcessLine { pid, session, started, program: "job".into() }
    }

    fn entry(name: &str, pid: i32) -> RollEntry {
        RollEntry {
            id: format!("p_00000{}", pid % 10),
            name: name.into(),
            running: true,
            pid: Some(pid),
            pid_started: Some(100),
            ..RollEntry::default()
        }
    }

    #[test]
    fn only_processes_of_the_lost_sessions_are_survivors() {
        let roll = SessionRoll { sessions: vec![entry("a", 11), entry("b", 12)], ..SessionRoll::default() };
        let running = vec![process(50, 11, 200), process(12, 12, 999), process(51, 12, 999), process(60, 60, 1)];
        assert_eq!(survivors(&roll, running), [process(50, 11, 200)], "12 was given to another process");
    }

    #[test]
    fn a_long_list_is_cut() {
        let sessions = (0..12).map(|number| entry(&format!("s{number}"), 100 + number)).collect();
        let roll = SessionRoll { pid: 7, written_at: "T".into(), sessions, ..SessionRoll::default() };
        let lost = LostSessions { roll, survivors: vec![process(500, 101, 5)], since: Instant::now() };
        let said = lost.summary();
        assert!(said.contains("(pid 7)") && said.contains("took 12 sessions: s0,") && said.contains("and 2 more"));
        assert!(said.ends_with("still running: pid 500 (job)"), "{said}");
        assert!(lost.missing("s1").unwrap().hint.contains("pid 500"));
        assert_eq!(lost.missing("s99"), None);
    }
}
