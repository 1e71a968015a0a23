//! Starting, stopping, restarting, removing.

use std::time::Duration;

use engine::{
    EngineEvent, EngineLimits, Error, ExitStatus, Input, Kind, NewSession, Origin, Signal, StartOutcome, Status,
    StopRequest,
};
use testkit::Script;

use crate::stage::*;

#[tokio::test]
async fn a_session_runs_exits_and_stays_readable() {
    let engine = engine();
    let session = spawn(&engine, Script::new().print("hello\n").read_line().exit(3)).await;
    assert_eq!(session.status(), Status::Running);
    line(&session, "hello").await;
    let before = session.info();
    assert!(before.started_at.is_some() && before.ending.is_none() && before.pid.is_some());
    session.send(engine::Input::Text("go\n".into()), engine::Origin::Human).unwrap();
    assert_eq!(exit(&session).await, (Status::Exited, Some(ExitStatus::Code(3))));
    let after = session.info();
    assert_eq!(after.pid, None);
    assert!(after.ending.unwrap().at >= before.started_at.unwrap());
    assert!(session.grid_text().1.contains("hello"));
    close(engine).await;
}

#[tokio::test]
async fn a_session_may_wait_for_its_first_start() {
    let engine = engine();
    let script = Script::new().print("runs\n").read_line().exit(0);
    let new = NewSession { waits: true, ..NewSession::new(Kind::Command, script.argv()) };
    let session = engine.spawn(new).await.unwrap();
    let info = session.info();
    assert_eq!((info.status, session.run_number(), info.pid), (Status::Stopped, 0, None));
    assert!(info.started_at.is_none() && info.ending.is_none());
    assert!(matches!(session.send(Input::Text("x".into()), Origin::Human), Err(Error::NotRunning { .. })));
    let size = vt::Size::new(100, 7);
    assert_eq!((session.resize(size).unwrap(), session.info().size), (size, size), "it will start with this size");
    assert_eq!(session.start().await.unwrap(), StartOutcome::Now);
    line(&session, "runs").await;
    assert_eq!((session.status(), session.run_number()), (Status::Running, 1));
    let second = NewSession { waits: true, ..NewSession::new(Kind::Command, script.argv()) };
    let second = engine.spawn(second).await.unwrap();
    second.remove(StopRequest::default()).await.unwrap();
    assert!(second.name().is_none(), "one that never ran can be closed");
    close(engine).await;
}

#[tokio::test]
async fn what_cannot_be_started_says_why_and_leaves_no_name() {
    let engine = engine();
    let named = |argv: &[&str]| {
        let mut new = NewSession::new(Kind::Command, argv.iter().copied());
        new.name = engine::NameChoice::Exactly("x".parse().unwrap());
        new
    };
    let error = engine.spawn(named(&["/no/such/program"])).await.unwrap_err();
    assert!(matches!(&error, Error::SpawnFailed(_)), "{error:?}");
    assert!(error.to_string().contains("/no/such/program"), "{error}");
    let mut elsewhere = named(&["true"]);
    elsewhere.working_dir = Some("/no/such/folder".into());
    let error = engine.spawn(elsewhere).await.unwrap_err();
    assert!(matches!(&error, Error::InvalidArgs(_)), "{error:?}");
    let error = engine.spawn(named(&[])).await.unwrap_err();
    assert!(matches!(&error, Error::InvalidArgs(_)), "{error:?}");
    assert!(engine.list().is_empty());
    engine.spawn(named(&["true"])).await.unwrap();
    close(engine).await;
}

