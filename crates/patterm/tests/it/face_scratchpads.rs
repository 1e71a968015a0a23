//! Scratchpads as the person sees them: beside the sessions, live, and in the editor.

use serde_json::json;
use vt::Size;

use crate::{screen_stage::Face, stage::Stage};

const SIZE: Size = Size { cols: 124, rows: 26 };

const PLAN: &str = "# Plan\n\n1. read the *code*\n2. write **tests**\n\n```rust\nfn main() {}\n```\n";

#[test]
fn they_are_listed_previewed_and_follow_what_agents_write() {
    let stage = Stage::new();
    let face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    operator.spawn(&["sh", "-c", "echo a session; exec cat"]);
    face.shows("the session", "a session");
    operator.call("scratchpad_write", json!({ "name": "notes.md", "content": "first words\n" }));
    face.shows("the list", "notes\\.md");
    face.shows("the preview", "first words");
    operator.call("scratchpad_write", json!({ "name": "plan.md", "content": PLAN }));
    face.shows("the one written last", "2\\. write tests");
    face.compare("scratchpads", &[(" +\\d+s\\b", "Ns")]);
    operator.call("scratchpad_append", json!({ "name": "plan.md", "content": "\n3. *rest*\n" }));
    face.click_on("notes\\.md");
    face.shows("what was clicked on", "first words");
    face.click_on("notes\\.md");
    face.shows("it is opened", "notes\\.md  e edit");
    operator.call("scratchpad_write", json!({ "name": "notes.md", "content": "second words\n" }));
    face.shows("it is live", "second words");
    face.press("esc");
    face.hides("it is closed", "e edit");
    face.command("open scratchpad plan", "Open scratchpad: plan.md");
    face.shows("drawn large", "plan\\.md  e edit");
    // It is read beside the loop.
    face.shows("its text", "3\\. rest");
    // The text that is visible beside it changes.
    face.compare("scratchpad-open", &[(" +\\d+s\\b", "Ns"), ("(?m)[sm─]$", " ")]);
    face.press("d");
    face.shows("a question", "Delete \"plan\\.md\" for everyone\\?");
    face.press("d");
    face.shows("it is gone", "it was deleted");
    face.press("esc");
    face.hides("everywhere", "plan\\.md");
    let left = operator.call("scratchpad_list", json!({}));
    assert_eq!(left["scratchpads"].as_array().map(Vec::len), Some(1), "{left}");
}

#[test]
fn an_editor_that_is_not_there_is_said() {
    let stage = Stage::new();
    let face = Face::open_with(&stage, SIZE, &[], &[("EDITOR", "no-such-editor")]);
    face.shows("the empty state", "to spawn an agent");
    face.command("new scratchpad", "New scratchpad");
    face.type_text("ideas.md");
    face.press("enter");
    face.shows("why nothing happens", "your editor can.t be started");
    face.shows("what the shell said", "no-such-editor");
    face.end();
}

#[test]
fn arrows_in_the_rail_go_on_from_the_tree_to_the_scratchpads() {
    let stage = Stage::new();
    let face = Face::in_a_shell(&stage, SIZE);
    let mut operator = face.operator(&stage);
    for (name, content) in [("first.md", "words of one"), ("second.md", "words of two")] {
        operator.call("scratchpad_write", json!({ "name": name, "content": content }));
    }
    face.shows("the one written last", "words of two");
    face.command("rail-focus", "Go to the rail");
    face.press("down");
    face.shows("the first is previewed", "words of one");
    face.press("down down");
    face.shows("the last", "words of two");
    face.press("enter");
    face.shows("it is opened", "second\\.md  e edit");
    face.press("esc");
    face.hides("it is closed", "e edit");
    face.press("up");
    face.shows("one is in the rail still", "words of one");
    face.press("up enter");
    face.hides("back in the pane", "Esc back");
    // A rail that folds away loses the keyboard.
    face.command("rail-focus", "Go to the rail");
    face.shows("the rail has the keys", "Esc back");
    face.resize(Size { cols: 60, ..SIZE });
    face.hides("the rail", "Esc back");
    // A narrower window has lost its right edge before anything is drawn again.
    face.shows("the status line at the new edge", "Ctrl-K commands");
    face.type_text("echo typed\r");
    face.shows("the shell's answer", "(?m)^typed");
    face.end();
}

#[test]
fn a_new_one_is_opened_in_the_persons_editor() {
    let stage = Stage::new();
    stage.install_program("my-editor", r#"echo "editing $1"; read line; echo "$line" >> "$1""#);
    let face = Face::open_with(&stage, SIZE, &[], &[("EDITOR", "my-editor")]);
    face.shows("the empty state", "to spawn an agent");
    face.command("new scratchpad", "New scratchpad");
    face.shows("its name is asked for", "name of the scratchpad");
    face.type_text("../evil");
    face.press("enter");
    face.shows("a name that is none is refused", "(?i)scratchpad.*\\.\\./evil|\\.\\./evil");
    face.press("ctrl-u");
    face.type_text("ideas.md");
    face.press("enter");
    face.shows("the editor", "editing /");
    face.type_text("written by hand");
    face.press("enter");
    testkit::wait_until("it is written", || stage.scratchpad("ideas.md") == "written by hand\n");
}
