//! What people do: keys, mouse, looking back, selecting.

use std::fs;

use vt::{
    Effect, Position, Size,
    input::{MouseButton, MouseEventKind, WheelDirection},
};

use crate::{looks::in_a_shell, screen_stage::Face, stage::Stage};

const SIZE: Size = Size { cols: 100, rows: 24 };

fn at(row: u16, col: u16) -> Position {
    Position { row, col }
}

#[track_caller]
fn copied(face: &mut Face) -> String {
    face.asks("a copy", |effect| match effect {
        Effect::Clipboard { data, .. } => Some(String::from_utf8(data).unwrap()),
        _ => None,
    })
}

fn run(face: &Face, command: &str) {
    face.press("ctrl-k");
    face.shows("the palette", "commands ─");
    face.type_text(command);
    face.shows("the query", &format!("> {command}"));
    face.press("enter");
}

#[test]
fn selecting_with_the_mouse_copies_and_says_so() {
    let stage = Stage::new();
    let mut face = in_a_shell(&stage, SIZE);
    face.type_text("printf 'one two\\nthree four\\n'\r");
    face.shows("the lines", "(?m)^three four");
    let line = face.find("^one two").row;
    face.drag(at(line, 4), at(line + 1, 4));
    assert_eq!(copied(&mut face), "two\nthree");
    face.shows("the cue", "copied 2 lines");

    // Held, it is set off.
    face.mouse(MouseEventKind::Press(MouseButton::Left), at(line, 0));
    face.mouse(MouseEventKind::Motion(Some(MouseButton::Left)), at(line, 2));
    face.shows("that one looks back", "looking back");
    let frame = face.frame();
    let marked: Vec<_> = frame.rows[usize::from(line)].cells().take(4).map(|cell| cell.run.style.background).collect();
    assert!(marked[0] != vt::Color::Default && marked[0] == marked[2] && marked[2] != marked[3], "{marked:?}");
    face.mouse(MouseEventKind::Release(MouseButton::Left), at(line, 2));
    assert_eq!(copied(&mut face), "one");

    // Two clicks take a word, three a line.
    let word = at(line + 1, 7);
    face.click(word);
    face.click(word);
    assert_eq!(copied(&mut face), "four");
    face.click(word);
    assert_eq!(copied(&mut face), "three four\n");
    face.end();
}

#[test]
fn copy_mode_moves_searches_selects_and_leaves() {
    let stage = Stage::new();
    let mut face = in_a_shell(&stage, SIZE);
    face.type_text("seq 1 200\r");
    face.shows("the end", "(?m)^200");
    run(&face, "copy-mode");
    face.shows("the mode", "copy mode");
    face.press("g");
    face.shows("the beginning", r"(?m)^\$ seq 1 200");
    face.press("/");
    face.type_text("^15.$");
    face.press("enter");
    face.shows("the first match", r"match 1 of 10 · row 15\d of 20\d");
    face.press("n");
    face.shows("the next", "match 2 of 10");
    face.press("V j y");
    assert_eq!(copied(&mut face), "151\n152\n");
    face.shows("the cue", "copied 2 lines");
    face.hides("the mode", "copy mode");
    face.end();
}

#[test]
fn the_wheel_looks_back_and_typing_is_for_the_program() {
    let stage = Stage::new();
    let face = in_a_shell(&stage, SIZE);
    face.type_text("seq 1 200\r");
    face.shows("the end", "(?m)^200");
    face.wheel(WheelDirection::Up, at(5, 5));
    face.shows("what is above", "looking back");
    face.type_text("echo typed\r");
    face.hides("that", "looking back");
    face.shows("the answer", "(?m)^typed");

    // A program that asked for the mouse gets it.
    face.type_text("printf '\\033[?1000h\\033[?1006hASKED\\n'; cat -v\r");
    face.shows("that it has asked", "(?m)^ASKED");
    face.wheel(WheelDirection::Up, at(5, 6));
    face.click(at(4, 2));
    face.shows("its reports", r"\^\[\[<64;7;5M\^\[\[<0;3;4M\^\[\[<0;3;4m");
    face.end();
}

