//! Typing and waiting for the echo, as an agent does.

use std::time::{Duration, Instant};

use engine::{Input, Origin, Pattern, PatternScope, WaitOutcome, WaitRequest};
use testkit::Script;

pub(crate) async fn run(rounds: usize) {
    let engine = crate::engine();
    let session = engine.spawn(crate::command(Script::new().raw().print("ready\r\n").cat())).await.unwrap();
    crate::line(&session, "ready").await;
    let typing = tokio::spawn(async move {
        let mut times = Vec::new();
        for round in 0..rounds {
            let text = format!("echo {round}.");
            let pattern = Pattern::literal(&text).unwrap();
            let start = Instant::now();
            let request = WaitRequest { pattern, scope: PatternScope::NewOutput, timeout: Duration::from_secs(60) };
            let wait = session.wait_for_pattern(request);
            session.send(Input::Text(text + "\r"), Origin::System).unwrap();
            let outcome = wait.await;
            times.push(start.elapsed());
            assert!(matches!(outcome, WaitOutcome::Matched(_)), "{outcome:?}");
        }
        times.sort();
        times
    });
    let times = typing.await.unwrap();
    let at = |share| crate::micros(crate::quantile(&times, share));
    println!("{rounds} lines typed and seen: p50 {:.0} µs, p99 {:.0} µs, max {:.0} µs", at(0.5), at(0.99), at(1.0));
    engine.shutdown(Duration::ZERO).await;
}
