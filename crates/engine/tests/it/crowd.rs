//! Many sessions at once.

use engine::{Input, Origin, Status};
use testkit::Script;

use crate::stage::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_sessions_work_at_once() {
    let engine = engine();
    let mut spawning = tokio::task::JoinSet::new();
    for number in 0..100 {
        let engine = engine.clone();
        spawning.spawn(async move {
            let session = spawn(&engine, Script::new().print(&format!("session {number}\n")).read_line().exit(0)).await;
            line(&session, &format!("session {number}$")).await;
            session.send(Input::Text(format!("answer {number}\n")), Origin::Human).unwrap();
            line(&session, &format!("line answer {number}$")).await;
            assert_eq!(exit(&session).await.0, Status::Exited);
        });
    }
    while let Some(done) = spawning.join_next().await {
        done.unwrap();
    }
    assert_eq!(engine.list().len(), 100);
    close(engine).await;
}

/// No lock is shared between sessions: with the screen of one held, every other goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_stuck_holds_up_no_other() {
    let engine = engine();
    let stuck = spawn(&engine, Script::new().flood_forever()).await;
    let other = spawn(&engine, Script::new().cat()).await;
    let (held, release) = (std::sync::mpsc::channel(), std::sync::mpsc::channel::<()>());
    let holder = std::thread::spawn({
        let stuck = stuck.clone();
        move || {
            stuck.with_screen(|_| {
                held.0.send(()).unwrap();
                release.1.recv().unwrap();
            });
        }
    });
    held.1.recv().unwrap();
    other.send(Input::Text("free\n".into()), Origin::Human).unwrap();
    line(&other, "free").await;
    let new = spawn(&engine, Script::new().print("new\n").hang()).await;
    line(&new, "new").await;
    assert_eq!(engine.list().len(), 3);
    assert_eq!(engine.find(&stuck.id().to_string()).unwrap().status(), Status::Running);
    new.remove(AT_ONCE).await.unwrap();
    release.0.send(()).unwrap();
    holder.join().unwrap();
    close(engine).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flooding_session_can_be_read_typed_to_and_stopped() {
    let engine = engine();
    let session = spawn(&engine, Script::new().flood_forever()).await;
    let mut last = 0;
    for _ in 0..20 {
        let frame = session.frame();
        assert!(frame.version >= last);
        last = frame.version;
        session.send(Input::Text("x".into()), Origin::Human).unwrap();
        until("output goes on", || session.frame().version > last).await;
    }
    assert_eq!(soon("it stops", session.stop(engine::StopRequest::default())).await.unwrap(), Status::Stopped);
    close(engine).await;
}

/// Two threads share the work then, and nothing may be lost, doubled or out of order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_is_parsed_in_order_by_a_thread_that_ends_with_it() {
    let options = engine::EngineOptions { parser_threads: 1, ..options() };
    let engine = engine::Engine::new(options);
    let session =
        spawn(&engine, Script::new().read_line().flood(4_000_000).print("done ").read_line().print("bye").exit(0))
            .await;
    let name = format!("parse-{}", session.id());
    let at_work = || testkit::threads().iter().any(|thread| thread.name == name);
    session.send(Input::Text("\n".into()), Origin::Human).unwrap();
    until("the parser thread works", at_work).await;
    line(&session, "^done").await;
    let numbers = session.with_screen(|screen| {
        let mut numbers = Vec::new();
        screen.for_each_line(screen.lines(), &mut |_, text| {
            numbers.extend(text.get(..8).and_then(|digits| digits.parse::<u64>().ok()));
            true
        });
        numbers
    });
    assert_eq!(numbers.last(), Some(&49_999));
    assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1));
    until("the parser thread has ended", || !at_work()).await;
    // The I/O thread parses what comes now again.
    session.send(Input::Text("x\n".into()), Origin::Human).unwrap();
    exit(&session).await;
    assert!(session.grid_text().1.trim_end().ends_with("bye"));
    assert!(session.raw(0, usize::MAX).bytes.ends_with(b"bye"));
    close(engine).await;
}

/// A reader gets its turn between two pieces, and what it sees is whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_that_is_looked_at_stays_in_order() {
    const BYTES: u64 = 8_000_000;
    let engine = engine();
    let session = spawn(&engine, Script::new().raw().read_line().flood(BYTES).exit(0)).await;
    session.send(Input::Text("\n".into()), Origin::Human).unwrap();
    let mut versions = 0;
    let mut last = 0;
    let ended = session.wait_for_exit(testkit::DEADLINE);
    tokio::pin!(ended);
    loop {
        let (version, text) = session.grid_text();
        versions += u64::from(version > last);
        last = version;
        let numbers: Vec<u64> = text.lines().filter_map(|line| line.get(..8)?.parse().ok()).collect();
        assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "{text}");
        tokio::select! {
            biased;
            _ = &mut ended => break,
            // Often, and now and then not for a while.
            () = tokio::time::sleep(std::time::Duration::from_millis(if versions % 20 == 0 { 40 } else { 1 })) => {}
        }
    }
    assert!(versions > 1);
    assert!(session.grid_text().1.contains(&format!("{:08}", BYTES / 80 - 1)));
    close(engine).await;
}
