//! Waiting: found, timed out, ended, and only what is new.

use std::process::{Child, Stdio};

use testkit::wait_until;

use crate::stage::{Ran, Stage};

fn in_background(stage: &Stage, words: &[&str]) -> Child {
    stage.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn wait_sees_new_output_only() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "x", "--wait", "old word", "--cmd", "echo old word; cat"]).ok();
    let waited = stage.vtr(&["wait", "x", "word", "--timeout", "200ms", "--json"]);
    assert_eq!(waited.code, Some(3));
    let json: serde_json::Value = serde_json::from_str(&waited.stdout).unwrap();
    assert_eq!(json, serde_json::json!({ "matched": false, "timed_out": true, "reason": "timeout" }));
    let mut waiting = in_background(&stage, &["wait", "x", "new w.rd", "--timeout", "60s"]);
    // Nothing tells when the wait has begun: so the word comes again until it is heard.
    wait_until("the waiting has ended", || {
        stage.vtr(&["send", "x", "-e", "new word"]).ok();
        waiting.try_wait().unwrap().is_some()
    });
    assert_eq!(Ran::of(waiting).ok(), "new word\n");
}

#[test]
fn a_wait_ends_with_the_session() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    let waiting = in_background(&stage, &["wait", "x", "never", "--timeout", "60s"]);
    let as_json = in_background(&stage, &["wait", "x", "never", "--timeout", "60s", "--json"]);
    stage.vtr(&["kill", "x"]).ok();
    Ran::of(waiting).failed(3, &["the session ended"]);
    let json: serde_json::Value = serde_json::from_str(&Ran::of(as_json).failed(3, &[]).stdout).unwrap();
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
    assert_eq!(json, serde_json::json!({ "idle": true, "timed_out": false }));
    assert_eq!(stage.vtr(&["idle", "x", "--idle", "50ms"]).ok(), "");
    stage.vtr(&["spawn", "busy", "--cmd", "while :; do echo x; done"]).ok();
    stage.vtr(&["idle", "busy", "--idle", "10s", "--timeout", "200ms"]).failed(3, &["still busy after 200ms"]);
}

#[test]
fn the_config_says_what_idle_is() {
    let stage = Stage::new();
    stage.write_config("[defaults]\nwait_for_idle_timeout = \"20ms\"\n");
    stage.spawn_cat("x");
    // With the built-in default of 5 s the time would be up first.
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