#[tokio::test]
async fn stop_is_told_from_exit() {
    let engine = engine();
    let session = spawn(&engine, Script::new().hang()).await;
    assert_eq!(session.stop(StopRequest::default()).await.unwrap(), Status::Stopped);
    assert_eq!(exit(&session).await, (Status::Stopped, Some(ExitStatus::Signal(15))));
    // Again: nothing to do.
    assert_eq!(session.stop(StopRequest::default()).await.unwrap(), Status::Stopped);

    let killed = spawn(&engine, Script::new().hang()).await;
    killed.kill(Signal::USR1).unwrap();
    assert_eq!(exit(&killed).await, (Status::Exited, Some(ExitStatus::Signal(10))));
    assert!(matches!(killed.kill(Signal::TERM), Err(Error::NotRunning { .. })));
    close(engine).await;
}

#[tokio::test]
async fn stop_takes_another_signal() {
    let engine = engine();
    let session = spawn(&engine, Script::new().ignore("TERM").print("ready\n").hang()).await;
    line(&session, "ready").await;
    let by_int = StopRequest { signal: Some(Signal::INT), grace: None };
    session.stop(by_int).await.unwrap();
    assert_eq!(exit(&session).await, (Status::Stopped, Some(ExitStatus::Signal(2))));
    close(engine).await;
}

#[tokio::test]
async fn a_child_that_ignores_term_is_killed_after_the_grace() {
    let engine = engine();
    let session = spawn(&engine, Script::new().ignore("TERM").print("ready\n").hang()).await;
    line(&session, "ready").await;
    let request = StopRequest { signal: None, grace: Some(Duration::from_millis(50)) };
    assert_eq!(soon("it is killed", session.stop(request)).await.unwrap(), Status::Stopped);
    assert_eq!(exit(&session).await.1, Some(ExitStatus::Signal(9)));
    close(engine).await;
}

/// Interactive shells ignore TERM: the default for terminals must not run into the grace.
#[tokio::test]
async fn an_interactive_shell_ends_without_being_killed() {
    let engine = engine();
    let session = engine.spawn(NewSession::new(Kind::Terminal, Vec::<String>::new())).await.unwrap();
    session.send(engine::Input::Text("echo is-$((1+1))\n".into()), engine::Origin::Human).unwrap();
    line(&session, "is-2").await;
    assert_eq!(soon("the shell hangs up", session.stop(StopRequest::default())).await.unwrap(), Status::Stopped);
    assert_ne!(exit(&session).await.1, Some(ExitStatus::Signal(9)));
    close(engine).await;
}

#[tokio::test]
async fn a_stopped_process_can_still_be_ended() {
    let engine = engine();
    let session = spawn(&engine, Script::new().print("ready\n").hang()).await;
    line(&session, "ready").await;
    session.kill(Signal::STOP).unwrap();
    assert_eq!(soon("it ends", session.stop(StopRequest::default())).await.unwrap(), Status::Stopped);
    assert_eq!(exit(&session).await.1, Some(ExitStatus::Signal(15)));
    close(engine).await;
}

#[tokio::test]
async fn start_runs_it_again_on_an_empty_screen_with_the_same_id() {
    let engine = engine();
    let session = spawn(&engine, Script::new().pid().print("old ready\n").exit(1)).await;
    exit(&session).await;
    let (id, name) = (session.id(), session.name());
    let first_pid = number_after(&session, "pid").await;
    let (version, offset) = (session.frame().version, session.output_offset());
    assert_eq!(session.start().await.unwrap(), StartOutcome::Now);
    exit(&session).await;
    assert_eq!((session.id(), session.name()), (id, name));
    assert_ne!(number_after(&session, "pid").await, first_pid);
    // One run's lines only, while versions and offsets go on.
    assert_eq!(session.grid_text().1.matches("old ready").count(), 1);
    assert!(session.frame().version > version);
    assert_eq!(session.output_offset(), 2 * offset);
    close(engine).await;
}

#[tokio::test]
async fn start_of_a_running_session_changes_nothing() {
    let engine = engine();
    let session = spawn(&engine, Script::new().pid().hang()).await;
    let pid = session.info().pid;
    assert_eq!(session.start().await.unwrap(), StartOutcome::Already);
    assert_eq!(session.info().pid, pid);
    close(engine).await;
}

