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
