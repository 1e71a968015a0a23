//! A tokio runtime for a program with an engine.

use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use tokio::runtime::{Builder, Runtime};

/// A start blocks its thread for some hundred microseconds, and for good if the program lies on a file system that hangs.
pub(crate) const STARTS_AT_ONCE: usize = 2;

/// For work that blocks, besides the workers.
const SPARE_THREADS: usize = 1;

/// How many threads a runtime for an engine needs: one for each processor, besides those that starts may block.
pub fn worker_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from) + STARTS_AT_ONCE
}

/// For a program that lives long: tasks for requests; bytes have threads of their own. Refused, in a sentence, where the system has no threads left.
pub fn build_runtime(thread_name: &str) -> io::Result<Runtime> {
    try_threads(worker_threads() + SPARE_THREADS)?;
    Builder::new_multi_thread().worker_threads(worker_threads()).enable_all().thread_name(thread_name).build()
}

/// tokio panics when it is refused a thread: so many are started at once, and ended again, to see whether they can be had.
fn try_threads(count: usize) -> io::Result<()> {
    let gate = Arc::new(RwLock::new(()));
    let closed = gate.write().unwrap_or_else(PoisonError::into_inner);
    let mut threads = Vec::new();
    let started = (0..count).try_for_each(|_| {
        let gate = gate.clone();
        threads.push(std::thread::Builder::new().spawn(move || drop(gate.read()))?);
        Ok(())
    });
    drop(closed);
    for thread in threads {
        // It does nothing that could panic.
        let _ = thread.join();
    }
    started.map_err(|error: io::Error| {
        let needed = "raise the limits on processes (ulimit -u, or the container's pids limit) and memory (ulimit -v)";
        io::Error::new(error.kind(), format!("the system refused {count} threads ({error}): {needed}"))
    })
}
