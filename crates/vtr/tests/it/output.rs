//! Pipes that close, colour only where it is wanted, and JSON by config.

use std::process::Stdio;

use crate::stage::{FinishedCommand, Stage, TestChild, VTR};

#[test]
fn a_closed_pipe_ends_quietly() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    for words in
        [&["ls"][..], &["ls", "--json"], &["screen", "x"], &["info", "x"], &["completions", "bash"], &["version"]]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let child = TestChild::start(stage.command(words).stdout(writer).stderr(Stdio::piped()));
        let ran = FinishedCommand::of(child);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{words:?}");
    }
}

/// The first cell of the heading, in a terminal: `vtr` reads its own screen.
fn heading_attributes(stage: &Stage, name: &str, more: &[&str]) -> serde_json::Value {
    let socket = stage.socket().to_str().unwrap();
    let words = [&["spawn", name, "--wait", "COORDINATOR"], more, &["--", VTR, "ls", "--socket", socket]].concat();
    stage.vtr(&words).ok();
    stage.vtr(&["screen", name, "--cells"]).json()["cells"][0][0]["attributes"].clone()
}

#[test]
fn colour_only_on_a_terminal_that_wants_it() {
    let stage = Stage::new();
    assert_eq!(heading_attributes(&stage, "coloured", &[]), serde_json::json!(["bold"]));
    assert_eq!(heading_attributes(&stage, "plain", &["--env", "NO_COLOR=1"]), serde_json::json!([]));
    assert_eq!(heading_attributes(&stage, "dumb", &["--env", "TERM=dumb"]), serde_json::json!([]));
    assert!(!stage.vtr(&["ls"]).ok().contains('\x1b'));
}

#[test]
fn the_cursor_is_drawn_on_a_terminal() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "x", "--wait", "ab", "--cmd", "printf 'ab'; cat"]).ok();
    let socket = stage.socket().to_str().unwrap();
    stage.vtr(&["spawn", "look", "--wait", "ab█", "--", VTR, "screen", "x", "--socket", socket]).ok();
    assert!(!stage.vtr(&["screen", "x"]).ok().contains('█'));
}

#[test]
fn the_config_can_ask_for_json() {
    let stage = Stage::new();
    stage.write_config("[defaults]\noutput_format = \"json\"\n");
    assert!(stage.vtr(&["ls"]).ok().starts_with('{'));
    assert!(stage.vtr(&["ls", "--human"]).ok().starts_with("COORDINATOR"));
    let error = stage.vtr(&["info", "nope"]).failed(1, &[]).stderr;
    assert!(error.starts_with("{\"error\""), "{error}");
}

#[test]
fn the_config_sets_the_context_of_grep() {
    let stage = Stage::new();
    stage.write_config("[defaults]\ngrep_context_before = 1\n");
    stage.vtr(&["spawn", "x", "--wait", "END", "--cmd", "seq 5; echo END; cat"]).ok();
    assert_eq!(stage.vtr(&["grep", "x", "^3$"]).ok(), "scrollback:1: 2\nscrollback:2: 3\n");
    assert_eq!(stage.vtr(&["grep", "x", "^3$", "-B", "0"]).ok(), "scrollback:2: 3\n");
}

#[test]
fn control_characters_of_a_child_do_not_reach_the_terminal_of_a_person() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "x", "--wait", "ready", "--cmd", "printf '\\033]2;a\\033[31mb\\007'; echo ready; cat"]).ok();
    let ran = stage.vtr(&["info", "x"]).ok();
    assert!(!ran.contains('\x1b'), "{ran:?}");
}
