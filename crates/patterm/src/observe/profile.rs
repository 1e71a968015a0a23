//! `--profile`: CPU samples as `cpu.pb` for any pprof viewer, and the process's memory (`memory.txt`) and threads
//! (`threads.txt`) just before the end.
//!
//! Allocations are not counted: docs/decisions/0005-profiles.md says why.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use pprof::{ProfilerGuard, ProfilerGuardBuilder};
use program::{Exit, Failure};

use super::{files, pprof_file, threads};

/// Samples per second of CPU time; a prime, so that it does not beat with periodic work.
const FREQUENCY: i32 = 199;

pub(super) struct RunProfile {
    folder: PathBuf,
    guard: Mutex<Option<ProfilerGuard<'static>>>,
}

/// Stacks, outermost frame first, each with its number of samples.
#[derive(Debug, Default)]
pub(super) struct SampledStacks {
    pub(super) samples: BTreeMap<Vec<StackFrame>, i64>,
    pub(super) duration: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StackFrame {
    pub(super) function: String,
    pub(super) file: String,
    pub(super) line: u32,
}

impl RunProfile {
    pub(super) fn start(folder: PathBuf) -> Result<Self, Failure> {
        let guard = ProfilerGuardBuilder::default()
            .frequency(FREQUENCY)
            // Unwinding these from inside a signal handler can deadlock.
            .blocklist(&["libc", "libgcc", "pthread", "vdso"])
            .build()
            .map_err(|error| Failure::new(Exit::Refused, "system", format!("starting the profile: {error}")))?;
        Ok(RunProfile { folder, guard: Mutex::new(Some(guard)) })
    }

    /// Called while everything still runs.
    pub(super) fn look(&self) {
        self.write("threads.txt", threads::dump().as_bytes());
        // Linux only; other systems have no such file.
        if let Ok(memory) = std::fs::read("/proc/self/smaps_rollup") {
            self.write("memory.txt", &memory);
        }
    }

    pub(super) fn finish(&self) {
        let Some(guard) = self.guard.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let report = match guard.report().build() {
            Ok(report) => report,
            Err(error) => {
                tracing::warn!(%error, "the profile could not be written");
                return;
            }
        };
        let stacks = SampledStacks::of(&report);
        self.write("cpu.pb", &pprof_file::encode(&stacks, FREQUENCY));
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let file = self.folder.join(name);
        if let Err(error) = files::write(&file, bytes) {
            tracing::warn!(file = %file.display(), %error, "a part of the profile is missing");
        }
    }
}

impl SampledStacks {
    fn of(report: &pprof::Report) -> Self {
        let mut stacks = SampledStacks { duration: report.timing.duration, ..SampledStacks::default() };
        for (frames, count) in &report.data {
            let thread = StackFrame { function: frames.thread_name_or_id(), file: String::new(), line: 0 };
            // Innermost first; one frame holds several functions if some were inlined.
            let functions = frames.frames.iter().rev().flat_map(|inlined| inlined.iter().rev()).map(|symbol| {
                StackFrame { function: symbol.name(), file: symbol.filename().into_owned(), line: symbol.lineno() }
            });
            let stack = std::iter::once(thread).chain(functions).collect();
            *stacks.samples.entry(stack).or_default() += i64::try_from(*count).unwrap_or(0);
        }
        stacks
    }
}

impl std::fmt::Debug for RunProfile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Profile").field("folder", &self.folder).finish_non_exhaustive()
    }
}