#[test]
fn the_palettes_key_twice_is_one_for_the_program_and_pastes_are_pastes() {
    let stage = Stage::new();
    let face = in_a_shell(&stage, SIZE);
    face.type_text("cat -v\r");
    face.shows("cat", "cat -v");
    face.press("ctrl-k ctrl-k enter");
    face.shows("the key", r"(?m)^\^K");
    face.paste("two\nlines\n");
    face.shows("the paste", "(?s)two\nlines|two.*lines");
    run(&face, "pass all keys");
    face.shows("that keys pass", "keys pass through");
    face.press("ctrl-k x enter");
    face.shows("the key again", r"(?m)^\^Kx");
    face.press("ctrl-k ctrl-k ctrl-k");
    face.shows("the palette", "commands ─");
    face.end();
}

#[test]
fn config_binds_keys_and_sequences_and_says_what_is_wrong() {
    let stage = Stage::new();
    let config = r#"{ "keymap": [
        { "keys": "ctrl-g t", "command": "new-terminal" },
        { "keys": "alt-n", "command": "next-tab" },
        { "keys": "f2", "command": "no-such-command" },
        { "keys": "ctrl-space", "command": "palette" }
    ], "theme": "light", "rail": { "visible": false } }"#;
    fs::write(stage.path("config/patterm/config.json"), config).unwrap();
    let face = Face::open(&stage, SIZE, &[]);
    face.shows("its own palette key", "Press Ctrl-Space");
    face.shows("the complaint", "no-such-command");
    face.press("ctrl-g");
    face.shows("the sequence so far", "Ctrl-G…");
    face.press("t");
    face.shows("a tab", "terminal-1");
    face.press("ctrl-g t");
    face.shows("another", "terminal-2 running");
    face.press("alt-n");
    face.shows("the first", "terminal-1 running");
    assert!(!face.text().contains("Sessions"), "{}", face.text());
    face.press("ctrl-k enter");
    face.press("ctrl-space");
    face.shows("the palette", "commands ─");
    face.end();
}

#[test]
fn tabs_and_the_plus_by_mouse() {
    let stage = Stage::new();
    let face = in_a_shell(&stage, SIZE);
    face.click_on(r"\+");
    face.shows("what can be spawned", "spawn ─");
    face.click_on("New terminal");
    face.shows("another tab", "terminal-2 running");
    face.click_on("terminal-1");
    face.shows("the first", "terminal-1 running");
    face.end();
}

#[test]
fn arguments_step_by_step_and_help() {
    let stage = Stage::new();
    let face = in_a_shell(&stage, SIZE);
    run(&face, "rename");
    face.shows("whom", "Rename session › session");
    face.press("enter");
    face.shows("what", "Rename session › terminal-1 › name");
    face.type_text("my shell");
    face.press("enter");
    face.shows("what is wrong", "can't be in a session name");
    run(&face, "rename");
    face.press("enter");
    face.type_text("server");
    face.press("enter");
    face.shows("the new name", "server running");
    run(&face, "help");
    face.shows("the table", "(?s)Start.*New terminal.*new-terminal");
    face.type_text("release");
    face.hides("others", "New terminal");
    face.press("esc");
    face.hides("help", "type to filter");
    face.end();
}

#[test]
fn suspending_gives_the_shell_back_and_sessions_go_on() {
    let stage = Stage::new();
    let command = stage.command(&[]);
    let own = command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
    let face = Face::run(
        ["bash", "--norc", "--noprofile", "-i"].map(Into::into).into(),
        own.collect(),
        stage.path("project"),
        SIZE,
    );
    face.shows("the outer shell", r"(?m)^\$");
    face.type_text(&format!("{}\r", crate::stage::PATTERM));
    face.shows("the empty state", "Press Ctrl-K");
    run(&face, "new-terminal");
    face.shows("a shell", "terminal-1 running");
    face.type_text("echo inside\r");
    face.shows("its answer", "(?m)^inside");
    run(&face, "suspend");
    face.shows("the outer shell's word", "Stopped");
    // The shell has modes of its own by now; ours are gone.
    let modes = face.session.with_screen(|screen| (screen.alternate_screen(), screen.input_modes()));
    assert_eq!((modes.0, modes.1.mouse, modes.1.kitty.bits()), (false, vt::MouseProtocol::Off, 0));
    face.type_text("fg\r");
    face.shows("everything again", "(?s)terminal-1.*inside.*you have control");
    face.end();
}
