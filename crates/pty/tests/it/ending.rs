//! Ending children, also those that don't want to, and those they leave behind.

use std::io::ErrorKind;

use pty::{ExitStatus, Pid, Signal};
use testkit::{Script, wait_until};

use crate::session::{Session, Watch, request};

#[test]
fn a_child_that_ignores_term_is_ended_by_kill() {
    let mut session = Session::start(Script::new().ignore("TERM").ignore("HUP").print("up\n").cat());
    session.read_line("up");
    session.child.signal_group(Signal::TERM).unwrap();
    session.pty.write(b"alive\n").unwrap();
    session.read_line("alive");
    assert_eq!(session.child.try_wait().unwrap(), None);
    session.child.signal_group(Signal::KILL).unwrap();
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Signal(libc::SIGKILL));
}

#[test]
fn any_signal_by_number_reaches_the_child() {
    let mut session = Session::start(Script::new().print("up\n").hang());
    session.read_line("up");
    session.child.signal_group("40".parse().unwrap()).unwrap();
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Signal(40));
}

#[test]
fn the_whole_group_is_signalled() {
    let mut session = Session::start(Script::new().fork_hold(60_000).double_fork(60_000).hang());
    let (fork, orphan) = (session.read_pid("fork-hold"), session.read_pid("double-fork"));
    let others = [Watch::new(fork), Watch::new(orphan)];
    session.child.signal_group(Signal::TERM).unwrap();
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Signal(libc::SIGTERM));
    others.iter().for_each(Watch::wait_for_end);
}

#[test]
fn members_left_in_the_group_are_reached_after_the_reap() {
    let mut session = Session::start(Script::new().ignore("HUP").double_fork(60_000).exit(0));
    let orphan = Watch::new(session.read_pid("double-fork"));
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Code(0));
    assert!(!orphan.has_ended());
    session.child.signal_group(Signal::TERM).unwrap();
    orphan.wait_for_end();
    wait_until("the group is empty", || {
        session.child.signal_group(Signal::TERM).is_err_and(|error| error.kind() == ErrorKind::NotFound)
    });
}

#[test]
fn an_empty_group_is_not_signalled_by_its_number() {
    let mut session = Session::start(Script::new().exit(0));
    session.wait_for_exit();
    // The zombie still holds the number: a signal to it is lost, not misdirected.
    session.child.signal_group(Signal::TERM).unwrap();
    session.child.wait().unwrap();
    assert_eq!(session.child.signal_group(Signal::TERM).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(session.child.signal_session(Signal::TERM).unwrap(), 0);
}

/// Runs the system out of fresh process numbers until an old one comes again. Needs 32,768 of them
/// to be all there are, as small systems have it.
#[test]
#[ignore = "slow: run by .ci/run"]
fn a_number_that_came_again_is_not_signalled() {
    let most: i64 = std::fs::read_to_string("/proc/sys/kernel/pid_max").unwrap().trim().parse().unwrap();
    if most > 32_768 {
        eprintln!("skipped: this system has {most} process numbers, too many to go round");
        return;
    }
    let mut old = Session::start(Script::new().exit(0));
    old.child.wait().unwrap();
    let namesake = (0..3 * most).find_map(|_| {
        let mut new = pty::spawn(request(vec!["/bin/true".into()])).unwrap();
        if new.1.pid() == old.child.pid() {
            return Some(new);
        }
        new.1.wait().unwrap();
        None
    });
    let (_pty, mut namesake) = namesake.expect("the number comes again");
    assert_eq!(old.child.signal_group(Signal::KILL).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(old.child.signal_session(Signal::KILL).unwrap(), 0);
    assert_eq!(namesake.wait().unwrap(), ExitStatus::Code(0));
}

#[test]
fn background_jobs_of_a_killed_shell_are_reached_by_the_session() {
    let script = "set -m; trap '' HUP; sleep 61 & sleep 62 & echo jobs; wait";
    let argv = vec!["sh".into(), "-c".into(), script.into()];
    let mut session = Session::of(pty::spawn(request(argv)).unwrap());
    session.read_line("jobs");
    let leader = session.child.pid();
    let jobs =
        || -> Vec<Pid> { pty::processes::session_members(leader).into_iter().filter(|pid| *pid != leader).collect() };
    assert_eq!(jobs().len(), 2);
    let watches: Vec<Watch> = jobs().into_iter().map(Watch::new).collect();
    session.child.signal_group(Signal::KILL).unwrap();
    session.child.wait().unwrap();
    assert!(watches.iter().all(|job| !job.has_ended()), "they are in groups of their own");
    assert_eq!(session.child.signal_session(Signal::KILL).unwrap(), 2, "reached after the reap");
    watches.iter().for_each(Watch::wait_for_end);
    wait_until("the session is empty", || session.child.signal_session(Signal::KILL).unwrap() == 0);
}

#[test]
fn a_grandchild_holds_the_terminal_but_not_the_exit() {
    let mut session = Session::start(Script::new().setsid_child(60_000).print("leaving\n").exit(2));
    let holder = session.read_pid("setsid-child");
    session.wait_for_exit();
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Code(2));
    session.read_line("leaving");
    let outcome = session.pty.read(&mut [0; 10]).unwrap();
    assert_eq!(outcome, pty::ReadOutcome::WouldBlock, "the terminal is still open elsewhere");
    // It left the session on purpose: nobody but the test ends it.
    Watch::new(holder).kill();
    session.read_to_end();
}

#[test]
fn a_dropped_child_is_killed_with_its_group_and_reaped() {
    testkit::in_own_process("ending::a_dropped_child_is_killed_with_its_group_and_reaped", || {
        let mut session = Session::start(Script::new().ignore("TERM").ignore("HUP").fork_hold(60_000).hang());
        let watches = [Watch::new(session.child.pid()), Watch::new(session.read_pid("fork-hold"))];
        assert_eq!(testkit::child_pids(), [session.child.pid().as_raw()]);
        drop(session);
        assert!(testkit::child_pids().is_empty(), "reaped");
        watches.iter().for_each(Watch::wait_for_end);
    });
}
