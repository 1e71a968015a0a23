//! What people see, as text: the whole program in a terminal of our own.

use std::fs;

use serde_json::json;
use vt::Size;

use crate::{screen_stage::Face, stage::Stage};

const SIZE: Size = Size { cols: 124, rows: 24 };

/// What differs from run to run: the project's folder and times.
pub(crate) const HIDDEN: &[(&str, &str)] = &[(r"(?m)^ *\S*/project$", "PROJECT"), (r" +\d+[smh]\b", " TIME")];

/// Every make that there is a preset for is there, so that nothing depends on the machine.
fn stage() -> Stage {
    let stage = Stage::new();
    stage.install_fakes();
    let more = concat!(env!("CARGO_MANIFEST_DIR"), "/../../presets/more");
    for preset in fs::read_dir(more).unwrap() {
        let make = preset.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
        stage.install_program(&make, "exit 1");
    }
    // Not the first run any more.
    fs::create_dir_all(stage.path("data/patterm/projects")).unwrap();
    stage
}

#[test]
fn the_empty_state_and_its_end() {
    let stage = stage();
    let face = Face::empty(&stage, SIZE);
    face.compare("empty", HIDDEN);
    face.press("ctrl-d");
    assert_eq!(face.ended(), engine::ExitStatus::Code(0));
    face.is_sane();
}

#[test]
fn the_first_run_says_a_word_more() {
    let stage = Stage::new();
    let face = Face::open(&stage, SIZE, &[]);
    face.shows("the hint", "Alt-A lists what needs you; all other keys");
    face.end();
}

#[test]
fn the_palette_lists_filters_and_closes() {
    let stage = stage();
    let face = Face::empty(&stage, SIZE);
    face.press("ctrl-k");
    face.shows("the palette", "Spawn agent: claude");
    face.compare("palette", HIDDEN);
    face.type_text("quit");
    face.hides("others", "New terminal");
    face.compare("palette-quit", HIDDEN);
    face.press("esc");
    face.hides("the palette", "commands ─");
    face.seek(":quit", "Quit");
    face.press("enter");
    assert_eq!(face.ended(), engine::ExitStatus::Code(0));
    face.is_sane();
}

#[test]
fn the_palette_follows_sessions_that_come_and_go() {
    let stage = Stage::new();
    let face = Face::empty(&stage, SIZE);
    let mut operator = face.operator(&stage);
    operator.spawn(&["sh", "-c", "echo the first; exec cat"]);
    face.shows("the first", "the first");
    face.seek("tab", "Next tab");
    face.press_until("down", "another entry is chosen", |screen| screen.contains("› Previous tab"));
    let second = operator.spawn(&["sh", "-c", "echo the second; exec cat"]);
    face.shows("the new one is listed", "Switch to tab: command-2");
    face.shows("what was typed and chosen stays", "(?s)> tab .*› Previous tab");
    operator.call("close_process", json!({ "process_id": second }));
    face.hides("one that is gone is not", "Switch to tab: command-2");
    face.shows("what was typed and chosen stays", "(?s)> tab .*› Previous tab");
    operator.spawn(&["sh", "-c", "echo the third; exec cat"]);
    face.shows("the next is listed", "Switch to tab: command-3");
    face.type_text(" command-3");
    face.shows("it is found by name", "(?s)> tab command-3 .*Switch to tab: command-3");
    face.press("enter");
    face.shows("what is taken is what is shown", "the third");

    // So does the choice of a session for an operation.
    face.command("rename_process", "Rename session");
    face.shows("which one", "command-1");
    let fourth = operator.spawn(&["sh", "-c", "exec cat"]);
    face.shows("the new one too", "command-4");
    face.type_text("command-4");
    face.press("enter");
    face.shows("what to", "Rename session › command-4");
    face.type_text("better");
    face.press("enter");
    testkit::wait_until("it has its name", || {
        operator.call("get_process_status", json!({ "process_id": fourth }))["name"] == "better"
    });
}

#[test]
fn a_shell_in_a_tab() {
    let stage = stage();
    let face = Face::in_a_shell(&stage, SIZE);
    face.type_text("echo from the shell\r");
    face.shows("its answer", "(?m)^from the shell");
    face.compare("shell", HIDDEN);
    face.type_text("exit\r");
    face.shows("the end", "done · Enter closes it");
    face.press("enter");
    face.shows("the empty state", "Press Ctrl-K");
    face.end();
}

/// A lead that starts two others and then waits.
fn install_lead(stage: &Stage) {
    let script = r#"{ "about": "starts two", "reactions": [
        { "prompt": "two", "do": [
            { "call": { "tool": "spawn_agent", "args": { "agent": "codex", "name": "reviewer" }, "as": "a" } },
            { "call": { "tool": "spawn_agent", "args": { "agent": "opencode", "name": "builder" }, "as": "b" } },
            { "call": { "tool": "spawn_process", "args": { "kind": "terminal", "name": "tests" }, "as": "c" } },
            { "say": "BOTH-STARTED" }
        ] },
        { "do": [{ "say": "NOTED" }] }
    ] }"#;
    stage.install_scripted("claude", script);
}

