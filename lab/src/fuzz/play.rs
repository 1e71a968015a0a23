//! Plays a case: measures, compares, and reports faults.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};
use vt::{Size, Terminal, TerminalOptions};

use super::{
    case::{CHUNK, Case, Reading, Step},
    equal,
    random::Random,
};

/// The most CPU time that 64 KiB, a resize or a read may take.
pub(super) const BAR: Duration = Duration::from_millis(50);
const HISTORY_BYTES: usize = 8 << 20;
/// Closed pages count towards the limit; the page being written does not.
const HISTORY_SLACK: usize = 1 << 20;

/// A fault: a name that stays the same while the case is shrunk, and the details.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) name: String,
    pub(super) detail: String,
}

/// The CPU time of each action.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    pub(super) chunks: Vec<Duration>,
    pub(super) resizes: Vec<Duration>,
    pub(super) reads: Vec<Duration>,
}

/// The progress of the current case, for the watching thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) seed: u64,
    pub(super) step: usize,
    /// Bytes fed before this step.
    pub(super) offset: usize,
    /// Cases played so far; also counts while a case is shrunk.
    pub(super) plays: u64,
}

pub(super) type SharedPosition = Arc<Mutex<Position>>;

pub(super) struct Player {
    position: SharedPosition,
    last_panic: Arc<Mutex<String>>,
    /// The highest memory use seen in this process.
    largest: Cell<u64>,
}

impl Player {
    /// From here on, panics of this process are recorded instead of printed.
    pub(super) fn new(position: SharedPosition) -> Self {
        let last_panic = Arc::new(Mutex::new(String::new()));
        let note = Arc::clone(&last_panic);
        std::panic::set_hook(Box::new(move |panic| {
            let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line())).unwrap_or_default();
            let payload = panic.payload();
            let fixed = payload.downcast_ref::<&str>().copied();
            let message = fixed.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or_default();
            if let Ok(mut note) = note.lock() {
                *note = format!("{place}: {message}");
            }
        }));
        Player { position, last_panic, largest: Cell::new(0) }
    }

    pub(super) fn begin(&self, seed: u64) {
        self.report(|position| *position = Position { seed, plays: position.plays, ..Position::default() });
    }

    pub(super) fn largest(&self) -> u64 {
        self.largest.get()
    }

    fn report(&self, change: impl FnOnce(&mut Position)) {
        change(&mut self.position.lock().expect("nobody panics while holding the position"));
    }

    /// Plays the whole of `case`, unless there is a fault. The times show what takes too long.
    pub(super) fn play(&self, case: &Case) -> Result<Times, Fault> {
        self.report(|position| position.plays += 1);
        let played = catch_unwind(AssertUnwindSafe(|| {
            Play::new(case).run(case, |step, offset| {
                self.report(|position| (position.step, position.offset) = (step, offset));
                self.largest.set(self.largest.get().max(resident_bytes()));
            })
        }));
        played.unwrap_or_else(|_| {
            let panic = self.last_panic.lock().map(|panic| panic.clone()).unwrap_or_default();
            let place = panic.split(": ").next().unwrap_or_default();
            Err(Fault { name: format!("panic at {place}"), detail: panic })
        })
    }
}

struct Play {
    terminal: Terminal,
    twin: Option<Terminal>,
    /// Decides where the twin's chunks end.
    cuts: Random,
    times: Times,
    /// Bytes and time of the current chunk.
    chunk: (usize, Duration),
}

impl Play {
    fn new(case: &Case) -> Self {
        Play {
            terminal: terminal(case.size),
            twin: case.twin.then(|| terminal(case.size)),
            cuts: Random::new(7),
            times: Times::default(),
            chunk: (0, Duration::ZERO),
        }
    }

