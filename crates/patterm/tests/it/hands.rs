//! What people do: keys, mouse, looking back, selecting.

use engine::Input;
use vt::{
    Effect, Position, Size,
    input::{KeyEvent, KeyEventKind, MouseButton, MouseEventKind, WheelDirection},
};

use crate::{screen_stage::Face, stage::Stage};

const SIZE: Size = Size { cols: 110, rows: 24 };

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

#[test]
fn selecting_with_the_mouse_copies_and_says_so() {
    let stage = Stage::new();
    let mut face = Face::in_a_shell(&stage, SIZE);
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
    let mut face = Face::in_a_shell(&stage, SIZE);
    face.type_text("seq 1 200\r");
    face.shows("the end", "(?m)^200");
    face.command("copy-mode", "Look back and copy");
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
    let face = Face::in_a_shell(&stage, SIZE);
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
    let face = Face::in_a_shell(&stage, SIZE);
    face.type_text("cat -v\r");
    face.shows("cat", "cat -v");
    face.press("ctrl-k ctrl-k enter");
    face.shows("the key", r"(?m)^\^K");
    face.paste("two\nlines\n");
    face.shows("the paste", "(?s)two\nlines|two.*lines");
    face.command("pass all keys", "Pass all keys");
    face.shows("that keys pass", "all keys go to the program");
    face.shows("and how that ends", "Ctrl-K three times ends");
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
    stage.write_config(config);
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
    // One's own key for the palette is one more.
    for key in ["ctrl-k", "ctrl-space"] {
        face.press(key);
        face.shows("the palette", "commands ─");
        face.press("esc");
        face.hides("the palette", "commands ─");
    }
    face.end();
}

#[test]
fn tabs_and_the_plus_by_mouse() {
    let stage = Stage::new();
    let face = Face::in_a_shell(&stage, SIZE);
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
    let face = Face::in_a_shell(&stage, SIZE);
    face.command("rename_process", "Rename session");
    face.shows("whom", "Rename session › session");
    face.press("enter");
    face.shows("what", "Rename session › terminal-1 › name");
    face.type_text("my shell");
    face.press("enter");
    face.shows("what is wrong", "can't be in a session name");
    face.command("rename_process", "Rename session");
    face.press("enter");
    face.type_text("server");
    face.press("enter");
    face.shows("the new name", "server running");
    face.command("help", "Help");
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
    face.command("new-terminal", "New terminal");
    face.shows("a shell", "terminal-1 running");
    face.type_text("echo inside\r");
    face.shows("its answer", "(?m)^inside");
    face.command("suspend", "Suspend patterm");
    face.shows("the outer shell's word", "Stopped");
    // The shell has modes of its own by now; ours are gone.
    let modes = face.session.with_screen(|screen| (screen.alternate_screen(), screen.input_modes()));
    assert_eq!((modes.0, modes.1.mouse, modes.1.kitty.bits()), (false, vt::MouseProtocol::Off, 0));
    face.type_text("fg\r");
    face.shows("everything again", "(?s)terminal-1.*inside.*you have control");
    face.end();
}

#[test]
fn copies_have_no_breaks_where_lines_only_wrap_and_no_blanks_at_their_ends() {
    let stage = Stage::new();
    let mut face = Face::in_a_shell(&stage, SIZE);
    // 80 columns are the pane's; the second line has blanks behind it, and a wide character.
    face.type_text("clear; printf '%090d END\\n\\346\\274\\242 two     \\n'\r");
    face.shows("the lines", "(?m)^漢 two");
    let first = face.find("^0{80}").row;
    face.drag(at(first, 66), at(first + 2, 20));
    assert_eq!(copied(&mut face), format!("{} END\n漢 two", "0".repeat(24)));
    let word = at(first, 3);
    face.click(word);
    face.click(word);
    assert_eq!(copied(&mut face), "0".repeat(90), "a word goes on in the next row");
    face.drag(at(first + 2, 1), at(first + 2, 1 + 2));
    assert_eq!(copied(&mut face), "漢 t", "never half a character");
    face.end();
}

#[test]
fn the_line_that_is_looked_at_stays_when_the_window_changes() {
    let stage = Stage::new();
    let face = Face::in_a_shell(&stage, SIZE);
    face.type_text("seq -f 'line %g has more words than thirty columns can hold' 1 200\r");
    face.shows("the end", "(?m)^line 200 has");
    let top = |screen: &str| screen.lines().nth(1).map(|line| line.chars().take(12).collect::<String>());
    face.command("copy-mode", "Look back and copy");
    face.press("ctrl-u ctrl-u ctrl-u ctrl-u");
    face.until("another page", |screen| !screen.contains("line 200") && !screen.contains("line 199"));
    let before = top(&face.text());
    assert!(before.as_ref().is_some_and(|line| line.starts_with("line 1")), "{before:?}");
    for size in [Size::new(30, 24), Size::new(120, 40), SIZE] {
        face.resize(size);
        face.until("the same line", |screen| top(screen) == before && screen.contains("copy mode"));
    }
    face.press("q");
    face.shows("the end again", "(?m)^line 200 has");
    face.end();
}