#[test]
fn an_orchestrator_with_its_tree_and_who_drives_what() {
    let stage = stage();
    install_lead(&stage);
    let face = Face::empty(&stage, SIZE);
    face.command("claude", "Spawn agent: claude");
    face.shows("the second step", "first prompt");
    face.type_text("start two");
    face.press("ctrl-j");
    face.type_text("and a shell");
    face.shows("all lines", "and a shell");
    face.compare("first-prompt", HIDDEN);
    face.press("enter");
    face.shows("all children", "(?s)├─ . reviewer.*├─ . builder.*└─ . tests");
    face.shows("the lead is done", "BOTH-STARTED");
    face.shows("all of them rest", "(?s)▶ ○ claude-1.*(○|◆) reviewer.*(○|◆) builder");
    let tree: Vec<String> = face.text().lines().filter_map(|line| Some(line.split_once("│ ")?.1.to_owned())).collect();
    assert!(tree[0].starts_with("Sessions") && tree[1].starts_with("▶ ○ claude-1"), "{tree:?}");

    // By mouse into the tree: what an agent started is driven by it, until a key is typed.
    face.click_on("tests");
    face.shows("who drives", "orchestrator driving");
    face.type_text("echo mine\r");
    face.shows("the shell", "(?m)^mine");
    face.shows("the warning", "Orchestrator is also driving this pane");
    face.shows("who drives now", "you have control");
    face.command("release", "Release control to orchestrator");
    face.shows("who drives again", "(?m)^ . orchestrator driving");

    // By keys in the tree.
    face.command("go to the rail", "Go to the rail");
    face.shows("the rail has the keys", "Esc back");
    face.press("up up enter");
    face.shows("another session", "(?m)reviewer (idle|starting|working)");
    face.end();
}