    fn run(mut self, case: &Case, mut at: impl FnMut(usize, usize)) -> Result<Times, Fault> {
        let mut offset = 0;
        for (index, step) in case.steps.iter().enumerate() {
            at(index, offset);
            match step {
                Step::Feed(bytes) => {
                    self.feed(bytes)?;
                    offset += bytes.len();
                }
                Step::Resize(size) => self.resize(*size)?,
                Step::Read(reading) => self.read(*reading)?,
                Step::Expire => {
                    self.terminal.expire_synchronized_update();
                    if let Some(twin) = &mut self.twin {
                        twin.expire_synchronized_update();
                    }
                }
            }
        }
        self.end_chunk();
        if let Some(twin) = &mut self.twin
            && let Some(difference) = equal::chunking_difference(&mut self.terminal, twin)
        {
            return Err(fault("other chunks, another terminal", difference));
        }
        Ok(self.times)
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let spent = spent(|| self.terminal.feed(bytes));
        self.chunk.0 += bytes.len();
        self.chunk.1 += spent;
        if self.chunk.0 >= CHUNK {
            self.end_chunk();
        }
        let held = self.terminal.history_bytes();
        if held > HISTORY_BYTES + HISTORY_SLACK {
            return Err(fault("history over its limit", format!("{held} bytes, {HISTORY_BYTES} allowed")));
        }
        let effects = self.terminal.take_effects();
        if let Some(twin) = &mut self.twin {
            let mut rest = bytes;
            while !rest.is_empty() {
                let longest = if self.cuts.one_in(3) { 5 } else { 3000 };
                let (now, later) = rest.split_at((1 + self.cuts.below(longest)).min(rest.len()));
                twin.feed(now);
                rest = later;
            }
            if twin.take_effects() != effects {
                return Err(fault("other chunks, other effects", String::new()));
            }
        }
        Ok(())
    }

    fn end_chunk(&mut self) {
        let (bytes, spent) = std::mem::take(&mut self.chunk);
        if bytes > 0 {
            self.times.chunks.push(spent);
        }
    }

    fn resize(&mut self, size: Size) -> Result<(), Fault> {
        let before = equal::Text::of(&mut self.terminal);
        let spent = spent(|| self.terminal.resize(size));
        self.times.resizes.push(spent);
        if let Some(twin) = &mut self.twin {
            twin.resize(size);
        }
        match before.lost_in(&mut self.terminal) {
            Some(loss) => Err(fault("a resize loses text", loss)),
            None => Ok(()),
        }
    }

    fn read(&mut self, reading: Reading) -> Result<(), Fault> {
        let terminal = &mut self.terminal;
        let mut text = String::new();
        let mut serialised = Vec::new();
        let spent = spent(|| match reading {
            Reading::Frame => drop(terminal.frame()),
            Reading::Grid => terminal.grid_text(&mut text),
            Reading::Lines => terminal.lines_text(terminal.lines(), &mut text),
            Reading::Serialize => serialised = terminal.serialize(),
        });
        self.times.reads.push(spent);
        if let Some(contradiction) = equal::contradiction(terminal) {
            return Err(fault("contradicts itself", contradiction));
        }
        // A serialisation covers what the child drew, which an unfinished update hides from readers.
        if matches!(reading, Reading::Serialize) && terminal.synchronized_update().is_none() {
            let mut replayed = self::terminal(terminal.size());
            replayed.feed(&serialised);
            if let Some(difference) = equal::replay_difference(terminal, &mut replayed) {
                return Err(fault("replayed, another screen", difference));
            }
        }
        Ok(())
    }
}

pub(super) fn terminal(size: Size) -> Terminal {
    Terminal::new(TerminalOptions { size, history_bytes: HISTORY_BYTES, ..TerminalOptions::default() })
}

fn fault(name: &str, detail: String) -> Fault {
    Fault { name: name.to_owned(), detail }
}

/// CPU time of this thread, which does not depend on the machine's other work.
pub(super) fn spent(work: impl FnOnce()) -> Duration {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let before = now();
    work();
    now() - before
}

/// Memory of this process; 0 if /proc does not tell.
pub(super) fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * 4096
}
