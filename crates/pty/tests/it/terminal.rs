//! The terminal itself: size, modes, foreground, bytes to a child that reads or doesn't.

use std::time::Duration;

use pty::{ExitStatus, PollFd, PollFlags, PollWaker, PtySize, Signal, TtyFacts, WriteQueue, poll};
use testkit::{Script, wait_until_with};

use crate::session::Session;

#[test]
fn the_size_is_there_from_the_start_and_changes_are_told() {
    let mut session = Session::start(Script::new().size().hang());
    assert_eq!(session.read_line("size"), "80x24");
    session.pty.resize(PtySize { cols: 132, rows: 50 }).unwrap();
    session.read_line("size 132x50");
    session.pty.resize(PtySize { cols: 1, rows: 1 }).unwrap();
    session.read_line("size 1x1");
    session.pty.resize(PtySize { cols: u16::MAX, rows: u16::MAX }).unwrap();
    session.read_line("size 65535x65535");
}

#[test]
fn facts_follow_what_the_child_sets() {
    let script = Script::new().print("1\n").read_line().raw().print("raw\n").hex().cooked().print("back\n");
    let mut session = Session::start(script.no_echo().print("secret\n").hang());
    session.read_line("1");
    assert_eq!(session.pty.tty_facts().unwrap(), TtyFacts { canonical: true, echo: true, signals: true });
    session.pty.write(b"\n").unwrap();
    session.read_line("raw");
    assert_eq!(session.pty.tty_facts().unwrap(), TtyFacts { canonical: false, echo: false, signals: false });
    session.pty.write(b"q").unwrap();
    session.read_line("secret");
    assert_eq!(session.pty.tty_facts().unwrap(), TtyFacts { canonical: true, echo: false, signals: true });
}

#[test]
fn keys_become_signals_and_characters_are_erased_whole() {
    let mut session = Session::start(Script::new().read_line().hang());
    // é is two bytes: erasing one character takes both.
    session.pty.write("aé\x7fb\n".as_bytes()).unwrap();
    assert_eq!(session.read_line("line"), "ab");
    session.pty.write(b"\x03").unwrap();
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Signal(libc::SIGINT));
}

#[test]
fn the_foreground_group_follows_jobs() {
    let mut session = Session::start(Script::new().job(60_000).print("back\n").hang());
    let job = session.read_pid("job");
    assert_eq!(session.pty.foreground_group(), Some(job));
    assert_ne!(job, session.child.pid());
    session.pty.signal_foreground(Signal::TERM).unwrap();
    session.read_line("back");
    assert_eq!(session.pty.foreground_group(), Some(session.child.pid()), "only the job was ended");
    session.pty.signal_foreground(Signal::USR1).unwrap();
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Signal(libc::SIGUSR1));
    assert_eq!(session.pty.foreground_group(), None);
    let error = session.pty.signal_foreground(Signal::TERM).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn input_arrives_whole_and_in_order() {
    let mut session = Session::start(Script::new().raw().print("ready\n").cat());
    session.read_line("ready");
    session.output.clear();
    let sent: Vec<u8> = (0..1_000_000u32).map(|n| (n % 251) as u8).collect();
    let mut queue = WriteQueue::new(sent.len());
    for part in sent.chunks(70_000) {
        queue.push(part).unwrap();
    }
    let mut buffer = [0; 65536];
    while session.output.len() < sent.len() {
        let mut wanted = PollFlags::IN;
        if !queue.flush(&session.pty, usize::MAX).unwrap() {
            wanted |= PollFlags::OUT;
        }
        let mut fds = [PollFd::new(&session.pty, wanted)];
        assert_eq!(poll(&mut fds, Some(testkit::DEADLINE)).unwrap(), 1, "stuck at {}", session.output.len());
        while let pty::ReadOutcome::Bytes(count) = session.pty.read(&mut buffer).unwrap() {
            session.output.extend_from_slice(&buffer[..count]);
        }
    }
    assert!(session.output == sent, "what came back differs");
}

#[test]
fn a_child_that_never_reads_fills_the_queue_and_blocks_nobody() {
    let mut session = Session::start(Script::new().raw().print("ready\n").hang());
    session.read_line("ready");
    let mut queue = WriteQueue::new(1 << 20);
    let chunk = [b'x'; 10_000];
    let full = loop {
        if let Err(full) = queue.push(&chunk) {
            break full;
        }
        assert!(!queue.flush(&session.pty, usize::MAX).unwrap() || queue.is_empty());
    };
    assert_eq!(full.limit, 1 << 20);
    assert!(full.queued > full.limit - chunk.len() && full.queued == queue.len(), "{full:?}");
    assert!(!queue.flush(&session.pty, usize::MAX).unwrap(), "the kernel's buffer is full too");
    // Everything else works on.
    session.pty.resize(PtySize { cols: 10, rows: 10 }).unwrap();
    session.child.signal_group(Signal::KILL).unwrap();
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Signal(libc::SIGKILL));
    session.read_to_end();
    let rest = queue.len();
    for _ in 0..10 {
        // A dead terminal refuses or has no room, as the kernel pleases, but never blocks.
        let _ = queue.flush(&session.pty, usize::MAX);
    }
    assert!(!queue.is_empty() && queue.len() <= rest, "a few kilobytes may still fit into the dead terminal's buffer");
}

#[test]
fn a_terminal_that_the_child_closed_ends_but_the_child_does_not() {
    let mut session = Session::start(Script::new().print("bye\n").ignore("HUP").close_tty().hang());
    assert_eq!(session.read_to_end(), "bye\r\n");
    assert_eq!(session.child.try_wait().unwrap(), None);
    session.child.signal_group(Signal::TERM).unwrap();
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Signal(libc::SIGTERM));
}

#[test]
fn dropping_the_terminal_hangs_the_child_up() {
    let mut session = Session::start(Script::new().print("up\n").hang());
    session.read_line("up");
    let Session { pty, mut child, .. } = session;
    drop(pty);
    assert_eq!(child.wait().unwrap(), ExitStatus::Signal(libc::SIGHUP));
}

#[test]
fn a_waker_ends_a_wait_once_drained_no_more() {
    let waker = std::sync::Arc::new(PollWaker::new().unwrap());
    let is_ready = |waker: &PollWaker, timeout| poll(&mut [PollFd::new(waker, PollFlags::IN)], timeout).unwrap() == 1;
    assert!(!is_ready(&waker, Some(Duration::ZERO)));
    let other = waker.clone();
    let waking = std::thread::spawn(move || other.wake().unwrap());
    assert!(is_ready(&waker, None), "waits for ever, and is woken");
    waking.join().unwrap();
    for _ in 0..1000 {
        waker.wake().unwrap();
    }
    waker.drain().unwrap();
    assert!(!is_ready(&waker, Some(Duration::ZERO)), "a thousand wakes are one");
    waker.drain().unwrap();
}

#[test]
fn a_flood_does_not_keep_the_child_from_being_ended() {
    let mut session = Session::start(Script::new().flood_forever());
    let mut buffer = [0; 65536];
    let mut total = 0;
    wait_until_with(
        "ten megabytes have come",
        || {
            while let pty::ReadOutcome::Bytes(count) = session.pty.read(&mut buffer).unwrap() {
                total += count;
                if total > 10 << 20 {
                    return true;
                }
            }
            false
        },
        || "too few".to_owned(),
    );
    session.child.signal_group(Signal::TERM).unwrap();
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Signal(libc::SIGTERM));
}
