//! Waits on a session: for a pattern, for quiet, for its end.
//!
//! A wait sleeps until the session's pulse changes and then checks by itself; nothing is polled. Dropping the future
//! cancels the wait.

pub(crate) mod line_scan;
pub(crate) mod mark;

use std::future::Future;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use vt::PlainText;

use self::line_scan::{FoundText, LineScan};
use self::mark::OutputMark;
use crate::clock::Clock;
use crate::fair_lock::lock;
use crate::session::Session;
use crate::session::pulse::LifePulse;
use crate::session::shared::SessionShared;
use crate::session::status::{RunEnding, Status};
use crate::text::pattern::Pattern;

/// The text that a pattern is matched against.
#[derive(Clone, Debug)]
pub enum PatternScope {
    /// The visible grid as one text, one line per row.
    Grid,
    /// Rendered lines one by one, both those in history and future ones.
    Scrollback,
    /// Output after the call: rendered lines as far as they changed, and the plain text of the printed bytes.
    NewOutput,
    /// As `NewOutput`, but after an earlier [`Session::mark`].
    Since(OutputMark),
}

#[derive(Clone, Debug)]
pub struct WaitRequest {
    pub pattern: Pattern,
    pub scope: PatternScope,
    pub timeout: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitOutcome {
    Matched(PatternMatch),
    TimedOut {
        skipped_lines: u64,
    },
    /// The run ended, and its last output does not match.
    Exited {
        ending: Option<RunEnding>,
        skipped_lines: u64,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternMatch {
    pub place: MatchPlace,
    /// The line, or the rows of the grid that the match touches.
    pub text: String,
    /// Lines that left the history before they could be checked.
    pub skipped_lines: u64,
}

/// The place of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchPlace {
    /// A row of the visible grid.
    Row(u16),
    /// A logical line of history and screen, by its number.
    Line(u64),
    /// It was printed, but is no longer on the screen, or the screen showed the same text before.
    Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuietOutcome {
    Quiet { idle: Duration },
    TimedOut,
    Exited { ending: Option<RunEnding> },
}

impl Session {
    /// The present moment in the output, for [`PatternScope::Since`].
    pub fn mark(&self) -> OutputMark {
        OutputMark::of(&mut self.shared().screen.lock())
    }

    /// Waits until the pattern matches, the time is up, or the run has ended. The call itself, not the first poll,
    /// decides what counts as new output.
    pub fn wait_for_pattern(&self, request: WaitRequest) -> impl Future<Output = WaitOutcome> + Send + use<> {
        let shared = self.shared().clone();
        let mut pulse = shared.pulse.subscribe();
        let (first, mut life) = AwaitedRun::watch(&shared);
        let mut look = WaitLook::new(&shared, request.scope);
        let deadline = deadline(&shared.clock, request.timeout);
        async move {
            let timeout = until(&shared.clock, deadline);
            tokio::pin!(timeout);
            let mut looked = false;
            loop {
                // The run's status is read before the output: if the end is seen here, the last output is already on
                // the screen.
                let over = first.is_over(*life.borrow_and_update());
                let printed = pulse.borrow_and_update().output_offset;
                let worthwhile = std::mem::replace(&mut looked, true) || look.may_find_in_output_up_to(printed);
                if worthwhile && let Some(found) = look.at(&shared, &request.pattern).await {
                    return WaitOutcome::Matched(found);
                }
                let skipped_lines = look.skipped_lines();
                if over {
                    return WaitOutcome::Exited { ending: shared.record().ending, skipped_lines };
                }
                tokio::select! {
                    // The senders are in `shared`, which this future holds, so waiting can't fail.
                    _ = pulse.changed() => {}
                    _ = life.changed() => {}
                    () = &mut timeout => {
                        // Output that came at the very end still counts.
                        let found = look.at(&shared, &request.pattern).await;
                        let timed_out = WaitOutcome::TimedOut { skipped_lines: look.skipped_lines() };
                        return found.map_or(timed_out, WaitOutcome::Matched);
                    }
                }
            }
        }
    }

    /// Waits until there was no output for `idle`, the time is up, or the run has ended. Output does not wake it: it
    /// checks again at the earliest time at which the session could be quiet.
    pub fn wait_for_quiet(
        &self,
        idle: Duration,
        timeout: Duration,
    ) -> impl Future<Output = QuietOutcome> + Send + use<> {
        let shared = self.shared().clone();
        let (first, mut life) = AwaitedRun::watch(&shared);
        let deadline = deadline(&shared.clock, timeout);
        async move {
            let timeout = until(&shared.clock, deadline);
            tokio::pin!(timeout);
            loop {
                if first.is_over(*life.borrow_and_update()) {
                    return QuietOutcome::Exited { ending: shared.record().ending };
                }
                let last_output = shared.last_output();
                let silent = shared.clock.now().saturating_duration_since(last_output);
                if silent >= idle {
                    return QuietOutcome::Quiet { idle: silent };
                }
                tokio::select! {
                    () = until(&shared.clock, last_output.checked_add(idle)) => {}
                    _ = life.changed() => {}
                    () = &mut timeout => return QuietOutcome::TimedOut,
                }
            }
        }
    }

    /// How the run ended, or `None` if the time was up first.
    pub fn wait_for_exit(
        &self,
        timeout: Duration,
    ) -> impl Future<Output = Option<(Status, Option<RunEnding>)>> + Send + use<> {
        let shared = self.shared().clone();
        let (first, mut life) = AwaitedRun::watch(&shared);
        let deadline = deadline(&shared.clock, timeout);
        async move {
            tokio::select! {
                _ = life.wait_for(|life| first.is_over(*life)) => {
                    let record = shared.record();
                    Some((record.status, record.ending))
                }
                () = until(&shared.clock, deadline) => None,
            }
        }
    }
}

/// The run that a wait refers to: the one in progress, or about to begin, when the wait was requested.
#[derive(Clone, Copy)]
struct AwaitedRun {
    number: u64,
}

impl AwaitedRun {
    fn watch(shared: &SessionShared) -> (Self, watch::Receiver<LifePulse>) {
        let mut life = shared.life.subscribe();
        let number = life.borrow_and_update().run;
        (AwaitedRun { number }, life)
    }

    fn is_over(self, life: LifePulse) -> bool {
        life.removed || life.run != self.number || life.status.has_ended()
    }
}

/// `None` for a time too far in the future.
fn deadline(clock: &Clock, timeout: Duration) -> Option<Instant> {
    clock.now().checked_add(timeout)
}

async fn until(clock: &Clock, deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => clock.sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

enum WaitLook {
    Grid,
    Lines(LineScan),
    New(LineScan, PrintScan),
}

impl WaitLook {
    fn new(shared: &SessionShared, scope: PatternScope) -> Self {
        let after = |mark: OutputMark| {
            let printed = PrintScan::after(&mark);
            WaitLook::New(LineScan::after(mark), printed)
        };
        match scope {
            PatternScope::Grid => WaitLook::Grid,
            PatternScope::Scrollback => WaitLook::Lines(LineScan::from_the_start()),
            PatternScope::NewOutput => after(OutputMark::of(&mut shared.screen.lock())),
            PatternScope::Since(mark) => after(mark),
        }
    }

    /// Whether a first check is worthwhile: right after an input nothing has been printed yet.
    fn may_find_in_output_up_to(&self, offset: u64) -> bool {
        match self {
            WaitLook::Grid | WaitLook::Lines(_) => true,
            WaitLook::New(_, printed) => printed.offset < offset,
        }
    }

    async fn at(&mut self, shared: &SessionShared, pattern: &Pattern) -> Option<PatternMatch> {
        let found = match self {
            WaitLook::Grid => {
                let mut grid = String::new();
                shared.screen.lock().terminal.grid_text(&mut grid);
                match_grid(&grid, pattern)
            }
            WaitLook::Lines(scan) => scan.next_match(shared, pattern).await,
            WaitLook::New(scan, printed) => match scan.next_match(shared, pattern).await {
                Some(found) => Some(found),
                None => printed.next_match(shared, pattern).await,
            },
        };
        found.map(|FoundText { place, text }| PatternMatch { place, text, skipped_lines: self.skipped_lines() })
    }

    fn skipped_lines(&self) -> u64 {
        match self {
            WaitLook::Grid => 0,
            WaitLook::Lines(scan) | WaitLook::New(scan, _) => scan.skipped_lines(),
        }
    }
}

/// Checks the printed bytes line by line. It finds what rendered lines can't show: a line that is printed again with
/// the same text, or overwritten before it was checked.
struct PrintScan {
    offset: u64,
    plain: PlainText,
}

/// Raw bytes copied each time the ring is locked.
const RAW_BYTES_PER_TURN: usize = 64 << 10;

impl PrintScan {
    fn after(mark: &OutputMark) -> Self {
        PrintScan { offset: mark.offset, plain: PlainText::default() }
    }

    async fn next_match(&mut self, shared: &SessionShared, pattern: &Pattern) -> Option<FoundText> {
        loop {
            let raw = lock(&shared.ring).read(self.offset, RAW_BYTES_PER_TURN);
            if raw.bytes.is_empty() {
                return None;
            }
            self.offset = raw.next_offset();
            let mut found = None;
            self.plain.feed(&raw.bytes, &mut |line| {
                if found.is_none() && pattern.is_match(line) {
                    found = Some(line.to_owned());
                }
            });
            let open = self.plain.open_line();
            let found = found.or_else(|| pattern.is_match(open).then(|| open.to_owned()));
            if let Some(text) = found {
                return Some(FoundText { place: MatchPlace::Output, text });
            }
            tokio::task::yield_now().await;
        }
    }
}

/// The first match, with the complete rows that it touches.
fn match_grid(grid: &str, pattern: &Pattern) -> Option<FoundText> {
    let found = pattern.find(grid)?;
    let start = grid[..found.start].rfind('\n').map_or(0, |at| at + 1);
    // A match that ends with its line's newline does not touch the next row.
    let newline = usize::from(grid[found.clone()].ends_with('\n'));
    let last = found.end.max(found.start + 1).min(grid.len()) - newline;
    let end = grid.get(last..).and_then(|rest| rest.find('\n')).map_or(grid.len(), |at| last + at);
    let row = grid[..start].bytes().filter(|byte| *byte == b'\n').count();
    Some(FoundText {
        place: MatchPlace::Row(u16::try_from(row).unwrap_or(u16::MAX)),
        text: grid[start..end].to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(grid: &str, pattern: &str) -> Option<(MatchPlace, String)> {
        match_grid(grid, &Pattern::new(pattern).unwrap()).map(|found| (found.place, found.text))
    }

    #[test]
    fn a_grid_match_gives_the_rows_it_touches() {
        let grid = "one\ntwo three\n\nfour\n";
        assert_eq!(matched(grid, "three"), Some((MatchPlace::Row(1), "two three".into())));
        assert_eq!(matched(grid, "one\\ntwo"), Some((MatchPlace::Row(0), "one\ntwo three".into())));
        assert_eq!(matched(grid, "(?m)^four$"), Some((MatchPlace::Row(3), "four".into())));
        assert_eq!(matched(grid, "one\\n"), Some((MatchPlace::Row(0), "one".into())));
        assert_eq!(matched(grid, "five"), None);
    }

    #[test]
    fn empty_and_odd_matches_stay_within_the_grid() {
        assert_eq!(matched("ab\ncd\n", ""), Some((MatchPlace::Row(0), "ab".into())));
        assert_eq!(matched("", ""), Some((MatchPlace::Row(0), String::new())));
        assert_eq!(matched("ab\ncd\n", "\\z"), Some((MatchPlace::Row(2), String::new())));
        assert_eq!(matched("é\n", "\\n"), Some((MatchPlace::Row(0), "é".into())));
        assert_eq!(matched("é", "$"), Some((MatchPlace::Row(0), "é".into())));
    }
}
