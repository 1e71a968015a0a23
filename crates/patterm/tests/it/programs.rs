//! Programs of the alternate screen in a pane compared with the same programs on a bare terminal, cell for cell.

use std::{ffi::OsString, fs, sync::Arc};

use testkit::wait_until;
use vt::{Frame, Size};

use crate::{
    screen_stage::{Face, TmuxServer},
    stage::Stage,
};

const SIZE: Size = Size { cols: 100, rows: 30 };
/// Tabs above, the status line below, no rail.
const PANE: Size = Size { cols: 100, rows: 28 };

type Cells = Vec<Vec<(String, u32, vt::Style)>>;

/// The content of every cell of some rows, without trailing blanks.
fn cells(frame: &Frame, rows: std::ops::Range<usize>) -> Cells {
    let row = |line: &Arc<vt::Line>| {
        let mut cells: Vec<_> = line
            .cells()
            .map(|cell| (cell.text.to_owned(), cell.width, vt::Style { link: None, ..cell.run.style }))
            .collect();
        while cells.last().is_some_and(|(text, _, style)| text == " " && *style == vt::Style::default()) {
            cells.pop();
        }
        cells
    };
    frame.rows[rows].iter().map(row).collect()
}

fn environment(stage: &Stage) -> Vec<(OsString, OsString)> {
    let command = stage.command(&[]);
    let own = command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
    own.chain([("LANG".into(), "C.UTF-8".into())]).collect()
}

/// A patterm whose pane has all the columns, with a shell in it.
fn wide(stage: &Stage) -> Face {
    stage.write_config(r#"{ "rail": { "visible": false } }"#);
    Face::in_a_shell(stage, SIZE)
}

#[track_caller]
fn is_the_same(face: &Face, bare: &Face, what: &str) {
    let inside = 1..usize::from(PANE.rows) + 1;
    wait_until(&format!("{what} looks the same in a pane as bare, cursor and all"), || {
        let (inner, outer) = (bare.frame(), face.frame());
        let at = |frame: &Frame, above: u16| {
            let cursor = frame.cursor;
            cursor.visible.then_some((cursor.position.row - above, cursor.position.col, cursor.shape))
        };
        cells(&outer, inside.clone()) == cells(&inner, 0..usize::from(PANE.rows)) && at(&outer, 1) == at(&inner, 0)
    });
}

/// Words of `program` that contain blanks are in single quotes.
#[track_caller]
fn side_by_side(stage: &Stage, program: &[&str], keys: &[&str], ready: &str) {
    let face = wide(stage);
    let argv = program.iter().map(|word| word.trim_matches('\'').into()).collect();
    let bare = Face::run(argv, environment(stage), stage.path("project"), PANE);
    face.type_text(&format!("exec {}\r", program.join(" ")));
    bare.shows("the program", ready);
    face.shows("the program in a pane", ready);
    is_the_same(&face, &bare, "the start");
    for keys in keys {
        face.press(keys);
        bare.press(keys);
        is_the_same(&face, &bare, keys);
    }
}

fn sample(stage: &Stage) -> String {
    let mut text = String::new();
    for number in 1..200 {
        text.push_str(&format!("fn line_{number}() {{ // {} \u{6f22}\u{5b57} e\u{301}\n", "word ".repeat(number % 9)));
    }
    fs::write(stage.path("project/sample.rs"), text).unwrap();
    "sample.rs".to_owned()
}

#[test]
#[ignore = "needs vim"]
fn vim() {
    let stage = Stage::new();
    let file = sample(&stage);
    let program = [
        "vim",
        "-n",
        "-u",
        "NONE",
        "-N",
        "-c",
        "'syntax on'",
        "-c",
        "'set number cursorline'",
        "-c",
        "'set ft=rust'",
        &file,
    ];
    let keys = ["ctrl-f", "/ w o r d enter", "v j j", "esc o x y z", "esc"];
    side_by_side(&stage, &program, &keys, "line_1");
}

#[test]
#[ignore = "needs less"]
fn less() {
    let stage = Stage::new();
    let file = sample(&stage);
    side_by_side(&stage, &["less", "-N", &file], &["space", "/ l i n e _ 4 enter", "G", "g"], "line_1");
}

#[test]
#[ignore = "needs htop"]
fn htop() {
    let stage = Stage::new();
    // It never prints the same twice: the output of one run is shown to both.
    let argv = ["htop", "-d", "100"].map(OsString::from).into();
    let bare = Face::run(argv, environment(&stage), stage.path("project"), PANE);
    bare.shows("its columns", "PID");
    bare.shows("its keys", "F10");
    let raw = bare.session.raw(0, 1 << 20);
    let mut replay = vt::Terminal::new(vt::TerminalOptions { size: PANE, ..vt::TerminalOptions::default() });
    replay.feed(&raw.bytes);
    fs::write(stage.path("project/htop.raw"), &raw.bytes).unwrap();
    let face = wide(&stage);
    face.type_text("stty -echo raw; cat htop.raw; exec sleep 1000\r");
    face.shows("its columns", "PID");
    let inside = 1..usize::from(PANE.rows) + 1;
    let wanted = cells(&replay.frame(), 0..usize::from(PANE.rows));
    wait_until("htop looks the same in a pane", || cells(&face.frame(), inside.clone()) == wanted);
}

/// An independent witness: tmux's own idea of its screen is what we meant to show.
#[test]
#[ignore = "needs tmux"]
fn inside_tmux() {
    let stage = Stage::new();
    let server = TmuxServer::on(&stage);
    let socket = server.0.as_str();
    let program = crate::stage::PATTERM;
    let argv = ["tmux", "-f", "/dev/null", "-S", socket, "new-session", program, ";", "set", "-g", "status", "off"];
    let face = Face::run(argv.map(OsString::from).into(), environment(&stage), stage.path("project"), SIZE);
    let witness = || server.run(&["capture-pane", "-p"]);
    face.shows("the empty state", "Press Ctrl-K");
    face.command("new-terminal", "New terminal");
    face.shows("a shell", "terminal-1 running");
    face.type_text("printf 'caf\\303\\251 \\346\\274\\242 ok\\n'\r");
    face.shows("its line", "(?m)^café 漢 ok");
    wait_until("tmux sees the same", || {
        let seen = witness();
        seen.contains("café 漢 ok") && seen.contains("▸ terminal-1") && seen.contains("you have control")
    });
    face.click_on(r"\+");
    face.shows("what can be spawned", "spawn ─");
    face.press("esc");
    // tmux waits to see whether an escape sequence goes on.
    face.hides("the list", "spawn ─");
    face.type_text("exit\r");
    face.shows("the end", "Enter closes it");
    face.press("enter");
    face.shows("the empty state", "Press Ctrl-K");
    face.press("ctrl-d");
    assert_eq!(face.ended(), engine::ExitStatus::Code(0));
}

#[test]
fn colours_that_a_program_gave_other_values_are_those() {
    let stage = Stage::new();
    let face = wide(&stage);
    face.type_text("printf '\\033]4;1;#123456\\033\\\\\\033[31mRED\\033[m\\n'\r");
    face.shows("the word", "(?m)^RED");
    let at = face.find("^RED");
    let colour = |face: &Face| {
        let frame = face.frame();
        frame.rows[usize::from(at.row)].cells().next().map(|cell| cell.run.style.foreground)
    };
    wait_until("it has the program's colour", || colour(&face) == Some(vt::Color::Rgb(0x12, 0x34, 0x56)));
}
