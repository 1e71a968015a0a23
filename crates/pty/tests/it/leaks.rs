//! Counts of descriptors, children and threads stay flat.

use pty::SpawnError;
use testkit::{Script, child_pids, open_fds, threads};

use crate::session::{Session, request};

fn spawn_many(count: usize) {
    let threads_before = threads();
    let before = open_fds();
    for n in 0..count {
        // Every tenth can't be started, every tenth is dropped while it runs.
        match n % 10 {
            3 => {
                let error = pty::spawn(request(vec!["/no/such/program".into()])).unwrap_err();
                assert!(matches!(error, SpawnError::NotFound { .. }));
            }
            7 => drop(Session::start(Script::new().hang())),
            _ => {
                let mut session = Session::start(Script::new().print("x\n").exit(0));
                session.read_to_end();
                session.child.wait().unwrap();
            }
        }
        if n % 100 == 99 {
            assert_eq!((open_fds(), child_pids()), (before.clone(), vec![]), "after {n} starts");
        }
    }
    assert_eq!((open_fds(), child_pids()), (before, vec![]));
    assert_eq!(threads(), threads_before);
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