#[test]
fn plain_signs_are_all_there_is_of_ours() {
    let stage = stage();
    stage.write_config(r#"{ "signs": "ascii" }"#);
    let face = Face::in_a_shell(&stage, SIZE);
    let mut operator = face.operator(&stage);
    let pad = json!({ "name": "notes.md", "content": "* one\n\n> two\n\n---\n" });
    operator.call("scratchpad_write", pad);
    face.shows("the scratchpad", r"\* notes\.md");
    face.seek("new", "New scratchpad");
    face.compare("ascii", HIDDEN);
    let strange: String = face.text().chars().filter(|c| !c.is_ascii()).collect();
    assert_eq!(strange, "");
    face.press("esc");
    face.hides("the palette", "commands -");
    face.command("help", "Help");
    face.shows("all of it", "type to filter");
    let strange: String = face.text().chars().filter(|c| !c.is_ascii()).collect();
    assert_eq!(strange, "", "{}", face.text());
    face.end();
}

#[test]
fn what_was_taken_comes_first_in_the_next_run_too() {
    let stage = stage();
    stage.write_config(r#"{ "last_run": "never" }"#);
    let first = r"(?m)^\W*>\s*│\n\W*";
    let lately = format!("{first}Taken lately\\W*");
    let face = Face::in_a_shell(&stage, SIZE);
    face.command("redraw", "Redraw screen");
    face.press("ctrl-k");
    face.shows("the newest first", &format!("{lately}Redraw screen.*\n.*New terminal"));
    face.end();
    let kept = || {
        let projects = fs::read_dir(stage.path("data/patterm/projects")).unwrap();
        let files = projects.flatten().map(|project| project.path().join("recent.json"));
        files.filter_map(|file| fs::read_to_string(file).ok()).collect::<String>()
    };
    assert!(kept().contains("redraw"), "{}", kept());
    let face = Face::empty(&stage, SIZE);
    face.press("ctrl-k");
    face.shows("where nothing runs, agents come first", &format!("{first}Start\\W*Spawn agent: claude"));
    face.press("esc");
    face.hides("the palette", "commands ─");
    face.command("new terminal", "New terminal");
    face.shows("a shell", r"(?m)^\$");
    face.press("ctrl-k");
    face.shows("the order of before", &format!("{lately}New terminal.*\n.*Redraw screen"));
    face.press("esc");
    face.hides("the palette", "commands ─");
    face.command(":quit", "Quit");
    face.shows("the question", "end it and quit");
    face.press("q");
    face.ended();
    assert!(!kept().contains("quit"), "a careless Enter must not end the next run: {}", kept());
}

#[test]
fn mistakes_are_said_on_the_screen() {
    let stage = stage();
    stage.write_config(r#"{ "thme": "dark" }"#);
    stage.write_project_preset("broken", "{\n  oops");
    let face = Face::empty(&stage, SIZE);
    // The notice may break after it.
    face.shows("a setting that is none", "'thme'");
    face.command("broken", r"× Preset with a mistake: broken\.json");
    face.shows("the place of it", r"broken\.json:2:3");
    face.end();
    let face = Face::open_with(&stage, SIZE, &[], &[("TERM", "dumb")]);
    assert_eq!(face.ended(), engine::ExitStatus::Code(3));
    assert!(face.text().contains("TERM is dumb"), "{}", face.text());
}

#[test]
fn narrow_tiny_and_back() {
    let stage = stage();
    let face = Face::in_a_shell(&stage, SIZE);
    face.type_text("echo still here\r");
    face.shows("a line", "(?m)^still here");
    face.resize(Size::new(60, 20));
    face.hides("the rail", "Sessions");
    face.resize(Size::new(10, 3));
    face.shows("a message", "needs 16x4");
    face.resize(SIZE);
    face.shows("the rail again", "Sessions");
    face.shows("the line again", "(?m)^still here");
    face.end();
}

#[test]
fn a_storm_of_sizes_leaves_everything_in_order() {
    let stage = stage();
    let face = Face::in_a_shell(&stage, Size::new(300, 100));
    face.type_text("echo before; sleep 1000\r");
    face.shows("a line", "(?m)^before");
    let steps = 60;
    let between = |from: u16, to: u16, step: u16| from - (from - to) * step / steps;
    let sizes = (0..=steps).map(|step| Size::new(between(300, 20, step), between(100, 5, step)));
    let sizes: Vec<Size> = sizes.collect();
    for size in sizes.iter().chain(sizes.iter().rev()) {
        face.resize(*size);
    }
    // At its last place: sizes on the way have a rail too, and the program in the pane is told before it is drawn.
    let rail = |screen: &str| screen.lines().next().and_then(|line| line.chars().position(|c| c == '│'));
    face.until("the rail at the last size", |screen| rail(screen) == Some(270));
    face.press("ctrl-c");
    face.type_text("stty size\r");
    face.shows("the program's own size", "98 270");
    face.end();
}

#[test]
fn what_can_not_run_is_not_first_the_next_time() {
    let stage = Stage::new();
    let face = Face::empty(&stage, SIZE);
    face.command("agent: claude", "× Spawn agent: claude");
    face.shows("why it can't", "is not installed");
    face.press("ctrl-k");
    face.shows("the palette, and that it goes on", "(?s)commands ─.*New terminal.* \\d+ more ─");
    let first = |screen: &str| screen.lines().skip_while(|line| !line.contains("│>")).nth(1).map(str::to_owned);
    assert!(!first(&face.text()).unwrap().contains("claude"), "{}", face.text());
    // What speaks the language of tools is there when it is looked for.
    assert!(!face.text().contains("Get project status"), "{}", face.text());
    face.type_text("get_project");
    face.shows("an operation", "Get project status");
}

#[test]
fn a_session_is_renamed_in_place_and_a_wrong_name_stays_to_be_changed() {
    let stage = stage();
    let face = Face::in_a_shell(&stage, SIZE);
    let mut operator = face.operator(&stage);
    operator.spawn(&["sh", "-c", "exec cat"]);
    face.shows("another", "command-1");
    face.command("rename this", "Rename this session");
    face.shows("the old name and the whole hint", r"(?s)Name: letters, digits, \. _ - \(up to 64\).*terminal-1 ");
    face.press("ctrl-u");
    face.type_text("two words");
    face.press("enter");
    face.shows("what is wrong", "'two words' can't be a name");
    face.shows("what was typed", "│ two words");
    face.press("ctrl-u");
    face.type_text("command-1");
    face.press("enter");
    face.shows("it is taken", "already|taken");
    face.shows("what was typed is there again", "│ command-1 ");
    face.press("ctrl-u");
    face.type_text("tests");
    face.press("enter");
    face.shows("the new name", "▸ tests ");
}

#[test]
fn a_command_is_run_from_one_line() {
    let stage = stage();
    let face = Face::empty(&stage, SIZE);
    face.command("run a", "Run a command");
    face.shows("one line", "Run a command ─");
    face.type_text("echo one | tr o 0; exec cat");
    face.press("enter");
    face.shows("what a shell makes of it", "(?m)^0ne");
}

#[test]
fn a_scratchpad_made_on_the_empty_screen_can_be_seen_there() {
    let stage = stage();
    let face = Face::open_with(&stage, SIZE, &[], &[("VISUAL", "true")]);
    face.shows("the empty state", "to spawn an agent");
    face.command("new scratchpad", "New scratchpad");
    face.shows("its name", "name of the scratchpad");
    face.type_text("plans");
    face.press("enter");
    face.shows("where it is", "Scratchpads: plans\\.md");
    face.shows("the editor is gone", "to spawn an agent");
    face.resize(Size::new(40, 24));
    face.shows("whole words in a narrow window", "(?m)Press Ctrl-K to spawn an agent or\\s*$");
}
