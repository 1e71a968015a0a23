//! The parser thread of a flooding session: it feeds the screen while the I/O thread keeps reading.
//!
//! A terminal's kernel buffer has some 12 KiB. A thread that reads and parses alternately lets it run full, and the
//! child stalls while it parses; with two threads all three stay busy. The parser thread is started when output exceeds
//! [`FLOOD_BYTES`] per [`FLOOD_WINDOW`], and ended some time after the flood. Otherwise the I/O thread parses by
//! itself, so that typed keys are echoed without a hand-over. The number of parser threads per engine is limited: when
//! every core is busy with floods, more threads only compete with each other.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::fair_lock::lock;
use crate::io::absorb::absorb;
use crate::io::run::ProgramRun;
use crate::session::shared::SessionShared;

const FLOOD_WINDOW: Duration = Duration::from_millis(10);
/// 6.5 MB/s: below that, parsing takes a few per cent of a thread's time.
const FLOOD_BYTES: usize = 64 << 10;
/// Maximum bytes read ahead of the screen.
const AHEAD_BYTES: usize = 256 << 10;

/// Detects floods.
#[derive(Debug)]
pub(crate) struct FloodGauge {
    since: Instant,
    bytes: usize,
    /// The last measured rate per [`FLOOD_WINDOW`].
    rate: usize,
}

impl FloodGauge {
    pub(crate) fn new(now: Instant) -> Self {
        FloodGauge { since: now, bytes: 0, rate: 0 }
    }

    /// Counts the bytes just read; true while output is a flood.
    pub(crate) fn count_read(&mut self, bytes: usize, now: Instant) -> bool {
        self.bytes += bytes;
        let window = now.saturating_duration_since(self.since);
        if window >= FLOOD_WINDOW {
            // Uses the actual duration: output after a pause is not a flood, however much came before.
            let rate = self.bytes as u128 * FLOOD_WINDOW.as_nanos() / window.as_nanos();
            *self = FloodGauge { since: now, bytes: 0, rate: usize::try_from(rate).unwrap_or(usize::MAX) };
        }
        self.rate >= FLOOD_BYTES
    }
}

/// The limit of parser threads per engine.
#[derive(Clone, Debug)]
pub(crate) struct ParserSlots {
    free: Arc<AtomicUsize>,
}

impl ParserSlots {
    pub(crate) fn new(count: usize) -> Self {
        ParserSlots { free: Arc::new(AtomicUsize::new(count)) }
    }

    fn take(&self) -> Option<ParserSlot> {
        let taken = self.free.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |free| free.checked_sub(1));
        taken.is_ok().then(|| ParserSlot(self.clone()))
    }
}

#[derive(Debug)]
struct ParserSlot(ParserSlots);

impl Drop for ParserSlot {
    fn drop(&mut self) {
        self.0.free.fetch_add(1, Ordering::AcqRel);
    }
}

#[derive(Debug)]
pub(crate) struct ParserThread {
    ahead: Arc<Ahead>,
    thread: JoinHandle<()>,
    _slot: ParserSlot,
}

#[derive(Debug, Default)]
struct Ahead {
    state: Mutex<AheadState>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct AheadState {
    /// Read, but not parsed yet.
    bytes: Vec<u8>,
    parsing: bool,
    /// The parser thread has to be woken.
    asleep: bool,
    closed: bool,
}

impl ParserThread {
    /// `None` if there are enough parser threads, or the system can't create one: the I/O thread then continues alone.
    pub(crate) fn start(shared: &Arc<SessionShared>, run: &Arc<ProgramRun>, stack_bytes: usize) -> Option<Self> {
        let slot = shared.parser_threads.take()?;
        let ahead = Arc::new(Ahead::default());
        let builder = std::thread::Builder::new().name(format!("parse-{}", shared.id)).stack_size(stack_bytes);
        let (shared, run, theirs) = (shared.clone(), run.clone(), ahead.clone());
        let thread = builder.spawn(move || parse(&shared, &run, &theirs)).ok()?;
        Some(ParserThread { ahead, thread, _slot: slot })
    }

    /// Hands output over; blocks while too much is queued.
    pub(crate) fn hand_over(&self, bytes: &[u8]) {
        let mut state = lock(&self.ahead.state);
        while state.bytes.len() + bytes.len() > AHEAD_BYTES && !self.thread.is_finished() {
            state = self.ahead.wait(state);
        }
        state.bytes.extend_from_slice(bytes);
        let asleep = state.asleep;
        drop(state);
        if asleep {
            self.ahead.moved.notify_all();
        }
    }

    /// Whether everything handed over is on the screen.
    pub(crate) fn is_idle(&self) -> bool {
        let state = lock(&self.ahead.state);
        !state.parsing && state.bytes.is_empty()
    }

    /// Lets the thread finish its work, and joins it. A panic in it is propagated.
    pub(crate) fn finish(self) {
        lock(&self.ahead.state).closed = true;
        self.ahead.moved.notify_all();
        if let Err(panic) = self.thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

impl Ahead {
    fn wait<'a>(&self, state: MutexGuard<'a, AheadState>) -> MutexGuard<'a, AheadState> {
        self.moved.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

fn parse(shared: &SessionShared, run: &ProgramRun, ahead: &Ahead) {
    let mut turn = Vec::new();
    loop {
        let was_full = {
            let mut state = lock(&ahead.state);
            state.parsing = false;
            while state.bytes.is_empty() {
                if state.closed {
                    return;
                }
                state.asleep = true;
                state = ahead.wait(state);
                state.asleep = false;
            }
            state.parsing = true;
            turn.clear();
            std::mem::swap(&mut state.bytes, &mut turn);
            turn.len() > AHEAD_BYTES / 2
        };
        if was_full {
            ahead.moved.notify_all();
        }
        absorb(shared, run, &turn);
        if run.update_due().is_some() {
            // The I/O thread sleeps without a deadline unless it is woken.
            run.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_come_back() {
        let slots = ParserSlots::new(1);
        let first = slots.take().unwrap();
        assert!(slots.take().is_none());
        drop(first);
        assert!(slots.take().is_some());
    }

    #[test]
    fn a_flood_is_a_rate_not_an_amount() {
        let mut now = Instant::now();
        let mut gauge = FloodGauge::new(now);
        let mut after = |millis, bytes| {
            now += Duration::from_millis(millis);
            gauge.count_read(bytes, now)
        };
        assert!(!after(0, 4096));
        // A megabyte, but over a second.
        assert!(!after(1000, 1 << 20));
        // 16 KiB every 2 ms.
        assert!(!(0..4).any(|_| after(2, 16 << 10)));
        assert!(after(2, 16 << 10));
        assert!(after(2, 16 << 10));
        // The flood ends.
        assert!(!after(20, 1024));
    }
}
