//! A tokio runtime for a program with an engine.

use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use tokio::runtime::{Builder, Runtime};

/// A start blocks its thread for some hundred microseconds, and for ever if the program is on a file system that hangs.
pub(crate) const STARTS_AT_ONCE: usize = 2;

/// Threads for blocking work, besides the workers.
const SPARE_THREADS: usize = 1;

/// Number of threads of a runtime for an engine: one per processor, and those that starts may block.
pub fn worker_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from) + STARTS_AT_ONCE
}

/// A runtime for a long-lived program: tasks for requests, while bytes have their own threads. Fails with a readable
/// error if the system has no threads left.
pub fn build_runtime(thread_name: &str) -> io::Result<Runtime> {
    try_threads(worker_threads() + SPARE_THREADS)?;
    Builder::new_multi_thread().worker_threads(worker_threads()).enable_all().thread_name(thread_name).build()
}

/// tokio panics if it can't create a thread, so this first creates and joins as many to see whether they are available.
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
        // The thread does nothing that could panic.
        let _ = thread.join();
    }
    started.map_err(|error: io::Error| {
        let needed = "raise the limits on processes (ulimit -u, or the container's pids limit) and memory (ulimit -v)";
        io::Error::new(error.kind(), format!("the system refused {count} threads ({error}): {needed}"))
    })
}
