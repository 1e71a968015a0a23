//! Waiting: found, timed out, ended, and only new output.

use testkit::wait_until;

use crate::stage::{FinishedCommand, Stage, TestChild, start_piped};

fn in_background(stage: &Stage, words: &[&str]) -> TestChild {
    start_piped(&mut stage.command(words))
}

#[test]
fn wait_sees_new_output_only() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "x", "--wait", "old word", "--cmd", "echo old word; cat"]).ok();
    let waited = stage.vtr(&["wait", "x", "word", "--timeout", "200ms", "--json"]);
    assert_eq!(waited.code, Some(3));
    let json: serde_json::Value = serde_json::from_str(&waited.stdout).unwrap();
    let expected = serde_json::json!({
        "coordinator": "a", "session": "x", "matched": false, "timed_out": true, "reason": "timeout",
    });
    assert_eq!(json, expected);
    let mut waiting = in_background(&stage, &["wait", "x", "new w.rd", "--timeout", "60s"]);
    // Nothing announces that the wait has begun, so the word is printed repeatedly until it is found.
    wait_until("the waiting has ended", || {
        stage.vtr(&["send", "x", "-e", "new word"]).ok();
        waiting.try_wait().unwrap().is_some()
    });
    assert_eq!(FinishedCommand::of(waiting).ok(), "new word\n");
}

#[test]
fn a_wait_ends_with_the_session() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    let waiting = in_background(&stage, &["wait", "x", "never", "--timeout", "60s"]);
    let as_json = in_background(&stage, &["wait", "x", "never", "--timeout", "60s", "--json"]);
    stage.vtr(&["kill", "x"]).ok();
    FinishedCommand::of(waiting).failed(3, &["the session ended"]);
    let json: serde_json::Value = serde_json::from_str(&FinishedCommand::of(as_json).failed(3, &[]).stdout).unwrap();
    assert_eq!(
        (&json["matched"], &json["timed_out"], &json["reason"]),
        (&false.into(), &true.into(), &"exited".into())
    );
}

#[test]
fn wait_looks_where_it_is_told() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "x", "--rows", "5", "--wait", "END", "--cmd", "echo first; seq 100; echo END; cat"]).ok();
    stage.vtr(&["wait", "x", "first", "--scope", "screen", "--timeout", "100ms"]).failed(3, &["nothing matched"]);
    assert_eq!(stage.vtr(&["wait", "x", "EN.", "--scope", "screen"]).ok(), "END\n");
    let json = stage.vtr(&["wait", "x", "first", "--scope", "scrollback", "--json"]).json();
    assert_eq!((&json["matched_line"], &json["line_number"]), (&"first".into(), &0.into()));
}

#[test]
fn idle_waits_for_silence() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    let json = stage.vtr(&["idle", "x", "--idle", "50ms", "--timeout", "60s", "--json"]).json();
    let expected = serde_json::json!({ "coordinator": "a", "session": "x", "idle": true, "timed_out": false });
    assert_eq!(json, expected);
    assert_eq!(stage.vtr(&["idle", "x", "--idle", "50ms"]).ok(), "");
    stage.vtr(&["spawn", "busy", "--cmd", "while :; do echo x; done"]).ok();
    stage.vtr(&["idle", "busy", "--idle", "10s", "--timeout", "200ms"]).failed(3, &["still busy after 200ms"]);
}

#[test]
fn the_config_says_what_idle_is() {
    let stage = Stage::new();
    stage.write_config("[defaults]\nwait_for_idle_timeout = \"20ms\"\n");
    stage.spawn_cat("x");
    // With the built-in default of 5 s, the time limit would pass first.
    stage.vtr(&["idle", "x", "--timeout", "4s"]).ok();
}

#[test]
fn long_waits_for_new_output_are_refused_with_the_way_out() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    stage.vtr(&["wait", "x", "y", "--timeout", "1h"]).failed(2, &["at most 10m", "--scope scrollback"]);
}

#[test]
fn a_prompt_is_found_with_the_blank_at_its_end() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "x", "--wait", ">>> ", "--cmd", "printf '>>> '; cat"]).ok();
    stage.vtr(&["wait", "x", ">>> ", "--scope", "screen"]).ok();
}

#[test]
fn one_rule_for_long_waits_for_new_output() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    for words in [&["wait", "x", "a"][..], &["send", "x", "a", "--wait", "a"]] {
        let ran = stage.vtr(&[words, &["--timeout", "20m"]].concat());
        ran.failed(2, &["a wait for new output can last at most 10m", "--scope scrollback"]);
    }
}

#[test]
fn a_host_that_hangs_is_waited_for_no_longer_than_was_said() {
    let stage = Stage::empty();
    // It accepts, in the kernel's queue, and never answers.
    let _deaf = std::os::unix::net::UnixListener::bind(stage.path("run/deaf.sock")).unwrap();
    for words in [&["wait", "x", "a"][..], &["idle", "x"]] {
        let ran = stage.vtr(&[words, &["--timeout", "1s", "--socket", "run/deaf.sock"]].concat());
        ran.failed(4, &["within 1s"]);
    }
}

/// A connection that can be cut: each dialling process writes its process id to the file.
fn by_way_of_a_command(stage: &Stage) {
    let script = format!(
        "echo $$ >> {}; exec {} dial-stdio --socket {}",
        stage.path("dialled").display(),
        crate::stage::VTR,
        stage.socket().display()
    );
    let command = serde_json::to_string(&["sh", "-c", &script]).unwrap();
    stage.write_config(&format!("[[coordinators]]\nname = \"far\"\ncommand = {command}\n"));
}

#[track_caller]
fn cut(stage: &Stage) {
    wait_until("the wait has begun", || stage.vtr(&["info", "x", "--json"]).json()["watchers"] == 1);
    let dialled = std::fs::read_to_string(stage.path("dialled")).unwrap();
    let pid = dialled.lines().last().unwrap().parse().unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL).unwrap();
}

#[test]
fn a_wait_goes_on_over_a_line_that_was_cut() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    by_way_of_a_command(&stage);
    let wait = |words: &[&str]| {
        let mut command = stage.bare();
        command.args(["wait", "far:x", "the word", "--timeout", "60s"]).args(words);
        start_piped(&mut command)
    };
    let waiting = wait(&["--scope", "scrollback"]);
    cut(&stage);
    stage.vtr(&["send", "x", "-e", "the word"]).ok();
    let ran = FinishedCommand::of(waiting);
    assert!(ran.stderr.contains("the connection to far was lost"), "{ran:?}");
    assert_eq!(ran.ok(), "the word\n");
    // New output may have been missed: the wait says so instead of guessing.
    let waiting = wait(&[]);
    cut(&stage);
    FinishedCommand::of(waiting).failed(4, &["went away", "with --scope scrollback the wait would go on"]);
}
