//! What is found and opened from the screen: lines of all sessions, links, files for a command line.

use std::fs;

use engine::Input;
use serde_json::json;
use vt::{
    Effect, Size,
    input::{Modifiers, MouseButton, MouseEvent, MouseEventKind},
};

use crate::{screen_stage::Face, stage::Stage};

const SIZE: Size = Size { cols: 90, rows: 20 };
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

#[test]
fn text_is_found_in_all_sessions_while_it_is_typed_and_enter_goes_to_the_line() {
    let stage = Stage::new();
    let face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    let rows = "n=0; while [ $n -lt 200 ]; do n=$((n + 1)); echo row $n of many; done; exec cat";
    operator.spawn(&["sh", "-c", rows]);
    face.shows("the first", "row 200 of many");
    operator.spawn(&["sh", "-c", "echo another row; exec cat"]);
    face.command("command-2", "Switch to tab: command-2");
    face.shows("the second", "another row");
    face.command("find in all", "Find in all sessions");
    face.type_text("row 17");
    face.shows("lines of the session out of sight", r"(?s)command-1 +row 17 of many.*command-1 +row 179 of many");
    face.type_text("3");
    face.shows("fewer", r"(?s)command-1 +row 173 of many.*1 line");
    face.press("enter");
    face.shows("the line in its history", r"(?s)row 172 of many\s.*row 174 of many.*copy mode +match 1 of 1");
    face.press("q");
    face.shows("the end of it", "row 200 of many");
}

#[test]
fn a_click_with_ctrl_opens_links_and_copies_what_can_not_be_opened() {
    let stage = Stage::new();
    let opened = stage.path("opened");
    stage.install_program(OPENER, &format!("printf '%s' \"$1\" > {}", opened.display()));
    let mut face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    let links =
        r"printf 'see https://a.test/x. or \033]8;;https://real.test/\033\\the page\033]8;;\033\\ now\n'; exec cat";
    let session = operator.spawn(&["sh", "-c", links]);
    face.shows("the links", "the page now");
    let click_on = |face: &Face, pattern: &str| {
        let at = face.find(pattern);
        for kind in [MouseEventKind::Press(MouseButton::Left), MouseEventKind::Release(MouseButton::Left)] {
            let event = MouseEvent { kind, col: at.col, row: at.row, pixel: None, modifiers: Modifiers::CTRL };
            face.send(Input::Mouse(event));
        }
    };
    let is_opened =
        |url: &str| testkit::wait_until("it is opened", || fs::read_to_string(&opened).is_ok_and(|it| it == url));
    click_on(&face, "https://a");
    is_opened("https://a.test/x");
    face.shows("what is opened", "opening https://a.test/x");
    click_on(&face, "the page");
    is_opened("https://real.test/");
    stage.install_program(OPENER, "exit 3");
    click_on(&face, "https://a");
    let copied = face.asks("the clipboard", |effect| match effect {
        Effect::Clipboard { data, .. } => Some(data),
        _ => None,
    });
    assert_eq!(copied, b"https://a.test/x");
    face.shows("what was done instead", "opens no links here: copied instead|copied 16 characters");
    operator.call("close_process", json!({ "process_id": session }));
}

#[test]
fn tab_completes_the_projects_files_for_a_command() {
    let stage = Stage::new();
    fs::create_dir_all(stage.path("project/scripts")).unwrap();
    fs::create_dir_all(stage.path("project/src")).unwrap();
    fs::write(stage.path("project/scripts/hello world.sh"), "echo hello from $((40 + 2))\n").unwrap();
    let face = Face::empty(&stage, SIZE);
    face.command("run a command", "Run a command");
    face.shows("what Tab does", "Tab completes");
    face.type_text("sh s");
    face.press("tab");
    face.shows("both", "scripts/ +src/");
    face.type_text("c");
    face.press("tab");
    face.shows("the folder", "sh scripts/");
    face.press("tab");
    face.shows("the file, as one word", r"sh scripts/hello\\ world\.sh");
    face.press("enter");
    face.shows("it runs", "hello from 42");
}
