//! What a child finds: its session, its terminal, its descriptors, its signals, its environment.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use pty::{ExitStatus, Pid};
use testkit::Script;

use crate::session::{Session, request};

/// The child's `facts`, by name.
#[track_caller]
fn facts(session: &mut Session) -> HashMap<String, String> {
    session.read_line("facts end");
    let text = session.text();
    text.lines().filter_map(|line| line.trim_end().split_once(' ')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
}

#[test]
fn a_child_leads_its_own_session_and_group_in_its_own_terminal() {
    let mut session = Session::start(Script::new().facts());
    let facts = facts(&mut session);
    let pid = session.child.pid().to_string();
    for name in ["session", "group", "foreground"] {
        assert_eq!(facts[name], pid, "{name}");
    }
    assert_eq!(facts["streams-are-ttys"], "yes");
    assert_eq!(facts["controlling-terminal"], "yes");
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Code(0));
}

#[test]
fn a_child_inherits_descriptors_0_1_2_and_no_other() {
    let others: Vec<Session> = (0..100).map(|_| Session::start(Script::new().print("up\n").hang())).collect();
    // One that anybody may inherit, as a careless library would leave it.
    let careless = rustix::io::dup(std::fs::File::open("/dev/null").unwrap()).unwrap();
    assert!(!rustix::io::fcntl_getfd(&careless).unwrap().contains(rustix::io::FdFlags::CLOEXEC));
    let mut session = Session::start(Script::new().facts());
    assert_eq!(facts(&mut session)["descriptors"], "0,1,2");
    // The hundredth had 99 masters beside it, and its maker's copies of slaves and pidfds.
    drop(others);
}

#[test]
fn programs_started_elsewhere_meanwhile_inherit_nothing_of_ours() {
    let name = "surroundings::programs_started_elsewhere_meanwhile_inherit_nothing_of_ours";
    testkit::in_own_process(name, || {
        let argv = Script::new().facts().argv();
        let inherited = || {
            let output = std::process::Command::new(&argv[0]).args(&argv[1..]).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            text.lines().find(|line| line.starts_with("descriptors")).unwrap().to_owned()
        };
        // What whoever runs the tests left open for everybody is not ours.
        let alone = inherited();
        let done = AtomicBool::new(false);
        let meanwhile: Vec<String> = std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        Session::start(Script::new().exit(0)).child.wait().unwrap();
                    }
                });
            }
            let meanwhile = (0..300).map(|_| inherited()).collect();
            done.store(true, Ordering::Relaxed);
            meanwhile
        });
        assert!(meanwhile.iter().all(|other| *other == alone), "{alone} alone, but {meanwhile:?}");
    });
}

#[test]
fn masters_and_exit_descriptors_are_close_on_exec() {
    let session = Session::start(Script::new().hang());
    for fd in [std::os::fd::AsFd::as_fd(&session.pty), session.child.exit_fd()] {
        assert!(rustix::io::fcntl_getfd(fd).unwrap().contains(rustix::io::FdFlags::CLOEXEC));
    }
}

#[test]
#[expect(unsafe_code, reason = "signal masks and dispositions have no safe interface")]
fn a_child_starts_with_all_signals_default_and_unblocked() {
    testkit::in_own_process("surroundings::a_child_starts_with_all_signals_default_and_unblocked", || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM, libc::SIGUSR2, libc::SIGPIPE, libc::SIGCHLD, 40] {
            // SAFETY: this process is this test's own.
            assert_ne!(unsafe { libc::signal(signal, libc::SIG_IGN) }, libc::SIG_ERR);
        }
        // SAFETY: as above; the set is filled before it is used.
        unsafe {
            let mut all = std::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, std::ptr::null_mut());
        }
        let mut session = Session::start(Script::new().facts().exit(7));
        let facts = facts(&mut session);
        assert_eq!(facts["blocked"], "0000000000000000");
        assert_eq!(facts["ignored"], "0000000000000000");
        assert_eq!(session.child.wait().unwrap(), ExitStatus::Code(7), "an ignored SIGCHLD loses no status");
        // Ours are as they were, except for the SIGCHLD that would lose statuses.
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let field = |name| status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned();
        let ignored = u64::from_str_radix(&field("SigIgn:"), 16).unwrap();
        assert_eq!(ignored >> (libc::SIGHUP - 1) & 1, 1);
        assert_eq!(ignored >> (libc::SIGCHLD - 1) & 1, 0);
        let blocked = u64::from_str_radix(&field("SigBlk:"), 16).unwrap();
        assert_eq!(blocked >> (libc::SIGTERM - 1) & 1, 1);
    });
}

