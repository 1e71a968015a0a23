//! The status line as config.json sets it.

use std::fs;

use serde_json::json;
use vt::Size;

use crate::{screen_stage::Face, stage::Stage};

const SIZE: Size = Size { cols: 120, rows: 24 };
/// Every part except those that are shown anyway.
const SET: &str = r#"{ "status_line": {
    "left": ["clock", "project", "branch", "counts"],
    "right": ["program", "size", "keys"]
} }"#;

/// The last row.
fn line(screen: &str) -> String {
    screen.lines().nth(usize::from(SIZE.rows) - 1).unwrap_or_default().to_owned()
}

#[test]
fn it_shows_what_is_listed_and_follows_the_branch() {
    let stage = Stage::new();
    let git = stage.path("project/.git");
    fs::create_dir_all(&git).unwrap();
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    stage.write_config(SET);
    let face = Face::in_a_shell(&stage, SIZE);
    face.compare("status-line", &[(r"\b\d\d:\d\d\b", "HH:MM")]);
    let mut operator = face.operator(&stage);
    let other = operator.spawn(&["sh", "-c", "exec cat"]);
    face.until("both are counted", |screen| line(screen).contains("main  2 running"));
    fs::write(git.join("HEAD"), "0123456789abcdef0123456789abcdef01234567\n").unwrap();
    // Nothing but the echo of a key is drawn.
    face.type_text("x");
    face.until("the branch is read again", |screen| line(screen).contains("detached 01234567"));
    operator.call("request_human_attention", json!({ "process_id": other, "reason": "look" }));
    face.until("what waits is in sight though it is not listed", |screen| line(screen).contains("▲ 1 Alt-A"));
    face.resize(Size::new(60, 24));
    face.until("the rest goes first", |screen| {
        let line = line(screen);
        line.contains("▲ 1 Alt-A") && line.contains("Ctrl-K") && !line.contains("80x")
    });
    face.end();
}

#[test]
fn an_unknown_part_is_told_and_the_default_stands_in() {
    let stage = Stage::new();
    stage.write_config(r#"{ "status_line": { "left": ["clock"], "right": ["weather"] } }"#);
    let face = Face::open(&stage, SIZE, &[]);
    face.shows("what is wrong", r"status_line\.right\[0\]");
    face.until("the list that is right, and the default", |screen| {
        let line = line(screen);
        regex::Regex::new(r"^ \d\d:\d\d .* Ctrl-K commands").unwrap().is_match(&line)
    });
    stage.write_config(r#"{ "status_line": { "left": [], "right": ["keys"] } }"#);
    face.until("it is followed", |screen| line(screen).trim_start().starts_with("Ctrl-K commands"));
    face.end();
}
