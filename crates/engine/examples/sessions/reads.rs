//! How long a reader waits for a screen, quiet or not.

use std::time::{Duration, Instant};

use engine::Session;
use testkit::Script;

const READS: usize = 3000;

pub(crate) async fn run(floods: usize) {
    let engine = crate::engine();
    let quiet = engine.spawn(crate::command(Script::new().flood(4_000).print("$ ").hang())).await.unwrap();
    crate::line(&quiet, "\\$").await;
    let alone = measure(&quiet).await;
    report("quiet, alone", &alone);
    let mut flooding = Vec::new();
    for _ in 0..floods {
        flooding.push(engine.spawn(crate::command(Script::new().flood_forever())).await.unwrap());
    }
    let beside = measure(&quiet).await;
    report(&format!("quiet, beside {floods} flooding"), &beside);
    report("one of the flooding", &measure(&flooding[0]).await);
    let p99 = |values: &[Duration]| crate::micros(crate::quantile(values, 0.99));
    println!("p99 of the quiet one, beside : alone = {:.2}", p99(&beside) / p99(&alone));
    engine.shutdown(Duration::ZERO).await;
}

/// Reads as a tool would: from a task, with pauses, the grid as text.
async fn measure(session: &Session) -> Vec<Duration> {
    let session = session.clone();
    let reading = tokio::spawn(async move {
        let mut times = Vec::new();
        for _ in 0..READS {
            tokio::time::sleep(Duration::from_micros(500)).await;
            let start = Instant::now();
            std::hint::black_box(session.grid_text());
            times.push(start.elapsed());
        }
        times.sort();
        times
    });
    reading.await.unwrap()
}

fn report(name: &str, times: &[Duration]) {
    let at = |share| crate::micros(crate::quantile(times, share));
    println!("{name:>28}: p50 {:7.1} µs, p99 {:7.1} µs, max {:8.1} µs", at(0.5), at(0.99), at(1.0));
}
