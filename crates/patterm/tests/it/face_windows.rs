//! Several sessions in sight: panes with their own sizes, the keyboard among them, borders, and what goes.

use vt::{
    Position, Size,
    input::{MouseButton, MouseEventKind},
};

use crate::{screen_stage::Face, stage::Stage};

const SIZE: Size = Size { cols: 100, rows: 24 };

/// A shell to the left and one to the right, which has the keyboard; no rail.
fn two_shells(stage: &Stage) -> Face {
    stage.write_config(r#"{ "rail": { "visible": false } }"#);
    let face = Face::in_a_shell(stage, SIZE);
    face.command("split right", "Split right: new terminal");
    face.shows("both have a heading", r"─ . terminal-1 running .*│─ . terminal-2 running ");
    face.shows("the new one has a prompt", r"(?m)^[^│\n]*│\$");
    face
}

/// Asks the shell that has the keyboard for its size.
#[track_caller]
fn size_is(face: &Face, mark: &str, rows_and_cols: &str) {
    face.type_text(&format!("echo {mark} $(stty size)\r"));
    face.shows("the size of its terminal", &format!("{mark} {rows_and_cols}"));
}

#[test]
fn each_pane_has_its_program_its_size_and_the_keyboard_in_turn() {
    let stage = Stage::new();
    let face = two_shells(&stage);
    size_is(&face, "right", "21 49");
    face.press("alt-shift-h");
    size_is(&face, "left", "21 50");
    face.shows("both are drawn", r"(?m)^left 21 50 .*│");
    face.press("alt-shift-right");
    size_is(&face, "wider", "21 54");

    // The mouse moves the border and chooses a pane.
    face.drag(Position { row: 6, col: 54 }, Position { row: 6, col: 30 });
    size_is(&face, "dragged", "21 30");
    face.click(Position { row: 12, col: 60 });
    size_is(&face, "clicked", "21 69");

    face.press("alt-shift-z");
    face.hides("the other pane", "terminal-1 running");
    size_is(&face, "zoomed", "21 100");
    face.press("alt-shift-z");
    size_is(&face, "back", "21 69");

    // Below one of them, and a pane closes while its session goes on.
    face.press("alt-shift-d");
    face.shows("a third heading", "terminal-3 running");
    size_is(&face, "third", "10 69");
    face.press("alt-shift-x");
    face.hides("its pane", "terminal-3 running");
    size_is(&face, "second", "21 69");
    face.command("terminal-3", "terminal-3");
    size_is(&face, "shown", "21 69");
    face.end();
}

#[test]
fn a_pane_goes_with_its_session_and_a_tab_goes_on_with_what_is_left() {
    let stage = Stage::new();
    let face = two_shells(&stage);
    face.press("alt-shift-h");
    face.type_text("exit\r");
    face.shows("the end of the first", "terminal-1 done");
    face.press("enter");
    face.hides("its pane and its tab", "terminal-1");
    face.shows("the tab is the other's", r"(?m)^ . terminal-2  \+");
    size_is(&face, "alone", "22 100");
    face.end();
}

#[test]
fn a_session_of_another_tab_comes_and_goes() {
    let stage = Stage::new();
    stage.write_config(r#"{ "rail": { "visible": false } }"#);
    let face = Face::in_a_shell(&stage, SIZE);
    let mut operator = face.operator(&stage);
    operator.spawn(&["sh", "-c", "echo from the other; exec cat"]);
    face.shows("its tab", "command-1");
    face.command("split right with", "Split right with a session");
    face.shows("it can be chosen", "comes from its tab into this one");
    face.press("enter");
    face.shows("it is beside", r"│from the other");
    face.shows("it has no tab of its own", r"(?m)^ . terminal-1  \+");
    face.command("tab of its own", "Give this session a tab of its own");
    face.shows("it has", r"(?m)^ . terminal-1  . command-1  \+");
    face.shows("all the room is its own", "(?m)^from the other");
    face.end();
}

#[test]
fn at_80_columns_a_program_has_all_of_them_and_the_rail_is_called() {
    let stage = Stage::new();
    let face = Face::in_a_shell(&stage, Size::new(80, 24));
    size_is(&face, "all", "22 80");
    face.press("alt-s");
    face.shows("the rail over the pane", r"(?m)│ Sessions");
    face.press("esc");
    face.hides("the rail", "Sessions");
    face.press("alt-s");
    face.shows("the rail again", r"(?m)│ Sessions");
    face.press("alt-s");
    face.hides("it goes by the same key", "Sessions");
    size_is(&face, "still", "22 80");
    face.resize(Size::new(120, 24));
    face.shows("with room it is there", r"(?m)│ Sessions");
    size_is(&face, "beside", "22 90");
    face.end();
}

#[test]
fn tabs_are_moved_renamed_and_closed_by_mouse_and_keys() {
    let stage = Stage::new();
    stage.write_config(r#"{ "rail": { "visible": false } }"#);
    let face = Face::in_a_shell(&stage, SIZE);
    let mut operator = face.operator(&stage);
    operator.spawn(&["sh", "-c", "echo the first; exec cat"]);
    operator.spawn(&["sh", "-c", "echo the second; exec cat"]);
    face.shows("three tabs", r"(?m)^ . terminal-1  . command-1  . command-2  \+");
    face.press("alt-shift-pagedown");
    face.shows("by keys", r"(?m)^ . command-1  . terminal-1  . command-2  \+");
    let row = |col| Position { row: 0, col };
    face.drag(row(4), row(20));
    face.shows("by mouse", r"(?m)^ . terminal-1  . command-1  . command-2  \+");
    face.shows("what is dragged is in sight", "the first");

    let second = face.find("command-2");
    // Two clicks are one gesture only if they come within moments of each other.
    face.again_until(
        "its name is asked for",
        |screen| screen.contains("Name: letters"),
        || {
            face.click(second);
            face.click(second);
        },
    );
    face.press("ctrl-u");
    face.type_text("other");
    face.press("enter");
    face.shows("it is renamed", r"(?m)^ . terminal-1  . command-1  . other  \+");

    face.mouse(MouseEventKind::Press(MouseButton::Middle), face.find("command-1"));
    face.mouse(MouseEventKind::Release(MouseButton::Middle), face.find("command-1"));
    face.shows("it is asked first", "Close command-1\\?");
    face.press_until("e", "it is closed", |screen| !screen.contains("command-1"));
    face.shows("the others stay", r"(?m)^ . terminal-1  . other  \+");
    let folder = stage.path("project").file_name().unwrap().to_str().unwrap().to_owned();
    let title = face.session.info().title;
    assert_eq!(title, format!("{folder} - patterm"));
    face.end();
}

#[test]
fn a_grid_shows_all_sessions_of_the_tab_and_a_key_opens_one() {
    let stage = Stage::new();
    let face = two_shells(&stage);
    face.type_text("echo to the $((1 + 1))nd\r");
    face.press("alt-shift-h");
    face.press("alt-shift-z");
    face.hides("the second", "2nd");
    face.press("alt-g");
    face.shows("both, each with its key", r" 1 . terminal-1 running .*│─ 2 . terminal-2 running ");
    face.shows("the second is live", "│to the 2nd");
    face.type_text("2");
    face.hides("the grid", " 1 . terminal-1");
    size_is(&face, "opened", "21 100");
    face.press("alt-g");
    face.shows("the grid again", " 1 . terminal-1");
    face.press("left enter");
    face.hides("it is left", " 2 . terminal-2");
    size_is(&face, "first", "21 100");
    face.press("alt-g");
    face.shows("once more", " 2 . terminal-2");
    face.press("esc");
    face.hides("it is put away", " 2 . terminal-2");
    face.end();
}
