//! A coordinator in the foreground: its socket, its signals, its settings.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use rustix::process::Signal;
use testkit::wait_until;

use crate::stage::{Stage, TestChild, is_gone};

fn mode(path: &std::path::Path) -> u32 {
    path.symlink_metadata().unwrap().mode() & 0o777
}

fn session_pid(stage: &Stage, name: &str) -> i32 {
    i32::try_from(stage.vtr(&["info", name, "--json"]).json()["pid"].as_i64().unwrap()).unwrap()
}

#[test]
fn signals_end_all_sessions_and_leave_nothing() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let mut stage = Stage::new();
        stage.spawn_cat("polite");
        stage
            .vtr(&[
                "spawn",
                "deaf",
                "--wait",
                "ready",
                "--cmd",
                "trap '' HUP INT; echo ready; while :; do sleep 1; done",
            ])
            .ok();
        let pids = [session_pid(&stage, "polite"), session_pid(&stage, "deaf")];
        stage.server().signal(signal);
        assert!(stage.server().wait().success(), "{signal:?}");
        for pid in pids {
            wait_until("the sessions' processes are gone", || is_gone(pid));
        }
        assert_eq!(std::fs::read_dir(stage.path("run")).unwrap().count(), 0, "socket and lock are gone");
    }
}

#[test]
fn what_ignores_term_is_killed_after_the_kill_timeout() {
    let mut stage = Stage::empty();
    stage.serve("a", &["--kill-timeout", "100ms"]);
    stage
        .vtr(&["spawn", "deaf", "--wait", "ready", "--cmd", "trap '' TERM HUP; echo ready; while :; do sleep 1; done"])
        .ok();
    let pid = session_pid(&stage, "deaf");
    stage.vtr(&["rm", "deaf"]).ok();
    wait_until("it is gone", || is_gone(pid));
}

#[test]
fn a_second_signal_kills_what_is_left_at_once() {
    let mut stage = Stage::empty();
    stage.serve("a", &["--kill-timeout", "1m"]);
    let jobs = "set -m; trap '' TERM HUP INT; sleep 1000 & echo job $!; wait";
    stage.vtr(&["spawn", "deaf", "--wait", "job [0-9]+", "--cmd", jobs]).ok();
    let screen = stage.vtr(&["screen", "deaf"]).ok();
    let job = screen.lines().find_map(|line| line.trim_end().strip_prefix("job ")).expect(&screen).parse().unwrap();
    let pid = session_pid(&stage, "deaf");
    stage.server().signal(Signal::HUP);
    let log = stage.log_path("a");
    wait_until("it has begun to end", || std::fs::read_to_string(&log).unwrap().contains("ending all sessions"));
    // A closing window may send several hang-ups.
    stage.server().signal(Signal::HUP);
    stage.server().signal(Signal::TERM);
    assert!(stage.server().wait().success());
    assert!(is_gone(pid) && is_gone(job));
}

