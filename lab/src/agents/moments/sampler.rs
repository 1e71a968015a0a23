//! Queries one agent's state in patterm continuously.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use serde_json::json;

use crate::agents::client::Client;

/// Short compared with the wrong idles that we look for.
const INTERVAL: Duration = Duration::from_millis(20);

/// Ends when it is dropped.
pub(super) struct StateSampler {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    seen: Mutex<Seen>,
    ending: AtomicBool,
}

#[derive(Default)]
struct Seen {
    changes: Vec<StateChange>,
    /// When the last answered question was asked.
    asked: Option<Instant>,
}

/// From `at` on, this was the answer.
#[derive(Clone, Debug)]
pub(super) struct StateChange {
    at: Instant,
    pub(super) state: String,
    pub(super) detail: String,
}

impl StateSampler {
    /// Follows `process` on a connection of its own.
    pub(super) fn start(mut client: Client, process: &str) -> Self {
        let shared = Arc::new(Shared::default());
        let thread = std::thread::spawn({
            let (shared, process) = (shared.clone(), process.to_owned());
            move || {
                while !shared.ending.load(Ordering::Relaxed) {
                    let asked = Instant::now();
                    let answer = client.call("get_process_status", &json!({ "process_id": process }));
                    let Ok(answer) = answer else { return };
                    let text = |key: &str| answer["state"][key].as_str().unwrap_or_default().to_owned();
                    shared.seen().note(asked, text("name"), text("detail"));
                    std::thread::sleep(INTERVAL);
                }
            }
        });
        StateSampler { shared, thread: Some(thread) }
    }

    /// The first answer to a question asked after `at`.
    pub(super) fn after(&self, at: Instant) -> Result<StateChange> {
        let limit = Instant::now() + Duration::from_secs(10);
        loop {
            let seen = self.shared.seen();
            if let (Some(asked), Some(last)) = (seen.asked, seen.changes.last())
                && asked > at
            {
                return Ok(last.clone());
            }
            drop(seen);
            ensure!(Instant::now() < limit, "patterm did not say within 10 s what the agent does");
            std::thread::sleep(INTERVAL / 2);
        }
    }

    /// The longest uninterrupted time with the answer `state`.
    pub(super) fn longest(&self, state: &str, from: Instant, until: Instant) -> Duration {
        longest(&self.shared.seen().changes, state, from, until)
    }
}

fn longest(changes: &[StateChange], state: &str, from: Instant, until: Instant) -> Duration {
    let ends = changes.iter().skip(1).map(|change| change.at).chain([until]);
    let spans = changes.iter().zip(ends).filter(|(change, _)| change.state == state);
    let lengths = spans.map(|(change, end)| end.min(until).saturating_duration_since(change.at.max(from)));
    lengths.max().unwrap_or_default()
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn note(&mut self, asked: Instant, state: String, detail: String) {
        self.asked = Some(asked);
        match self.changes.last_mut() {
            Some(last) if last.state == state => last.detail = detail,
            _ => self.changes.push(StateChange { at: asked, state, detail }),
        }
    }
}

impl Drop for StateSampler {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // Only a poisoned lock can have made it panic.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_within_counts() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let change = |(milliseconds, state): (u64, &str)| StateChange {
            at: at(milliseconds),
            state: state.to_owned(),
            detail: String::new(),
        };
        let changes: Vec<_> = [(0, "idle"), (100, "working"), (300, "idle"), (450, "blocked")].map(change).into();
        let longest = |from, until| super::longest(&changes, "idle", at(from), at(until)).as_millis();
        assert_eq!(longest(0, 1000), 150);
        assert_eq!(longest(400, 1000), 50);
        assert_eq!(longest(350, 380), 30);
        assert_eq!(longest(100, 300), 0);
        assert_eq!(super::longest(&changes, "blocked", at(0), at(1000)).as_millis(), 550);
    }
}
