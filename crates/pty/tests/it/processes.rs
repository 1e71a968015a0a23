//! The processes in a session, as `/proc` shows them.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, TcpStream};

use pty::Pid;
use pty::processes::{
    ListeningSocket, command_name, descendants, listening_sockets, living_sessions, process_group_members,
    session_members, working_dir,
};
use testkit::Script;

use crate::session::{Session, request};

fn sorted(mut pids: Vec<Pid>) -> Vec<Pid> {
    pids.sort();
    pids
}

#[test]
fn descendants_group_and_session_are_told_apart() {
    let script = Script::new().fork_hold(60_000).setsid_child(60_000).double_fork(60_000).print("up\n").hang();
    let mut session = Session::start(script);
    session.read_line("up");
    let leader = session.child.pid();
    let [fork, apart, orphan] = ["fork-hold", "setsid-child", "double-fork"].map(|name| session.read_pid(name));
    assert_eq!(sorted(descendants(leader)), sorted(vec![fork, apart]), "an orphan belongs to nobody");
    assert_eq!(sorted(process_group_members(leader)), sorted(vec![leader, fork, orphan]));
    assert_eq!(sorted(session_members(leader)), sorted(vec![leader, fork, orphan]));
    assert_eq!(process_group_members(apart), [apart]);
    crate::session::Watch::new(apart).kill();
}

#[test]
fn a_session_lives_as_long_as_a_process_is_in_it() {
    let mut left = Session::start(Script::new().ignore("HUP").double_fork(60_000).exit(0));
    let mut ended = Session::start(Script::new().exit(0));
    let orphan = left.read_pid("double-fork");
    left.child.wait().unwrap();
    let sessions = HashSet::from([left.child.pid(), ended.child.pid()]);
    testkit::wait_until("a zombie does not count", || living_sessions(&sessions) == HashSet::from([left.child.pid()]));
    ended.child.wait().unwrap();
    crate::session::Watch::new(orphan).kill();
    testkit::wait_until("nobody is left", || living_sessions(&sessions).is_empty());
}

#[test]
fn descendants_go_all_the_way_down() {
    let script = "sh -c 'sh -c \"echo deep; read x\"; true'; true";
    let argv = vec!["sh".into(), "-c".into(), script.into()];
    let mut session = Session::of(pty::spawn(request(argv)).unwrap());
    session.read_line("deep");
    let found = descendants(session.child.pid());
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(descendants(found[0]), found[1..]);
}

#[test]
fn sockets_that_really_listen_are_found() {
    let script = Script::new().listen("127.0.0.1:0").print("next\n").hang();
    let mut session = Session::start(script);
    let port = session.read_line("listening").parse().unwrap();
    session.read_line("next");
    let pid = session.child.pid();
    let expected = ListeningSocket { port, address: IpAddr::V4(Ipv4Addr::LOCALHOST), pid };
    assert_eq!(listening_sockets(&[pid]), [expected]);
    let mut other = Session::start(Script::new().print("up\n").hang());
    other.read_line("up");
    assert_eq!(listening_sockets(&[other.child.pid()]), []);
    assert_eq!(listening_sockets(&[other.child.pid(), pid]), [expected]);
    assert_eq!(listening_sockets(&[]), []);
}

/// The table is read up to the first connection: listening sockets have to come first.
#[test]
fn connections_do_not_hide_listening_sockets() {
    let mut session = Session::start(Script::new().listen("127.0.0.1:0").read_line().listen("127.0.0.1:0").read_line());
    let port: u16 = session.read_line("listening").parse().unwrap();
    let connections: Vec<TcpStream> = (0..50).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    session.pty.write(b"go on\n").unwrap();
    session.read_line("line go on");
    testkit::wait_until("both sockets are seen", || listening_sockets(&[session.child.pid()]).len() == 2);
    drop(connections);
}

#[test]
fn a_listening_socket_shared_with_a_fork_is_listed_once() {
    let mut session = Session::start(Script::new().listen("127.0.0.1:0").listen("0.0.0.0:0").fork_hold(60_000).hang());
    let fork = session.read_pid("fork-hold");
    let pid = session.child.pid();
    let found = listening_sockets(&[pid, fork]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|socket| socket.pid == pid), "{found:?}");
    assert!(found.iter().any(|socket| socket.address.is_unspecified()), "{found:?}");
}

#[test]
fn ipv6_sockets_are_found() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        eprintln!("skipped: this system has no IPv6");
        return;
    }
    let mut session = Session::start(Script::new().listen("[::1]:0").print("up\n").hang());
    let port: u16 = session.read_line("listening").parse().unwrap();
    let found = listening_sockets(&[session.child.pid()]);
    assert_eq!((found[0].port, found[0].address.to_string()), (port, "::1".to_owned()));
}

#[test]
fn folder_and_name_of_a_process() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().canonicalize().unwrap();
    let mut request = request(Script::new().print("up\n").hang().argv());
    request.working_dir = Some(place.clone());
    let mut session = Session::of(pty::spawn(request).unwrap());
    session.read_line("up");
    let pid = session.child.pid();
    assert_eq!(working_dir(pid), Some(place));
    assert_eq!(command_name(pid).as_deref(), Some("scripted-child"));
    folder.close().unwrap();
    assert_eq!(working_dir(pid), None, "a deleted folder is no place");
}

#[test]
fn a_hostile_name_can_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("a) S 1\x1b[2J");
    std::os::unix::fs::symlink(testkit::child_path(), &program).unwrap();
    let mut argv = Script::new().print("up\n").hang().argv();
    argv[0] = program.into();
    let mut session = Session::of(pty::spawn(request(argv)).unwrap());
    session.read_line("up");
    assert_eq!(command_name(session.child.pid()).as_deref(), Some("a) S 1[2J"));
    assert_eq!(session_members(session.child.pid()), [session.child.pid()]);
}

#[test]
fn a_process_that_is_gone_has_nothing() {
    let mut session = Session::start(Script::new().exit(0));
    let pid = session.child.pid();
    session.wait_for_exit();
    assert_eq!(process_group_members(pid), [], "a zombie is no member");
    session.child.wait().unwrap();
    assert_eq!(descendants(pid), []);
    assert_eq!(working_dir(pid), None);
    assert_eq!(command_name(pid), None);
    assert_eq!(listening_sockets(&[pid]), []);
}
