//! Counts of descriptors, children and threads stay flat.

use pty::{SpawnError, Spawner};
use testkit::{Script, child_pids, open_fds, threads, wait_until_with};

use crate::session::{Session, request};

fn spawn_many(count: usize) {
    let threads_before = threads();
    let before = open_fds();
    let spawner = Spawner::new().unwrap();
    for n in 0..count {
        // Every tenth can't be started, every tenth is dropped while it runs.
        match n % 10 {
            3 => {
                let error = spawner.spawn(request(vec!["/no/such/program".into()])).unwrap_err();
                assert!(matches!(error, SpawnError::NotFound { .. }));
            }
            7 => drop(Session::start_by(&spawner, Script::new().hang())),
            _ => {
                let mut session = Session::start_by(&spawner, Script::new().print("x\n").exit(0));
                session.read_to_end();
                session.child.wait().unwrap();
            }
        }
        if n % 100 == 99 {
            assert_eq!((open_fds(), child_pids()), (before.clone(), vec![]), "after {n} starts");
        }
    }
    drop(spawner);
    assert_eq!((open_fds(), child_pids()), (before, vec![]));
    // Joined, but the kernel may list a thread a moment longer.
    wait_until_with("the spawning thread is gone", || threads() == threads_before, || format!("{:?}", threads()));
}

#[test]
fn five_hundred_starts_leave_nothing() {
    testkit::in_own_process("leaks::five_hundred_starts_leave_nothing", || spawn_many(500));
}

#[test]
#[ignore = "slow: run by .ci/run"]
fn ten_thousand_starts_leave_nothing() {
    testkit::in_own_process("leaks::ten_thousand_starts_leave_nothing", || spawn_many(10_000));
}

#[test]
fn the_thread_lives_as_long_as_handles_and_children() {
    testkit::in_own_process("leaks::the_thread_lives_as_long_as_handles_and_children", || {
        let count = || threads().iter().filter(|thread| thread.name == "pty-spawner").count();
        let spawner = Spawner::new().unwrap();
        let clone = spawner.clone();
        let mut session = Session::start_by(&spawner, Script::new().read_line().exit(0));
        drop(spawner);
        drop(clone);
        assert_eq!(count(), 1, "a child that was not waited for needs it");
        session.pty.write(b"\n").unwrap();
        session.child.wait().unwrap();
        wait_until_with("the thread has ended", || count() == 0, || format!("{:?}", threads()));
    });
}
