//! Standard output and error that fail: a log line that can't be written is dropped, and nothing else happens.

use std::{
    fs,
    io::{Read, Write},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::Stdio,
};

use rustix::{
    fs::{CWD, FileType, Mode, OFlags, mknodat, open},
    process::Signal,
};
use testkit::{BrokenStream, wait_until, wait_until_some};

use crate::{
    client::Client,
    stage::{Headless, Stage, TestChild, run},
};

/// Makes a run log something: a client that sends nonsense is disconnected after the line was logged.
fn provoke_a_log_line(socket: &Path) {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.write_all(b"nonsense\n").unwrap();
    // Reset or closed: the connection is over.
    let _ = stream.read_to_end(&mut Vec::new());
}

/// The same while the run can't accept any more connections.
fn provoke_a_log_line_without_waiting(socket: &Path) {
    let mut stream = UnixStream::connect(socket).unwrap();
    let _ = stream.write_all(b"nonsense\n");
}

/// Finds the operator's connect file without the line that names it.
fn connect_file(stage: &Stage, run: &TestChild) -> PathBuf {
    let folder = stage.path(&format!("run/patterm/{}", run.id()));
    wait_until_some("the run serves its operator", || {
        let files = fs::read_dir(&folder).ok()?.flatten().map(|entry| entry.path());
        let mut operators = files.filter(|file| file.file_name().unwrap().to_string_lossy().starts_with("operator-"));
        operators.next().filter(|file| fs::read_to_string(file).is_ok_and(|text| text.trim_end().ends_with('}')))
    })
}

#[test]
fn a_headless_run_outlives_its_output_and_ends_its_sessions_in_order() {
    for broken in BrokenStream::ALL {
        let stage = Stage::new();
        let mut command = stage.command(&["--headless"]);
        command.stdin(Stdio::null());
        let (mut command, _reader) = broken.give_to(command);
        if broken == BrokenStream::Unread {
            // The first line is meant for the process that started it; the log is not.
            command.stdout(Stdio::null());
        }
        let mut patterm = TestChild::start(&mut command);
        let mut client = Client::behind_proxy(&connect_file(&stage, &patterm));
        let trap = "trap 'echo got > got; exit 0' TERM; echo ready; while :; do sleep 0.1; done";
        let id = client.spawn(&["sh", "-c", trap]);
        client.see(&id, "ready");
        provoke_a_log_line(&stage.path(&format!("run/patterm/{}.sock", patterm.id())));
        client.status(&id);
        patterm.signal(Signal::TERM);
        assert_eq!(patterm.ended().code(), Some(0), "{broken:?}");
        assert!(stage.path("project/got").exists(), "{broken:?}: its session was told to end, and had its grace");
    }
}

/// Each connection that finds no free descriptor causes a log line, which nobody reads.
#[test]
fn a_headless_run_with_few_descriptors_outlives_a_crowd_and_its_logs_reader() {
    let stage = Stage::new();
    let command = stage.command(&["--headless"]);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "ulimit -n 40; exec \"$0\" \"$@\""]).arg(command.get_program()).args(command.get_args());
    shell.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut patterm = Headless::start(shell.current_dir(stage.path("project")));
    let mut client = patterm.operator();
    let id = client.spawn(&["sh", "-c", "trap 'echo got > got; exit 0' TERM; echo ready; while :; do sleep 0.1; done"]);
    client.see(&id, "ready");
    drop(patterm.process.stderr.take());
    let crowd: Vec<UnixStream> = (0..60).map(|_| UnixStream::connect(patterm.socket()).unwrap()).collect();
    provoke_a_log_line_without_waiting(&patterm.socket());
    // Existing connections are still served.
    client.status(&id);
    drop(crowd);
    wait_until("somebody new is served", || {
        let mut connect = stage.command(&["mcp-stdio", "--connect", patterm.connect_file().to_str().unwrap()]);
        let mut newcomer = Client::behind(&mut connect);
        newcomer.ask("ping", serde_json::json!({}));
        newcomer.try_next().is_some()
    });
    patterm.signal(Signal::TERM);
    assert_eq!(patterm.wait().code(), Some(0));
    assert!(stage.path("project/got").exists(), "its session was told to end, and had its grace");
}

#[test]
fn a_debug_log_that_can_not_be_written_is_missing_and_nothing_else() {
    let stage = Stage::new();
    let debug = stage.path("debug");
    fs::create_dir_all(&debug).unwrap();
    // Writing fails from the moment when the reader is gone.
    let log = debug.join("patterm.log");
    mknodat(CWD, &log, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let reader = open(&log, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty()).unwrap();
    let patterm = stage.headless(&[&format!("--debug={}", debug.display())]);
    drop(reader);
    provoke_a_log_line(&patterm.socket());
    patterm.operator();
    let (status, _, err) = patterm.end(Signal::TERM);
    assert!(status.success(), "{status}: {err}");
    assert_eq!(err, "", "standard error may be a screen");
}

#[test]
fn a_command_whose_answer_can_not_be_written_says_so() {
    let stage = Stage::new();
    for words in [&["presets", "ls"][..], &["config", "check"], &["completions", "bash"], &["--help"], &["--version"]] {
        for broken in BrokenStream::FAILING {
            let (mut command, _reader) = broken.give_to(stage.command(words));
            // Closed streams mean that nobody wants the output; a reader that has gone has had enough.
            let quiet = matches!(broken, BrokenStream::Closed | BrokenStream::ReaderGone);
            let code = TestChild::start(&mut command).ended().code();
            assert_eq!(code, Some(if quiet { 0 } else { 5 }), "{words:?} {broken:?}");
        }
    }
    run(&mut stage.command(&["--frobnicate"])).failed(2, &["frobnicate"]);
}

#[test]
fn a_proxy_whose_streams_fail_does_not_panic() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    for broken in BrokenStream::FAILING {
        let connect = patterm.connect_file();
        let command = stage.command(&["mcp-stdio", "--connect", connect.to_str().unwrap()]);
        let (mut command, _reader) = broken.give_to(command);
        let mut proxy = TestChild::start(command.stdin(Stdio::piped()));
        let ask = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        let mut input = proxy.stdin.take().unwrap();
        // It may have ended already.
        let _ = input.write_all(ask.as_bytes());
        drop(input);
        let status = proxy.ended();
        assert!(matches!(status.code(), Some(0 | 4)), "{broken:?}: {status}");
        let (mut command, _reader) = broken.give_to(stage.command(&["mcp-stdio", "--connect", "/no/such/file"]));
        assert_eq!(TestChild::start(&mut command).ended().code(), Some(2), "{broken:?}");
    }
}
