//! Output through a session, against a reader that only reads.

use std::time::{Duration, Instant};

use pty::{PollFd, PollFlags, ReadOutcome, Size, SpawnRequest, Spawner};
use testkit::Script;

use crate::proc;

const ROUNDS: usize = 7;

pub(crate) async fn run(megabytes: usize) {
    let bytes = megabytes as u64 * 1_000_000;
    let script = Script::new().raw().flood(bytes).exit(0);
    let engine = crate::engine();
    let spawner = Spawner::new().unwrap();
    let mut ratios = Vec::new();
    println!(
        "{megabytes} MB of log lines by turns: MB/s of a bare reader, of a session, ratio; processor ms of both, ratio"
    );
    for _ in 0..ROUNDS {
        let before = proc::processor_seconds();
        let bare = bare(&spawner, &script, bytes);
        let between = proc::processor_seconds();
        let session = through_session(&engine, &script, bytes).await;
        let after = proc::processor_seconds();
        let (bare_used, session_used) = (between - before, after - between);
        let speed = |time: Duration| megabytes as f64 / time.as_secs_f64();
        let ratio = bare.as_secs_f64() / session.as_secs_f64();
        println!(
            "{:8.0} {:8.0} {ratio:8.3} {:12.0} {:8.0} {:8.3}",
            speed(bare),
            speed(session),
            bare_used * 1e3,
            session_used * 1e3,
            bare_used / session_used
        );
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio {:.3}", ratios[ROUNDS / 2]);
    engine.shutdown(Duration::ZERO).await;
}

fn bare(spawner: &Spawner, script: &Script, bytes: u64) -> Duration {
    let start = Instant::now();
    let size = Size { cols: 120, rows: 40 };
    let request = SpawnRequest { argv: script.argv(), env: Vec::new(), working_dir: None, size };
    let (pty, mut child) = spawner.spawn(request).unwrap();
    let mut buffer = vec![0; 64 << 10];
    let mut total = 0;
    loop {
        match pty.read(&mut buffer).unwrap() {
            ReadOutcome::Bytes(count) => total += count as u64,
            ReadOutcome::Eof => break,
            ReadOutcome::WouldBlock => {
                pty::poll(&mut [PollFd::new(&pty, PollFlags::IN)], None).unwrap();
            }
        }
    }
    child.wait().unwrap();
    assert_eq!(total, bytes);
    start.elapsed()
}

async fn through_session(engine: &engine::Engine, script: &Script, bytes: u64) -> Duration {
    let start = Instant::now();
    let session = engine.spawn(crate::command(script.clone())).await.unwrap();
    session.wait_for_exit(Duration::from_secs(600)).await.unwrap();
    let time = start.elapsed();
    assert_eq!(session.output_offset(), bytes);
    session.remove(engine::StopRequest::default()).await.unwrap();
    time
}
