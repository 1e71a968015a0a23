//! Standard output and error that fail: a log line that can't be written is dropped, and nothing else happens.

use std::{
    io::{Read, Write},
    os::unix::net::UnixStream,
    path::Path,
    process::Stdio,
};

use testkit::{BrokenStream, wait_until};

use crate::stage::{FinishedCommand, Stage, TestChild};

/// Makes the coordinator log something: a client that sends nonsense is disconnected after the line was logged.
fn provoke_a_log_line(socket: &Path) {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.write_all(b"nonsense\n").unwrap();
    let mut rest = Vec::new();
    // Reset or closed: the connection is over.
    let _ = stream.read_to_end(&mut rest);
}

#[test]
fn a_coordinator_outlives_its_output_and_ends_its_sessions_in_order() {
    for broken in BrokenStream::ALL {
        let stage = Stage::empty();
        let socket = stage.path("run/a.sock");
        let mut command = stage.bare();
        command.args(["serve", "--shell", "/bin/sh", "--socket"]).arg(&socket);
        let (mut command, _reader) = broken.give_to(command);
        if broken == BrokenStream::Unread {
            // The first line is meant for the process that started it; the log is not.
            command.stdout(Stdio::null());
        }
        let mut server = TestChild::start(&mut command);
        wait_until("it listens", || UnixStream::connect(&socket).is_ok());
        let vtr = |words: &[&str]| stage.vtr(&[&["--socket", socket.to_str().unwrap()], words].concat());
        let trap = "trap 'echo got > got; exit 0' TERM; echo ready; while :; do sleep 0.1; done";
        let folder = stage.path("");
        vtr(&["spawn", "x", "--wait", "ready", "--cwd", folder.to_str().unwrap(), "--cmd", trap]).ok();
        provoke_a_log_line(&socket);
        vtr(&["info", "x"]).ok();
        vtr(&["serve", "--stop"]).ok();
        assert_eq!(server.ended().code(), Some(0), "{broken:?}");
        assert!(stage.path("got").exists(), "{broken:?}: its session was told to end, and had its grace");
    }
}

#[test]
fn a_daemon_starts_and_serves_with_its_log_on_a_full_disk() {
    let stage = Stage::empty();
    let vtr = |words: &[&str]| stage.vtr(&[&["--socket", "run/d.sock"], words].concat());
    vtr(&["serve", "--daemon", "--log-file", "/dev/full"]).ok();
    vtr(&["spawn", "x", "--", "cat"]).ok();
    provoke_a_log_line(&stage.path("run/d.sock"));
    vtr(&["info", "x"]).ok();
    vtr(&["serve", "--stop"]).ok();
}

#[test]
fn a_command_whose_answer_can_not_be_written_says_so() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    for words in [&["ls"][..], &["ls", "--json"], &["screen", "x"], &["completions", "bash"], &["--help"], &["version"]]
    {
        let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = FinishedCommand::of(TestChild::start(stage.command(words).stdout(full()).stderr(Stdio::piped())));
        ran.failed(5, &["writing the output", "No space left"]);
        for broken in BrokenStream::FAILING {
            let (mut command, _reader) = broken.give_to(stage.command(words));
            // Closed streams mean that nobody wants the output; a reader that has gone has had enough.
            let quiet = matches!(broken, BrokenStream::Closed | BrokenStream::ReaderGone);
            let code = TestChild::start(&mut command).ended().code();
            assert_eq!(code, Some(if quiet { 0 } else { 5 }), "{words:?} {broken:?}");
        }
    }
    for broken in BrokenStream::FAILING {
        let (mut command, _reader) = broken.give_to(stage.command(&["frobnicate"]));
        assert_eq!(TestChild::start(&mut command).ended().code(), Some(2), "{broken:?}");
    }
}

#[test]
fn a_bridge_whose_streams_fail_ends_without_a_word() {
    let stage = Stage::new();
    for words in [&["dial-stdio"][..], &["mcp"]] {
        for broken in BrokenStream::FAILING {
            let (mut command, _reader) = broken.give_to(stage.command(words));
            let mut bridge = TestChild::start(command.stdin(Stdio::piped()));
            let mut input = bridge.stdin.take().unwrap();
            let ask = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
            // It may have ended already.
            let _ = input.write_all(ask.as_bytes());
            drop(input);
            assert_ne!(bridge.ended().code(), Some(101), "{words:?} {broken:?}");
        }
    }
}
