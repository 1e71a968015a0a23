//! How a child ended, and its last words.

use pty::ExitStatus;
use testkit::Script;

use crate::session::Session;

/// By name and number, as Linux counts them.
const SIGNALS: [(&str, i32); 8] =
    [("HUP", 1), ("INT", 2), ("ABRT", 6), ("KILL", 9), ("SEGV", 11), ("PIPE", 13), ("ALRM", 14), ("TERM", 15)];

/// Every code several times, every fifth end by a signal.
fn nth_end(n: usize) -> (Script, ExitStatus) {
    let script = Script::new().print(&format!("last words of {n}\n"));
    if n % 5 == 4 {
        let (name, number) = SIGNALS[n / 5 % SIGNALS.len()];
        (script.signal(name), ExitStatus::Signal(number))
    } else {
        let code = u8::try_from(n % 256).expect("below 256");
        (script.exit(code), ExitStatus::Code(code.into()))
    }
}

#[test]
fn a_thousand_quick_exits_keep_status_and_last_bytes() {
    std::thread::scope(|scope| {
        for worker in 0..4 {
            scope.spawn(move || {
                for n in (worker..1000).step_by(4) {
                    let (script, expected) = nth_end(n);
                    let mut session = Session::start(script);
                    // Half are read while they live, half after their end.
                    let status = if n % 2 == 0 {
                        session.read_to_end();
                        session.child.wait().unwrap()
                    } else {
                        session.wait_for_exit();
                        let status = session.child.try_wait().unwrap().expect("the descriptor said it has ended");
                        session.read_to_end();
                        status
                    };
                    assert_eq!(status, expected, "end {n}");
                    assert_eq!(session.text(), format!("last words of {n}\r\n"));
                }
            });
        }
    });
}

#[test]
fn every_code_from_0_to_255_is_reported() {
    for code in 0..=255 {
        let mut session = Session::start(Script::new().exit(code));
        assert_eq!(session.child.wait().unwrap(), ExitStatus::Code(code.into()));
    }
}

#[test]
fn a_long_farewell_is_read_to_its_end_however_late() {
    // As much as the kernel holds for a reader that isn't there yet.
    let mut session = Session::start(Script::new().flood_lines(4_000, 100).exit(0));
    session.wait_for_exit();
    session.child.wait().unwrap();
    let text = session.read_to_end();
    assert_eq!(text.len(), 4_000 + 40, "each of 40 newlines becomes two bytes");
    assert!(text.contains("00000039 INFO"));
}

#[test]
fn a_running_child_has_no_status() {
    let mut session = Session::start(Script::new().print("here\n").read_line().exit(9));
    session.read_line("here");
    assert_eq!(session.child.try_wait().unwrap(), None);
    session.pty.write(b"go\n").unwrap();
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Code(9));
    assert_eq!(session.child.try_wait().unwrap(), Some(ExitStatus::Code(9)), "asked again after the reap");
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Code(9), "asked again after the reap");
}

#[test]
fn statuses_read_as_sentences() {
    assert_eq!(ExitStatus::Code(3).to_string(), "exited with code 3");
    assert_eq!(ExitStatus::Signal(9).to_string(), "ended by SIGKILL");
    assert_eq!(ExitStatus::Signal(40).to_string(), "ended by 40");
}
