//! Starting sessions one after the other, as one client would.

use std::time::{Duration, Instant};

use testkit::Script;

pub(crate) async fn run(count: usize) {
    let engine = crate::engine();
    for round in 0..5 {
        let start = Instant::now();
        let mut sessions = Vec::new();
        for _ in 0..count {
            sessions.push(engine.spawn(crate::command(Script::new().hang())).await.unwrap());
        }
        let spawned = start.elapsed();
        let start = Instant::now();
        let mut removals = tokio::task::JoinSet::new();
        for session in sessions {
            removals.spawn(async move { session.remove(engine::StopRequest::default()).await });
        }
        while removals.join_next().await.is_some() {}
        println!(
            "round {round}: {count} sessions started in {:.3} s ({:.0} µs each), removed in {:.3} s",
            spawned.as_secs_f64(),
            crate::micros(spawned) / count as f64,
            start.elapsed().as_secs_f64(),
        );
    }
    engine.shutdown(Duration::ZERO).await;
}