#[tokio::test]
async fn a_stored_session_that_cannot_start_again_is_errored_and_can_be_mended() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    std::os::unix::fs::symlink(testkit::child_path(), &program).unwrap();
    let engine = engine();
    let mut new = command(Script::new().exit(0));
    new.argv[0] = program.clone().into();
    let session = engine.spawn(new).await.unwrap();
    exit(&session).await;
    let elsewhere = folder.path().join("elsewhere");
    std::fs::rename(&program, &elsewhere).unwrap();
    assert!(matches!(session.start().await, Err(Error::SpawnFailed(_))));
    assert_eq!(session.status(), Status::Errored);
    assert_eq!(session.info().ending.unwrap().exit, None);
    std::fs::rename(&elsewhere, &program).unwrap();
    assert_eq!(session.start().await.unwrap(), StartOutcome::Now);
    assert_eq!(exit(&session).await, (Status::Exited, Some(ExitStatus::Code(0))));
    close(engine).await;
}

#[tokio::test]
async fn restart_replaces_the_process() {
    let engine = engine();
    let session = spawn(&engine, Script::new().pid().hang()).await;
    let first = number_after(&session, "pid").await;
    assert_eq!(session.restart(StopRequest::default()).await.unwrap(), Status::Running);
    assert!(!is_alive(first));
    assert_ne!(number_after(&session, "pid").await, first);
    // Two at once are one or two restarts, but never two processes.
    let (a, b) = tokio::join!(session.restart(StopRequest::default()), session.restart(StopRequest::default()));
    a.unwrap();
    b.unwrap();
    let pid = number_after(&session, "pid").await;
    assert_eq!(session.info().pid.unwrap().as_raw(), pid);
    close(engine).await;
}

#[tokio::test]
async fn remove_ends_the_process_and_frees_the_name() {
    let engine = engine();
    let mut new = command(Script::new().pid().hang());
    new.name = engine::NameChoice::Exactly("dev".parse().unwrap());
    let session = engine.spawn(new.clone()).await.unwrap();
    let pid = number_after(&session, "pid").await;
    let (a, b) = tokio::join!(session.remove(AT_ONCE), session.remove(AT_ONCE));
    a.unwrap();
    b.unwrap();
    assert!(!is_alive(pid));
    assert!(is_not_found(&engine.find("dev").unwrap_err()));
    assert!(is_not_found(&engine.get(session.id()).unwrap_err()));
    assert_eq!(session.name(), None);
    assert!(is_not_found(&session.start().await.unwrap_err()));
    // Handles stay readable.
    assert!(session.grid_text().1.contains("pid"));
    engine.spawn(new).await.unwrap();
    close(engine).await;
}

#[tokio::test]
async fn the_number_of_sessions_is_bounded() {
    let engine = engine::Engine::new(with_limits(EngineLimits { sessions: 2, ..EngineLimits::default() }));
    let first = spawn(&engine, Script::new().hang()).await;
    spawn(&engine, Script::new().hang()).await;
    let refused = engine.spawn(command(Script::new().hang())).await.unwrap_err();
    assert!(matches!(refused, Error::LimitExceeded(_)), "{refused:?}");
    // What is to be done next can be done.
    assert!(refused.to_string().contains("all of them run"), "{refused}");
    first.stop(AT_ONCE).await.unwrap();
    let refused = engine.spawn(command(Script::new().hang())).await.unwrap_err();
    assert!(refused.to_string().contains("one of them has ended; remove it"), "{refused}");
    first.remove(AT_ONCE).await.unwrap();
    spawn(&engine, Script::new().hang()).await;
    close(engine).await;
}