/// `nohup vtr serve &` outlives its window, and a script's Ctrl-C.
#[test]
fn what_was_ignored_at_the_start_stays_ignored() {
    let stage = Stage::empty();
    let socket = stage.path("run/a.sock");
    let mut shell = std::process::Command::new("sh");
    let script = "trap '' HUP INT; exec \"$0\" serve --socket \"$1\"";
    shell.args(["-c", script, crate::stage::VTR]).arg(&socket).env_clear();
    shell.envs(stage.bare().get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut server = TestChild::start(shell.stdout(std::process::Stdio::null()));
    let vtr = |words: &[&str]| stage.vtr(&[&["--socket", socket.to_str().unwrap()], words].concat());
    wait_until("it listens", || vtr(&["ls"]).code == Some(0));
    for signal in [Signal::HUP, Signal::INT] {
        server.signal(signal);
        vtr(&["spawn", &format!("after-{}", signal.as_raw()), "--", "cat"]).ok();
    }
    vtr(&["serve", "--stop"]).ok();
    assert!(server.ended().success());
}

/// The process that inherits every orphan of a container has to reap them.
#[test]
fn as_the_first_process_of_a_container_it_leaves_no_zombies() {
    let unshare = |words: &[&std::ffi::OsStr]| {
        let mut command = std::process::Command::new("unshare");
        command.args(["--pid", "--fork", "--mount-proc", "--kill-child"]).args(words);
        command
    };
    if !unshare(&["true".as_ref()]).output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no process may be put into a namespace of its own here");
        return;
    }
    let stage = Stage::empty();
    let socket = stage.path("run/a.sock");
    let words = [crate::stage::VTR.as_ref(), "serve".as_ref(), "--socket".as_ref(), socket.as_os_str()];
    let mut container = unshare(&words);
    container.env_clear().envs(stage.bare().get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut container = TestChild::start(container.stdout(std::process::Stdio::null()));
    let vtr = |words: &[&str]| stage.vtr(&[&["--socket", socket.to_str().unwrap()], words].concat());
    wait_until("it listens", || vtr(&["ls"]).code == Some(0));
    let jobs = "trap '' HUP; for job in 1 2 3 4 5; do sleep 0.1 & done; setsid sleep 0.1 & exit 7";
    vtr(&["spawn", "jobs", "--", "sh", "-c", jobs]).ok();
    wait_until("the session has ended with its own code", || {
        vtr(&["info", "jobs", "--json"]).json()["exit_code"] == serde_json::json!(7)
    });
    vtr(&["spawn", "look", "--", "sh", "-c", "while ps -e -o stat= | grep -q Z; do sleep 0.05; done; echo none; cat"])
        .ok();
    vtr(&["wait", "look", "none", "--scope", "scrollback", "--timeout", "60s"]).ok();
    // `ps` saw what it should see.
    assert!(vtr(&["info", "look", "--json"]).json()["pid"].as_i64().unwrap() < 100);
    container.kill().unwrap();
    container.ended();
}

#[test]
fn a_second_coordinator_on_a_live_socket_is_refused() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    let socket = stage.socket().to_str().unwrap();
    stage.vtr(&["serve", "--socket", socket]).failed(5, &["already running", socket, "--stop"]);
    stage.vtr(&["serve", "--daemon", "--socket", socket]).failed(5, &["already running", socket, "--stop"]);
    stage.vtr(&["info", "x"]).ok();
}

#[test]
fn a_stale_socket_is_taken_over() {
    let mut stage = Stage::new();
    stage.spawn_cat("x");
    let pid = session_pid(&stage, "x");
    stage.server().process.kill().unwrap();
    stage.server().wait();
    wait_until("the session died with its coordinator", || is_gone(pid));
    assert!(stage.socket().exists(), "a killed coordinator leaves its socket");
    stage.vtr(&["ls"]).failed(4, &["vtr serve"]);
    let second = stage.start("a", &[]);
    assert_eq!(stage.vtr(&["ls", "--json"]).json()["sessions"], serde_json::json!([]));
    drop(second);
}

#[test]
fn a_file_is_not_mistaken_for_a_stale_socket() {
    let stage = Stage::empty();
    std::fs::write(stage.path("precious"), "data").unwrap();
    stage.vtr(&["serve", "--socket", "precious"]).failed(2, &["not a socket"]);
    assert_eq!(std::fs::read_to_string(stage.path("precious")).unwrap(), "data");
}

#[test]
fn folders_and_sockets_are_private_unless_told_otherwise() {
    let stage = Stage::empty();
    let run = stage.path("run");
    std::fs::set_permissions(&run, std::fs::Permissions::from_mode(0o755)).unwrap();
    let server = stage.start("vtr/a", &[]);
    assert_eq!((mode(&server.socket), mode(&stage.path("run/vtr")), mode(&run)), (0o600, 0o700, 0o755));
    let open = stage.start("b", &["--socket-mode", "0660", "--pid-file", "pids/b.pid"]);
    assert_eq!(mode(&open.socket), 0o660);
    assert_eq!(std::fs::read_to_string(stage.path("pids/b.pid")).unwrap(), format!("{}\n", open.pid()));
    drop((server, open));
    assert!(!stage.path("pids/b.pid").exists());
}

