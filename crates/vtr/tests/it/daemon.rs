//! A coordinator in the background.

use testkit::wait_until;

use crate::stage::{Stage, is_gone};

#[test]
fn a_daemon_answers_when_it_was_started_and_leaves_nothing_when_stopped() {
    let stage = Stage::empty();
    let socket = stage.path("run/vtr/d.sock");
    let socket = socket.to_str().unwrap();
    let words = ["serve", "--daemon", "--socket", socket, "--shell", "/bin/sh", "--pid-file", "d.pid", "--json"];
    let started = stage.vtr(&words).json();
    let pid = i32::try_from(started["pid"].as_i64().unwrap()).unwrap();
    let log = std::path::PathBuf::from(started["log"].as_str().unwrap());
    assert_eq!(log.parent().unwrap(), stage.path("state/vtr"));
    let vtr = |words: &[&str]| stage.vtr(&[words, &["--socket", socket]].concat());
    vtr(&["spawn", "x", "--wait", "ready", "--cmd", "echo ready; cat"]).ok();
    let session = i32::try_from(vtr(&["info", "x", "--json"]).json()["pid"].as_i64().unwrap()).unwrap();
    assert_eq!(std::fs::read_to_string(stage.path("d.pid")).unwrap().trim(), pid.to_string());
    assert!(std::fs::read_to_string(&log).unwrap().contains("listening"));
    let mode = std::os::unix::fs::MetadataExt::mode(&log.metadata().unwrap());
    assert_eq!(mode & 0o777, 0o600);

    let said = vtr(&["serve", "--stop"]).ok();
    assert!(said.contains(&pid.to_string()) && said.contains("1 session: x"), "{said}");
    assert!(is_gone(pid), "--stop waits for the end");
    wait_until("the session is gone", || is_gone(session));
    assert_eq!(std::fs::read_dir(stage.path("run/vtr")).unwrap().count(), 0);
    assert!(!stage.path("d.pid").exists());
    vtr(&["serve", "--stop"]).failed(1, &["no coordinator listens", socket]);
}

#[test]
fn people_are_told_where_the_log_is() {
    let stage = Stage::empty();
    let socket = stage.path("run/d.sock");
    let said = stage.vtr(&["serve", "--daemon", "--socket", "run/d.sock", "--log-file", "my.log"]).ok();
    let log = stage.path("my.log");
    assert!(said.contains(socket.to_str().unwrap()) && said.contains(&format!("log: {}", log.display())), "{said}");
    assert!(log.exists());
    stage.vtr(&["serve", "--stop", "--socket", "run/d.sock"]).ok();
}

#[test]
fn a_daemon_is_stopped_by_its_pid_file() {
    let stage = Stage::empty();
    stage.vtr(&["serve", "--stop", "--pid-file", "d.pid"]).failed(1, &["d.pid"]);
    std::fs::write(stage.path("d.pid"), format!("{}\n", std::process::id())).unwrap();
    stage.vtr(&["serve", "--stop", "--pid-file", "d.pid"]).failed(1, &["no running coordinator"]);
    stage.vtr(&["serve", "--daemon", "--socket", "run/d.sock", "--pid-file", "d.pid"]).ok();
    stage.vtr(&["serve", "--daemon", "--socket", "run/e.sock", "--pid-file", "d.pid"]).failed(5, &["d.pid"]);
    stage.vtr(&["serve", "--stop", "--pid-file", "d.pid"]).ok();
    assert_eq!(std::fs::read_dir(stage.path("run")).unwrap().count(), 0);
}

#[test]
fn a_daemon_that_cannot_start_says_why() {
    let stage = Stage::empty();
    std::fs::write(stage.path("file"), "").unwrap();
    stage.vtr(&["serve", "--daemon", "--socket", "file/x.sock"]).failed(5, &["file/x.sock"]);
}

#[test]
fn a_daemon_does_not_hold_the_output_of_who_started_it() {
    let stage = Stage::empty();
    // Reading to the end would hang as long as the daemon held the pipe.
    let ran = stage.vtr(&["serve", "--daemon", "--socket", "run/d.sock"]);
    ran.ok();
    stage.vtr(&["serve", "--stop", "--socket", "run/d.sock"]).ok();
}

#[test]
fn a_log_that_is_full_is_put_aside() {
    let stage = Stage::empty();
    let log = stage.path("my.log");
    std::fs::write(&log, "x".repeat(4 << 20)).unwrap();
    stage.vtr(&["serve", "--daemon", "--socket", "run/d.sock", "--log-file", "my.log"]).ok();
    stage.vtr(&["serve", "--stop", "--socket", "run/d.sock"]).ok();
    assert_eq!(std::fs::metadata(stage.path("my.log.1")).unwrap().len(), 4 << 20);
    let fresh = std::fs::read_to_string(&log).unwrap();
    assert!(fresh.contains("listening") && fresh.ends_with("ended\n"), "{fresh}");
}
