//! Output through a session, against a reader that only reads.

use std::time::{Duration, Instant};

use engine::{Engine, EngineOptions};
use pty::{PollFd, PollFlags, PtySize, ReadOutcome, SpawnRequest};
use testkit::Script;

use crate::proc;

const ROUNDS: usize = 15;

/// Seconds on the clock and of processor time (the child's not counted).
type Cost = (f64, f64);

pub(crate) async fn run(megabytes: usize) {
    let bytes = megabytes as u64 * 1_000_000;
    let script = Script::new().raw().flood(bytes).exit(0);
    let with_parser_threads = |parser_threads| {
        let base_env = vec![("PATH".into(), "/usr/bin:/bin".into())];
        Engine::new(EngineOptions { base_env, parser_threads, ..EngineOptions::default() })
    };
    let (alone, helped) = (with_parser_threads(0), with_parser_threads(1));
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let bare = timed(async { bare(&script, bytes) }).await;
        let alone = timed(through_session(&alone, &script, bytes)).await;
        let helped = timed(through_session(&helped, &script, bytes)).await;
        rounds.push([bare, alone, helped]);
    }
    println!("{megabytes} MB of log lines, {ROUNDS} rounds by turns: median, best; ratios within each round");
    for (index, name) in ["bare reader", "session, one thread", "session, parser thread"].into_iter().enumerate() {
        let speeds = sorted(rounds.iter().map(|round| megabytes as f64 / round[index].0));
        let ratios = sorted(rounds.iter().map(|round| round[0].0 / round[index].0));
        let used = sorted(rounds.iter().map(|round| round[index].1 * 1e3));
        println!(
            "{name:>24}: {:4.0} MB/s, best {:4.0}; {:.2} of the bare reader, best {:.2}; {:4.0} ms of processor, best {:4.0}",
            speeds[ROUNDS / 2],
            speeds[ROUNDS - 1],
            ratios[ROUNDS / 2],
            speeds[ROUNDS - 1] / sorted(rounds.iter().map(|round| megabytes as f64 / round[0].0))[ROUNDS - 1],
            used[ROUNDS / 2],
            used[0],
        );
    }
    alone.shutdown(Duration::ZERO).await;
    helped.shutdown(Duration::ZERO).await;
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

async fn timed(work: impl Future<Output = ()>) -> Cost {
    let (start, used) = (Instant::now(), proc::processor_seconds());
    work.await;
    (start.elapsed().as_secs_f64(), proc::processor_seconds() - used)
}

fn bare(script: &Script, bytes: u64) {
    let size = PtySize { cols: 120, rows: 40 };
    let request = SpawnRequest { argv: script.argv(), env: Vec::new(), working_dir: None, size };
    let (pty, mut child) = pty::spawn(request).unwrap();
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
}

async fn through_session(engine: &Engine, script: &Script, bytes: u64) {
    let session = engine.spawn(crate::command(script.clone())).await.unwrap();
    session.wait_for_exit(Duration::from_secs(600)).await.unwrap();
    assert_eq!(session.output_offset(), bytes);
    session.remove(engine::StopRequest::default()).await.unwrap();
}
