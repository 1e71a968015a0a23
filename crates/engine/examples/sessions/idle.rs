//! What sessions cost that do nothing.

use std::time::{Duration, Instant};

use testkit::Script;

use crate::proc;

const WATCHED: Duration = Duration::from_secs(10);

pub(crate) async fn run(count: usize) {
    let engine = crate::engine();
    let before = proc::resident();
    let mut sessions = Vec::new();
    for _ in 0..count {
        sessions.push(engine.spawn(crate::command(Script::new().print("$ ").hang())).await.unwrap());
    }
    for session in &sessions {
        crate::line(session, "\\$").await;
    }
    // Until the last thread has looked for ports in what was printed.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let memory = proc::resident() - before;
    // Counting sleeps takes a while itself, so it stands outside of what is timed.
    let sleeps = proc::io_thread_sleeps();
    let (start, seconds) = (Instant::now(), proc::processor_seconds());
    tokio::time::sleep(WATCHED).await;
    let (time, used) = (start.elapsed().as_secs_f64(), proc::processor_seconds() - seconds);
    let woken = proc::io_thread_sleeps() - sleeps;
    println!(
        "{count} idle sessions over {time:.1} s: {:.2} % of a core, {:.2} wake-ups/s of their threads, {:.0} KiB each",
        100.0 * used / time,
        woken as f64 / time,
        memory as f64 / 1024.0 / count as f64,
    );
    let start = Instant::now();
    engine.shutdown(Duration::from_secs(5)).await;
    println!("shutdown of all: {:.2} s", start.elapsed().as_secs_f64());
}
