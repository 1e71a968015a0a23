//! Minutes of load at a pace that no person has: whatever the program was asked to do, in the end it must be as small
//! as at the start, with as many descriptors, threads and children.

mod coordinator;
mod footprint;
mod patterm;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::Mutex,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use clap::Args;

use self::footprint::Footprint;
use crate::{Verdict, fuzz::random::Random};

/// Put `vtr serve` and `patterm --headless` under load, and check what remains
#[derive(Args)]
pub(crate) struct Arguments {
    /// An existing vtr; use a release build for figures to quote
    #[arg(long, value_name = "FILE", required_unless_present = "patterm")]
    vtr: Option<PathBuf>,
    /// An existing patterm
    #[arg(long, value_name = "FILE")]
    patterm: Option<PathBuf>,
    /// Minutes for each program
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
}

/// The allowed growth, as a multiple of the size at the start.
const MOST_MEMORY: f64 = 2.0;

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let length = Duration::from_secs_f64(arguments.minutes * 60.0);
    ensure!(!length.is_zero(), "give more than no minutes");
    let mut verdict = Verdict::Good;
    if let Some(vtr) = &arguments.vtr {
        verdict = report("vtr serve", &coordinator::soak(&vtr.canonicalize()?, length)?, verdict);
    }
    if let Some(patterm) = &arguments.patterm {
        verdict = report("patterm --headless", &patterm::soak(&patterm.canonicalize()?, length)?, verdict);
    }
    Ok(verdict)
}

/// The observations of one program.
struct Soaked {
    start: Footprint,
    /// The maximum seen on the way.
    most_memory: f64,
    end: Footprint,
    work: BTreeMap<&'static str, u64>,
}

fn report(program: &str, soaked: &Soaked, so_far: Verdict) -> Verdict {
    let Soaked { start, most_memory, end, work } = soaked;
    println!("{program}: {start} at the start");
    println!("{program}: {end} at the end; at most {:.1} MB on the way", most_memory / 1e6);
    let work: Vec<String> = work.iter().map(|(what, times)| format!("{times} {what}")).collect();
    println!("{program}: {}", work.join(", "));
    let mut faults = Vec::new();
    if end.memory > MOST_MEMORY * start.memory {
        faults.push(format!(
            "memory is {:.1} times the start, at most {MOST_MEMORY} are right",
            end.memory / start.memory
        ));
    }
    faults.extend(end.differences(start));
    for fault in &faults {
        println!("{program}: MISSED: {fault}");
    }
    if faults.is_empty() { so_far } else { Verdict::Bad }
}

/// When to stop, and what was done so far. Shared by all workers.
struct Shift {
    end: Instant,
    done: Mutex<BTreeMap<&'static str, u64>>,
}

impl Shift {
    fn new(length: Duration) -> Self {
        Shift { end: Instant::now() + length, done: Mutex::default() }
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    fn done(&self, what: &'static str) {
        *self.done.lock().expect("nobody panics with it").entry(what).or_default() += 1;
    }

    fn into_work(self) -> BTreeMap<&'static str, u64> {
        self.done.into_inner().expect("nobody panicked with it")
    }
}

/// Random numbers for the worker with this number: the same in every run.
fn chance(worker: u64) -> Random {
    Random::new(0x50a4 + worker)
}