#[test]
fn server_toml_is_read_and_flags_go_before_it() {
    let mut stage = Stage::empty();
    let file = "scrollback_limit = 5\ncols = 90\nrows = 20\ndefault_shell = \"/no/such/shell\"\n";
    std::fs::write(stage.path("config/vtr/server.toml"), file).unwrap();
    stage.serve("a", &["--rows", "10"]);
    stage.vtr(&["spawn", "x", "--wait", "END", "--cmd", "seq 100; echo END; cat"]).ok();
    let info = stage.vtr(&["info", "x", "--json"]).json();
    assert_eq!((info["cols"].as_i64(), info["rows"].as_i64()), (Some(90), Some(10)));
    stage.vtr(&["grep", "x", "^10$"]).failed(1, &[]);
    stage.vtr(&["grep", "x", "^99$"]).ok();
}

#[test]
fn bad_settings_are_named() {
    let stage = Stage::empty();
    std::fs::write(stage.path("bad.toml"), "scrolback = 5\n").unwrap();
    stage.vtr(&["serve", "--config", "bad.toml"]).failed(2, &["bad.toml", "scrolback"]);
    stage.vtr(&["serve", "--config", "missing.toml"]).failed(2, &["missing.toml"]);
    stage.vtr(&["serve", "--socket-mode", "9"]).failed(2, &["octal"]);
    stage
        .vtr(&["serve", "--socket", "x.sock", "--socket-group", "no-such-group-here"])
        .failed(2, &["no-such-group-here"]);
    let long = "x".repeat(150);
    stage.vtr(&["serve", "--socket", &long]).failed(2, &["107"]);
}

#[test]
fn folders_of_a_typing_error_are_not_created() {
    let stage = Stage::empty();
    stage
        .vtr(&["serve", "--socket", "no/such/dir/x.sock"])
        .failed(2, &["no/such/dir/x.sock", "does not exist", "create it first"]);
    assert!(!stage.path("no").exists());
}

#[test]
fn files_that_are_not_ours_are_neither_emptied_nor_removed() {
    let stage = Stage::empty();
    let notes = stage.path("notes.txt");
    std::fs::write(&notes, "my notes\n").unwrap();
    stage.vtr(&["serve", "--socket", "run/a.sock", "--pid-file", "notes.txt"]).failed(2, &["notes.txt", "process id"]);
    std::fs::write(stage.path("repo.lock"), "of another program\n").unwrap();
    stage.vtr(&["serve", "--socket", "repo"]).failed(2, &["repo.lock", "move the file away"]);
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "my notes\n");
    assert_eq!(std::fs::read_to_string(stage.path("repo.lock")).unwrap(), "of another program\n");
}

#[test]
fn a_command_line_gets_the_environment_it_was_given() {
    let mut stage = Stage::empty();
    stage.serve("a", &[]);
    let given = "PATH=/opt/given:/usr/bin:/bin";
    stage
        .vtr(&["spawn", "given", "--env", given, "--wait", "is /opt/given:/usr/bin:/bin.", "--cmd", "echo is $PATH."])
        .ok();
    let own = format!("is {}.", regex::escape(&std::env::var("PATH").unwrap()));
    stage.vtr(&["spawn", "own", "--cols", "500", "--wait", &own, "--cmd", "echo is $PATH."]).ok();
}

#[test]
fn out_of_files_is_said_and_passes() {
    let stage = Stage::empty();
    let socket = stage.path("run/a.sock");
    let socket = socket.to_str().unwrap();
    let script = format!("ulimit -n 64; exec '{}' serve --daemon --socket '{socket}'", crate::stage::VTR);
    let environment: Vec<_> = stage.bare().get_envs().map(|(k, v)| (k.to_owned(), v.unwrap().to_owned())).collect();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).env_clear().envs(environment);
    crate::stage::run(&mut shell).ok();
    let vtr = |words: &[&str]| stage.vtr(&[&["--socket", socket], words].concat());
    let mut started = Vec::new();
    let refused = loop {
        let name = format!("s{}", started.len());
        let ran = vtr(&["spawn", &name, "--", "cat"]);
        if ran.code != Some(0) {
            break ran;
        }
        started.push(name);
        assert!(started.len() < 64, "64 descriptors can't hold so many");
    };
    assert!(!started.is_empty() && refused.stderr.contains("files"), "{refused:?} after {}", started.len());
    for name in &started {
        vtr(&["rm", name]).ok();
    }
    vtr(&["spawn", "again", "--", "cat"]).ok();
    vtr(&["serve", "--stop"]).ok();
}
