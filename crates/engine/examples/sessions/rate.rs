//! Processor time of sessions that print at a steady rate.

use std::time::{Duration, Instant};

use engine::{Kind, NewSession};

use crate::proc;

const WATCHED: Duration = Duration::from_secs(10);

/// 10 kB every 10 ms; its own processor time is not counted.
const PRINTER: &str = "import sys, time
block = b'2024-01-01 INFO server: request served in 12 ms, status 200, 5120 bytes sent ok\\n' * 125
due = time.monotonic()
while True:
    sys.stdout.buffer.write(block)
    sys.stdout.buffer.flush()
    due += 0.01
    time.sleep(max(0, due - time.monotonic()))
";

pub(crate) async fn run(count: usize) {
    let engine = crate::engine();
    let mut sessions = Vec::new();
    for _ in 0..count {
        let new =
            NewSession { size: vt::Size::new(120, 40), ..NewSession::new(Kind::Command, ["python3", "-c", PRINTER]) };
        sessions.push(engine.spawn(new).await.unwrap());
    }
    for session in &sessions {
        crate::line(session, "INFO").await;
    }
    let offsets: u64 = sessions.iter().map(engine::Session::output_offset).sum();
    let (start, used) = (Instant::now(), proc::processor_seconds());
    tokio::time::sleep(WATCHED).await;
    let (time, used) = (start.elapsed().as_secs_f64(), proc::processor_seconds() - used);
    let printed: u64 = sessions.iter().map(engine::Session::output_offset).sum::<u64>() - offsets;
    println!(
        "{count} sessions, {:.2} MB/s each: {:.1} % of a core",
        printed as f64 / 1e6 / time / count as f64,
        100.0 * used / time
    );
    engine.shutdown(Duration::ZERO).await;
}
