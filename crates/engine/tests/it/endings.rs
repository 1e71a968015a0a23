//! How children end, and what is kept of them.

use std::time::Duration;

use engine::{ExitStatus, Status, StopRequest};
use testkit::Script;

use crate::stage::*;

#[tokio::test]
async fn exit_codes_and_signals_are_right_and_the_last_bytes_are_kept() {
    quick_exits(60).await;
}

#[tokio::test]
#[ignore = "slow: a thousand processes"]
async fn so_are_those_of_a_thousand() {
    quick_exits(1000).await;
}

async fn quick_exits(count: usize) {
    let engine = engine();
    let mut sessions = std::collections::VecDeque::new();
    for number in 0..count {
        let code = u8::try_from(number % 256).unwrap();
        let script = Script::new().flood(3_000).print(&format!("last words {number}"));
        let (script, expected) = match number % 3 {
            0 => (script.signal("KILL"), ExitStatus::Signal(9)),
            1 => (script.signal("TERM"), ExitStatus::Signal(15)),
            _ => (script.exit(code), ExitStatus::Code(i32::from(code))),
        };
        sessions.push_back((number, expected, spawn(&engine, script).await));
        // Many at once, but not so many that the machine runs out of terminals.
        if sessions.len() == 50 || number + 1 == count {
            for (number, expected, session) in sessions.drain(..) {
                check_ending(&session, number, expected).await;
            }
        }
    }
    close(engine).await;
}

async fn check_ending(session: &engine::Session, number: usize, expected: ExitStatus) {
    assert_eq!(exit(session).await, (Status::Exited, Some(expected)));
    let last = format!("last words {number}");
    let raw = session.raw(0, usize::MAX);
    // 37 newlines and a rest of 40 bytes: the terminal makes CR LF of each.
    assert_eq!(raw.bytes.len(), 3_000 + 37 + last.len());
    assert!(raw.bytes.ends_with(last.as_bytes()));
    assert!(session.grid_text().1.trim_end().ends_with(&last));
    session.remove(AT_ONCE).await.unwrap();
}

/// The child is gone, but a grandchild keeps the terminal: the exit is the child's all the same.
#[tokio::test]
async fn a_grandchild_that_holds_the_terminal_does_not_hide_the_exit() {
    let engine = engine();
    let session = spawn(&engine, Script::new().double_fork(600_000).print("bye\n").exit(5)).await;
    let holder = number_after(&session, "double-fork").await;
    assert_eq!(exit(&session).await, (Status::Exited, Some(ExitStatus::Code(5))));
    assert!(session.grid_text().1.contains("bye"));
    // It is swept away with the session.
    soon("the session is removed", session.remove(AT_ONCE)).await.unwrap();
    gone(holder).await;
    close(engine).await;
}

#[tokio::test]
async fn a_child_that_closes_its_terminal_is_still_followed() {
    let engine = engine();
    let session = spawn(&engine, Script::new().print("closing\n").close_tty().sleep(300).exit(7)).await;
    line(&session, "closing").await;
    assert_eq!(session.status(), Status::Running);
    assert_eq!(exit(&session).await, (Status::Exited, Some(ExitStatus::Code(7))));
    close(engine).await;
}

/// A terminal nobody has open reports "hung up" all the time: its thread must not spin on it.
#[tokio::test]
async fn a_closed_terminal_costs_no_processor_time() {
    let engine = engine();
    let session = spawn(&engine, Script::new().pid().close_tty().hang()).await;
    number_after(&session, "pid").await;
    let thread = format!("io-{}", session.id());
    let ticks = || thread_ticks(&thread);
    until("the thread runs", || ticks().is_some()).await;
    // Long enough for a spinning thread to gather 50 ticks of 10 ms.
    let before = ticks().unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let used = ticks().unwrap() - before;
    assert!(used <= 10, "{used} ticks of processor time in half a second");
    // Input waits without spinning either.
    session.send(engine::Input::Text("x".into()), engine::Origin::Human).unwrap();
    let before = ticks().unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let used = ticks().unwrap() - before;
    assert!(used <= 10, "{used} ticks of processor time in half a second with input waiting");
    close(engine).await;
}

/// User and system time of the thread with this name.
fn thread_ticks(name: &str) -> Option<u64> {
    for entry in std::fs::read_dir("/proc/self/task").unwrap() {
        let stat = std::fs::read_to_string(entry.unwrap().path().join("stat")).unwrap_or_default();
        if let Some((start, rest)) = stat.rsplit_once(") ")
            && start.ends_with(&format!("({name}"))
        {
            let fields: Vec<&str> = rest.split(' ').collect();
            return Some(fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap());
        }
    }
    None
}

#[tokio::test]
async fn a_terminal_that_is_opened_again_is_read_again() {
    let engine = engine();
    let script = "tty=$(tty); exec <&- >&- 2>&-; sleep 0.3; exec >$tty; echo back; sleep 600";
    let session = engine.spawn(shell_command(script)).await.unwrap();
    line(&session, "back").await;
    close(engine).await;
}

#[tokio::test]
async fn stopping_takes_jobs_in_other_groups_along() {
    let engine = engine();
    // A shell with job control puts the sleepers into groups of their own.
    let script = "set -m; sleep 600 & echo first $!; sleep 601 & echo second $!; echo ready; wait";
    let session = engine.spawn(shell_command(script)).await.unwrap();
    let first = number_after(&session, "first").await;
    let second = number_after(&session, "second").await;
    line(&session, "ready").await;
    session.stop(StopRequest { signal: None, grace: Some(Duration::from_secs(1)) }).await.unwrap();
    assert!(!is_alive(first) && !is_alive(second));
    close(engine).await;
}

#[tokio::test]
async fn removing_an_exited_session_sweeps_what_ignores_the_hang_up() {
    let engine = engine();
    let script = "(trap '' HUP TERM; exec sleep 600) </dev/null >/dev/null 2>&1 & echo left $!; exit 0";
    let session = engine.spawn(shell_command(script)).await.unwrap();
    let left = number_after(&session, "left").await;
    exit(&session).await;
    soon("the session is removed", session.remove(AT_ONCE)).await.unwrap();
    gone(left).await;
    close(engine).await;
}

/// `nohup` and `disown` keep a job from the hang-up, not from being asked to end.
#[tokio::test]
async fn a_job_that_ignores_the_hang_up_is_asked_to_end_and_may_clean_up() {
    let engine = engine();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let job = format!("trap 'echo cleaned > {}; exit' TERM; echo up; while :; do sleep 0.05; done", log.display());
    let script = format!("set -m; (trap '' HUP; exec sh -c '{}') & wait", job.replace('\'', "'\\''"));
    let session = engine.spawn(shell_command(&script)).await.unwrap();
    line(&session, "up").await;
    session.remove(StopRequest::default()).await.unwrap();
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "cleaned\n");
    close(engine).await;
}

/// A process that began its own session has left on purpose: the limit of what we promise.
#[tokio::test]
async fn a_daemon_with_its_own_session_is_let_go() {
    let engine = engine();
    let session = spawn(&engine, Script::new().setsid_child(600_000).exit(0)).await;
    let daemon = number_after(&session, "setsid-child").await;
    exit(&session).await;
    session.remove(AT_ONCE).await.unwrap();
    assert!(is_alive(daemon));
    rustix::process::kill_process(rustix::process::Pid::from_raw(daemon).unwrap(), rustix::process::Signal::KILL)
        .unwrap();
    close(engine).await;
}