#[tokio::test]
async fn the_list_announces_its_changes() {
    let engine = engine();
    let mut events = engine.events();
    let session = spawn(&engine, Script::new().exit(0)).await;
    exit(&session).await;
    session.rename("other".parse().unwrap()).unwrap();
    session.remove(AT_ONCE).await.unwrap();
    let id = session.id();
    let expected = [
        EngineEvent::Added(id),
        EngineEvent::Status(id, Status::Running),
        EngineEvent::Status(id, Status::Exited),
        EngineEvent::Renamed(id),
        EngineEvent::Removed(id),
    ];
    for event in expected {
        assert_eq!(soon("the next event", events.recv()).await.unwrap(), event);
    }
    close(engine).await;
}

#[tokio::test]
async fn a_dropped_spawn_leaves_a_session_or_nothing() {
    let engine = engine();
    let mut new = command(Script::new().hang());
    new.name = engine::NameChoice::Exactly("dropped".parse().unwrap());
    poll_once(engine.spawn(new)).await;
    until("it is in the list and runs", || {
        engine.find("dropped").is_ok_and(|session| session.status() == Status::Running)
    })
    .await;
    close(engine).await;
}

/// Begins `future` and drops it, unless it is done at once.
async fn poll_once(future: impl Future) {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|context| {
        let _ = future.as_mut().poll(context);
        std::task::Poll::Ready(())
    })
    .await;
}

/// Whoever asked may be gone long before the grace is over.
#[tokio::test]
async fn what_was_begun_is_done_although_nobody_waits() {
    let engine = engine();
    let deaf = Script::new().pid().ignore("TERM").print("deaf\n").hang();
    let soon_killed = StopRequest { signal: None, grace: Some(Duration::from_millis(50)) };
    let stopped = spawn(&engine, deaf.clone()).await;
    line(&stopped, "deaf").await;
    poll_once(stopped.stop(soon_killed)).await;
    assert_eq!(exit(&stopped).await, (Status::Stopped, Some(ExitStatus::Signal(9))));

    poll_once(stopped.start()).await;
    until("it runs again", || stopped.status() == Status::Running).await;

    let removed = spawn(&engine, deaf).await;
    poll_once(removed.remove(soon_killed)).await;
    soon("it is removed", async {
        while removed.frames().next().await.is_some() {
            tokio::task::yield_now().await
        }
    })
    .await;
    assert!(is_not_found(&engine.get(removed.id()).unwrap_err()));
    close(engine).await;
}

#[tokio::test]
async fn an_endless_grace_is_no_mistake() {
    let engine = engine();
    let session = spawn(&engine, Script::new().hang()).await;
    let endless = StopRequest { signal: None, grace: Some(Duration::MAX) };
    assert_eq!(soon("it stops", session.stop(endless)).await.unwrap(), Status::Stopped);
    soon("it shuts down", engine.shutdown(Duration::MAX)).await;
}

#[tokio::test]
async fn two_engines_live_side_by_side() {
    let (a, b) = (engine(), engine());
    let in_a = spawn(&a, Script::new().print("one\n").hang()).await;
    let in_b = spawn(&b, Script::new().print("two\n").hang()).await;
    assert_eq!(in_a.name(), in_b.name());
    close(a).await;
    line(&in_b, "two").await;
    assert_eq!(in_a.status(), Status::Stopped);
    assert_eq!(in_b.status(), Status::Running);
    assert!(in_b.wait_for_exit(Duration::ZERO).await.is_none());
    close(b).await;
}

/// The system ends a program with the thread that started it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_outlive_the_threads_that_asked_for_them() {
    let engine = engine();
    let asked = std::thread::spawn({
        let engine = engine.clone();
        move || {
            let own = tokio::runtime::Builder::new_current_thread().build().unwrap();
            own.block_on(spawn(&engine, Script::new().print("ready\n").read_line().hang()))
        }
    });
    // Once it is joined, a signal would be on its way.
    let session = tokio::task::spawn_blocking(|| asked.join().unwrap()).await.unwrap();
    line(&session, "ready").await;
    session.send(Input::Text("still there?\n".into()), Origin::Human).unwrap();
    line(&session, "line still there").await;
    close(engine).await;
}