#[test]
fn the_environment_is_exactly_the_one_given() {
    let mut request = request(vec!["/usr/bin/env".into()]);
    request.env = vec![("ONE".into(), "1".into()), ("EMPTY".into(), "".into()), ("SIGN".into(), "a=b".into())];
    let mut session = Session::of(pty::spawn(request).unwrap());
    assert_eq!(session.read_to_end(), "ONE=1\r\nEMPTY=\r\nSIGN=a=b\r\n");
}

#[test]
fn a_host_without_stdio_starts_children_all_the_same() {
    testkit::in_own_process("surroundings::a_host_without_stdio_starts_children_all_the_same", || {
        // The test runner's last words need its own stdio back.
        let saved: Vec<_> = (0..3).map(|number| rustix::io::fcntl_dupfd_cloexec(stdio(number), 10).unwrap()).collect();
        close_stdio();
        let mut session = Session::start(Script::new().facts().exit(3));
        let master = std::os::fd::AsRawFd::as_raw_fd(&std::os::fd::AsFd::as_fd(&session.pty));
        let facts = facts(&mut session);
        let status = session.child.wait().unwrap();
        drop(session);
        for (number, saved) in (0..3).zip(&saved) {
            restore_stdio(saved, number);
        }
        assert!(master < 3, "the terminal took one of the free numbers: {master}");
        assert_eq!((facts["descriptors"].as_str(), facts["streams-are-ttys"].as_str()), ("0,1,2", "yes"));
        assert_eq!(status, ExitStatus::Code(3));
    });
}

fn stdio(number: i32) -> std::os::fd::BorrowedFd<'static> {
    match number {
        0 => rustix::stdio::stdin(),
        1 => rustix::stdio::stdout(),
        _ => rustix::stdio::stderr(),
    }
}

#[expect(unsafe_code, reason = "closing descriptors that the standard library thinks are open for ever")]
fn close_stdio() {
    for number in 0..3 {
        // SAFETY: nothing prints until they are restored.
        unsafe { libc::close(number) };
    }
}

#[expect(unsafe_code, reason = "see close_stdio")]
fn restore_stdio(saved: &impl std::os::fd::AsRawFd, number: i32) {
    // SAFETY: whatever had the number was dropped before.
    unsafe { libc::dup2(saved.as_raw_fd(), number) };
}

#[test]
fn the_working_directory_is_the_one_asked_for_or_ours() {
    let mut own = Session::start(Script::new().cwd());
    assert_eq!(own.read_line("cwd"), std::env::current_dir().unwrap().display().to_string());
    let mut request = request(Script::new().cwd().argv());
    request.working_dir = Some("/".into());
    let mut root = Session::of(pty::spawn(request).unwrap());
    assert_eq!(root.read_line("cwd"), "/");
}

#[test]
fn a_child_ends_with_the_thread_that_started_it() {
    let asked = std::thread::spawn(|| {
        let mut session = Session::start(Script::new().ignore("HUP").print("up\n").hang());
        session.read_line("up");
        session
    });
    let mut session = asked.join().unwrap();
    assert_eq!(session.child.wait().unwrap(), ExitStatus::Signal(libc::SIGKILL));
}

/// Sessions live in threads of their own, and are asked from others.
#[test]
fn both_halves_may_move_and_be_shared_between_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<pty::Pty>();
    check::<pty::ChildProcess>();
    check::<pty::PollWaker>();
    check::<pty::WriteQueue>();
    check::<pty::SpawnError>();
}

#[test]
fn pids_are_positive() {
    assert_eq!(Pid::new(0), None);
    assert_eq!(Pid::new(-1), None);
    assert_eq!(Pid::new(7).unwrap().to_string(), "7");
}