#[test]
fn a_paste_of_more_than_a_piece_arrives_whole() {
    let stage = Stage::new();
    let face = Face::in_a_shell(&stage, SIZE);
    let text: String = (0..200_000).map(|number| format!("{number:07}")).collect();
    face.type_text(&format!("stty raw -echo; echo GO; head -c {} | tail -c 14; sleep 1000\r", text.len()));
    face.shows("that it listens", "(?m)^GO");
    face.send(Input::Bytes(b"\x1b[200~".to_vec()));
    for piece in text.as_bytes().chunks(100_000) {
        face.send(Input::Bytes(piece.to_vec()));
    }
    face.send(Input::Bytes(b"\x1b[201~".to_vec()));
    face.shows("its end", "0199998 ?0199999");
    face.end();
}

#[test]
fn a_release_goes_where_its_press_went() {
    let stage = Stage::new();
    let face = Face::in_a_shell(&stage, SIZE);
    let flags = || face.session.with_screen(|screen| screen.input_modes().kitty.bits());
    let plain = flags();
    // A program that wants to hear of releases, of every key.
    face.type_text("printf '\\033[>11u'; cat -v\r");
    testkit::wait_until("the terminal reports releases", || flags() & 0b1010 == 0b1010);
    let released = |key: &str| Input::Key(key.parse::<KeyEvent>().unwrap().with_kind(KeyEventKind::Release));
    face.press("x");
    face.send(released("x"));
    face.shows("both", r"\^\[\[120(;1)?u\^\[\[120;1:3u");
    face.press("ctrl-k");
    face.shows("the palette", "commands ─");
    testkit::wait_until("the terminal is ours", || flags() == plain);
    face.press("esc");
    face.hides("the palette", "commands ─");
    testkit::wait_until("the program's wish counts again", || flags() & 0b1010 == 0b1010);
    face.send(released("esc"));
    face.press("y");
    face.shows("the next key", r"\^\[\[121(;1)?u");
    assert!(!face.text().contains("[27;1:3u"), "nobody pressed it there: {}", face.text());
    face.end();
}

#[test]
fn a_selection_held_beyond_the_edge_moves_the_text_on() {
    let stage = Stage::new();
    let mut face = Face::in_a_shell(&stage, SIZE);
    face.type_text("seq -f 'line %g of many' 1 60\r");
    face.shows("the end", "(?m)^line 60 of many");
    face.mouse(MouseEventKind::Press(MouseButton::Left), at(5, 3));
    // One motion, and then nothing: the mouse is held still above the pane.
    face.mouse(MouseEventKind::Motion(Some(MouseButton::Left)), at(0, 0));
    face.shows("the first line", "(?m)^line 1 of many");
    face.mouse(MouseEventKind::Release(MouseButton::Left), at(0, 0));
    let text = copied(&mut face);
    assert!(text.contains("line 2 of many\nline 3 of many"), "{text}");
}

#[test]
fn the_settings_are_followed_and_a_mistake_leaves_the_last_good_ones() {
    let stage = Stage::new();
    stage.write_config("{}");
    let face = Face::in_a_shell(&stage, SIZE);
    face.shows("the rail at the right", "(?m)│ Sessions$");
    stage.write_config(r#"{ "rail": { "side": "left" }, "keymap": [{ "keys": "f5", "command": "new-terminal" }] }"#);
    face.shows("the rail at the left", "(?m)^ Sessions");
    stage.write_config(r#"{ "signs": "runes" }"#);
    face.shows("what is wrong", "the settings stay as");
    face.press("f5");
    face.shows("the key of before", "terminal-2");
    face.shows("the rail of before", "(?m)^ Sessions");
    stage.write_config("{}");
    face.shows("mended", "(?m)│ Sessions$");
}

#[test]
fn what_agents_may_do_is_not_followed_and_that_is_said() {
    let stage = Stage::new();
    stage.write_config("{}");
    let face = Face::in_a_shell(&stage, SIZE);
    stage.write_config(r#"{ "agents": { "free_commands": "deny" } }"#);
    face.shows("that it is for later", "changes of what agents may do");
}
