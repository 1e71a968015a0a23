//! `patterm --headless`: its first line, what it serves, and that nothing is left when it ends.

use std::{fs, os::unix::fs::MetadataExt, process::Command};

use rustix::process::Signal;
use serde_json::json;
use testkit::wait_until;

use crate::{
    face_endings::DeafJobs,
    stage::{Headless, Stage, is_gone, run},
};

#[test]
fn it_first_says_where_it_is_and_ends_without_a_trace() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let stage = Stage::new();
        let patterm = stage.headless(&[]);
        let socket = stage.path(&format!("run/patterm/{}.sock", patterm.pid()));
        assert_eq!(patterm.socket(), socket);
        let mode = |path: &std::path::Path| path.metadata().unwrap().mode() & 0o777;
        let connect = patterm.connect_file();
        assert_eq!(
            [mode(&stage.path("run/patterm")), mode(&socket), mode(&connect), mode(connect.parent().unwrap())],
            [0o700, 0o600, 0o600, 0o700]
        );
        let mut client = patterm.operator();
        let id = client.spawn(&["sh", "-c", "trap '' HUP; echo pid $$; exec sleep 1000"]);
        client.see(&id, "pid [0-9]+");
        let status = client.call("get_process_output", json!({ "process_id": id, "mode": "grid" }));
        let pid: i64 = status["content"].as_str().unwrap().trim().strip_prefix("pid ").unwrap().parse().unwrap();
        assert!(!is_gone(pid));
        let (status, out, err) = patterm.end(signal);
        assert!(status.success(), "{status}: {err}");
        assert_eq!((out.as_str(), err.as_str()), ("", ""), "{signal:?}");
        assert!(is_gone(pid), "{signal:?} reaches everything");
        assert_eq!(stage.left_in_run(), Vec::<String>::new());
        assert!(client.try_next().is_none(), "the proxy ends with its server");
    }
}

#[test]
fn two_runs_in_one_project_know_nothing_of_each_other() {
    let stage = Stage::new();
    let (one, two) = (stage.headless(&[]), stage.headless(&[]));
    assert_ne!(one.socket(), two.socket());
    let (mut first, mut second) = (one.operator(), two.operator());
    first.spawn(&["cat"]);
    assert_eq!(first.call("list_processes", json!({}))["processes"].as_array().unwrap().len(), 1);
    assert_eq!(second.call("list_processes", json!({}))["processes"], json!([]));
    let socket = two.socket();
    let (status, ..) = one.end(Signal::TERM);
    assert!(status.success());
    assert!(socket.exists(), "the other's socket is not ours to remove");
    second.call("whoami", json!({}));
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let stage = Stage::new();
    let mut killed = stage.headless(&[]);
    let mut client = killed.operator();
    let id = client.spawn(&["sh", "-c", "echo pid $$; exec sleep 1000"]);
    client.see(&id, "pid [0-9]+");
    let pid = client.call("get_process_output", json!({ "process_id": id }))["content"].as_str().unwrap().to_owned();
    let pid: i64 = pid.trim().strip_prefix("pid ").unwrap().parse().unwrap();
    killed.process.kill().unwrap();
    killed.wait();
    wait_until("its sessions die with it", || is_gone(pid));
    assert_eq!(stage.left_in_run().len(), 2, "a socket and a folder");
    let next = stage.headless(&[]);
    let mut left = stage.left_in_run();
    left.sort();
    assert_eq!(left, [next.pid().to_string(), format!("{}.sock", next.pid())]);
}

#[test]
fn without_a_runtime_folder_it_makes_one_of_its_own() {
    let stage = Stage::new();
    let start = || {
        let mut command = stage.command(&["--headless"]);
        command.env_remove("XDG_RUNTIME_DIR");
        command
    };
    let patterm = crate::stage::Headless::start(&mut start());
    let folder = stage.path(&format!("tmp/patterm-{}", rustix::process::geteuid().as_raw()));
    assert_eq!(patterm.socket().parent().unwrap(), folder);
    drop(patterm);
    fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    run(&mut start()).failed(5, &["open to others", "chmod 700"]);
    fs::remove_dir(&folder).unwrap();
    std::os::unix::fs::symlink(stage.path("run"), &folder).unwrap();
    run(&mut start()).failed(5, &["not a folder"]);
}

#[test]
fn a_pane_of_another_patterm_is_warned_of() {
    let stage = Stage::new();
    let patterm = crate::stage::Headless::start(stage.command(&["--headless"]).env("PATTERM", "1"));
    let (status, _, err) = patterm.end(Signal::TERM);
    assert!(status.success());
    assert!(err.contains("already inside patterm"), "{err}");
}

#[test]
fn whoever_asks_twice_is_not_kept_waiting() {
    let stage = Stage::new();
    let mut patterm = stage.headless(&[]);
    let mut client = patterm.operator();
    let id = client.spawn(&["sh", "-c", "trap '' TERM HUP; echo ready; while :; do sleep 1000; done"]);
    client.see(&id, "ready");
    let jobs = DeafJobs::start(&mut client);
    patterm.signal(Signal::TERM);
    wait_until("it has begun to end", || {
        client.result("tools/call", json!({ "name": "spawn_process", "arguments": { "argv": ["true"] } }))["isError"]
            == true
    });
    patterm.signal(Signal::TERM);
    assert!(patterm.wait().success());
    jobs.are_gone();
    assert_eq!(stage.left_in_run(), Vec::<String>::new());
}

/// `nohup patterm --headless &` outlives its window.
#[test]
fn an_ignored_hang_up_stays_ignored() {
    let stage = Stage::new();
    let command = stage.command(&["--headless"]);
    let mut nohup = Command::new("nohup");
    nohup.arg(command.get_program()).args(command.get_args()).env_clear();
    nohup.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let patterm = Headless::start(nohup.current_dir(stage.path("project")));
    patterm.signal(Signal::HUP);
    let mut client = patterm.operator();
    let id = client.spawn(&["echo", "still here"]);
    client.see(&id, "still here");
    let (status, ..) = patterm.end(Signal::TERM);
    assert!(status.success(), "{status}");
}
