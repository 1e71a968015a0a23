//! What an engine leaves behind: nothing.

use std::time::Duration;

use engine::{Engine, Error, Status};
use testkit::{Script, child_pids, in_own_process, open_fds, threads};

use crate::stage::*;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn targets() -> Vec<String> {
    let mut all: Vec<String> = open_fds().into_iter().map(|fd| fd.target).collect();
    all.retain(|target| target.contains("ptmx") || target.contains("pts") || target.contains("anon_inode"));
    all.sort();
    all
}

fn our_threads() -> Vec<String> {
    let all = threads().into_iter().map(|thread| thread.name);
    all.filter(|name| name.starts_with("io-p_") || name.starts_with("pty-")).collect()
}

#[test]
fn shutdown_leaves_no_process_thread_descriptor_or_zombie() {
    in_own_process("shutdown::shutdown_leaves_no_process_thread_descriptor_or_zombie", || {
        let runtime = runtime();
        let before = targets();
        let (engine, left) = runtime.block_on(async {
            let engine = engine();
            let scripts = [
                Script::new().pid().hang(),
                Script::new().pid().ignore("TERM").ignore("HUP").print("deaf\n").hang(),
                Script::new().pid().flood_forever(),
                Script::new().pid().exit(0),
                Script::new().pid().fork_hold(600_000).hang(),
                Script::new().pid().double_fork(600_000).exit(0),
                Script::new().pid().close_tty().hang(),
            ];
            let mut pids = Vec::new();
            for script in scripts {
                let session = spawn(&engine, script.clone()).await;
                pids.push(number_after(&session, "pid").await);
                for word in ["fork-hold", "double-fork"] {
                    if script.argv().iter().any(|argument| argument == word) {
                        pids.push(number_after(&session, word).await);
                    }
                }
            }
            engine.shutdown(Duration::from_millis(300)).await;
            (engine, pids)
        });
        assert_eq!(child_pids(), [] as [i32; 0]);
        assert!(left.iter().all(|pid| !is_alive(*pid)), "{left:?}");
        assert_eq!(our_threads(), [] as [String; 0]);
        assert_eq!(targets(), before);
        // Its sessions can still be read, but not started.
        assert!(
            engine
                .list()
                .iter()
                .all(|session| session.status().has_ended() && !session.grid_text().1.trim().is_empty())
        );
        let refused = runtime.block_on(engine.spawn(command(Script::new().hang()))).unwrap_err();
        assert!(matches!(refused, Error::ShuttingDown));
        let refused = runtime.block_on(engine.list()[0].start()).unwrap_err();
        assert!(matches!(refused, Error::ShuttingDown), "{refused}");
    });
}

#[test]
fn a_dropped_engine_kills_what_runs() {
    in_own_process("shutdown::a_dropped_engine_kills_what_runs", || {
        let runtime = runtime();
        let before = targets();
        let pid = runtime.block_on(async {
            let engine = engine();
            let session = spawn(&engine, Script::new().ignore("TERM").ignore("HUP").pid().hang()).await;
            number_after(&session, "pid").await
        });
        testkit::wait_until("the child is reaped", || child_pids().is_empty() && !is_alive(pid));
        testkit::wait_until("its threads have ended", || our_threads().is_empty());
        testkit::wait_until("its descriptors are closed", || targets() == before);
    });
}

#[test]
fn many_short_sessions_leave_nothing() {
    in_own_process("shutdown::many_short_sessions_leave_nothing", || rounds_of_short_sessions(6));
}

#[test]
#[ignore = "slow: three thousand processes"]
fn thousands_of_short_sessions_leave_nothing() {
    in_own_process("shutdown::thousands_of_short_sessions_leave_nothing", || rounds_of_short_sessions(100));
}

fn rounds_of_short_sessions(rounds: usize) {
    runtime().block_on(async {
        let engine = engine();
        let mut steady = None;
        for round in 0..rounds {
            for _ in 0..30 {
                let session = spawn(&engine, Script::new().print("x").exit(0)).await;
                exit(&session).await;
                session.remove(AT_ONCE).await.unwrap();
            }
            // The system lists a thread for a moment after it was waited for.
            testkit::wait_until("their threads have ended", || our_threads().is_empty());
            let now = (targets().len(), child_pids().len());
            assert_eq!(*steady.get_or_insert(now), now, "after round {round}");
        }
        close(engine).await;
    });
}

#[tokio::test]
async fn a_shutdown_waits_for_starts_under_way() {
    for _ in 0..20 {
        let engine: Engine = engine();
        let spawning = tokio::spawn({
            let engine = engine.clone();
            async move { engine.spawn(command(Script::new().hang())).await }
        });
        tokio::task::yield_now().await;
        soon("the engine has shut down", engine.shutdown(Duration::ZERO)).await;
        match spawning.await.unwrap() {
            Ok(session) => assert_eq!(session.status(), Status::Stopped),
            Err(error) => assert!(matches!(error, Error::ShuttingDown), "{error}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_starts_again_behind_a_shutdown() {
    for _ in 0..20 {
        let engine = engine();
        let session = spawn(&engine, Script::new().hang()).await;
        let restarting = tokio::spawn({
            let session = session.clone();
            async move { session.restart(AT_ONCE).await }
        });
        soon("the engine has shut down", engine.shutdown(Duration::ZERO)).await;
        // It may just be about to learn that it can't start.
        assert_ne!(session.status(), Status::Running);
        match restarting.await.unwrap() {
            Ok(status) => assert!(status.has_ended() || status == Status::Running, "{status}"),
            Err(error) => assert!(matches!(error, Error::ShuttingDown), "{error}"),
        }
        assert!(session.status().has_ended() && session.info().pid.is_none());
    }
}
