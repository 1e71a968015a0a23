//! Coming back: the tabs of the last run, as the person meets them.

use std::{fs, path::PathBuf};

use engine::ExitStatus;
use regex::Regex;
use rustix::process::Signal;
use serde_json::{Value, json};
use testkit::wait_until;
use vt::Size;

use crate::{client::Client, screen_stage::Face, stage::Stage};

const SIZE: Size = Size { cols: 100, rows: 24 };
const QUESTION: &str = "Open last run's tabs\\?";

/// The records of all runs, in no order.
fn records(stage: &Stage) -> Vec<(PathBuf, Value)> {
    let Ok(projects) = fs::read_dir(stage.path("data/patterm/projects")) else { return Vec::new() };
    let runs = projects.flatten().filter_map(|project| fs::read_dir(project.path().join("runs")).ok());
    let files = runs.flat_map(|runs| runs.flatten()).map(|run| run.path().join("tabs.json"));
    let read = |file: PathBuf| Some((file.clone(), serde_json::from_slice(&fs::read(&file).ok()?).ok()?));
    files.filter_map(read).collect()
}

fn names(record: &Value) -> Vec<String> {
    let tabs = record["tabs"].as_array().unwrap();
    tabs.iter().map(|tab| tab["name"].as_str().unwrap().to_owned()).collect()
}

fn quit(face: Face, operator: Client) {
    drop(operator);
    face.command("quit", "Quit");
    face.shows("the question", "Quit patterm\\?");
    face.press("q");
    assert_eq!(face.ended(), ExitStatus::Code(0), "{}", face.text());
}

/// Codex keeps the file of its conversation open; the fake of it does not by itself.
fn install_codex_with_a_conversation(stage: &Stage, id: &str) {
    stage.install_fake("codex", "echo");
    let program = stage.path("bin/codex");
    let line = fs::read_to_string(&program).unwrap();
    let line = line.lines().last().unwrap().to_owned();
    let folder = stage.path("home/.codex/sessions/2026/11/18");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("rollout-2026-11-18T10-00-00-{id}.jsonl"));
    stage.install_program("codex", &format!("exec 9>>'{}'\n{line}", file.display()));
}

#[test]
fn the_last_runs_tabs_come_back_and_nothing_is_typed_or_run() {
    const CODEX: &str = "0199a213-81c0-7800-8aa1-bbab2a035a53";
    let stage = Stage::new();
    stage.install_fake("claude", "echo");
    install_codex_with_a_conversation(&stage, CODEX);
    stage.install_fake("opencode", "echo");
    fs::create_dir(stage.path("project/sub")).unwrap();
    let face = Face::in_a_shell(&stage, SIZE);
    face.type_text("cd sub; echo in $((40 + 2))");
    face.press("enter");
    face.shows("it went there", "in 42");
    let mut operator = face.operator(&stage);
    operator.call("spawn_process", json!({ "name": "build", "argv": ["sh", "-c", "echo ran >> ran.log; exec cat"] }));
    wait_until("the command has run", || stage.path("project/ran.log").exists());
    for make in ["claude", "codex", "opencode"] {
        let agent = operator.spawn_agent(make, &format!("my-{make}"), "remember the word MAGPIE");
        operator.see(&agent, "You said: remember the word MAGPIE|MAGPIE");
        operator.wait_for_state(&agent, "idle");
    }
    quit(face, operator);

    let face = Face::open(&stage, SIZE, &[]);
    face.shows("the question", QUESTION);
    for line in [
        "terminal-1  terminal",
        "build  sh -c echo ran >> ran.log; exec cat, waits for Enter",
        "my-claude  claude, goes on with its conversation",
        "my-codex  codex, goes on with its conversation",
        "my-opencode  opencode, begins a new conversation",
    ] {
        face.shows("what it will open", &regex::escape(line));
    }
    face.press("o");
    face.shows("it says whose conversation is lost", "my-opencode: its conversation is not known");
    let mut operator = face.operator(&stage);
    operator.see("my-claude", "Resumed conversation fake-session");
    operator.see("my-codex", &format!("Resumed conversation {CODEX}"));
    operator.wait_for_state("my-opencode", "idle");
    for agent in ["my-claude", "my-codex", "my-opencode"] {
        assert!(!operator.grid(agent).contains("MAGPIE"), "nothing is typed again: {}", operator.grid(agent));
    }
    face.shows("the first tab is in sight", r"(?m)^\$");
    face.type_text("pwd | tail -c 12");
    face.press("enter");
    face.shows("it is where it was", "(?m)^project/sub");
    let ran = || fs::read_to_string(stage.path("project/ran.log")).unwrap();
    assert_eq!(ran(), "ran\n");
    face.command("build", "Switch to tab: build");
    face.shows("it waits", "Enter runs: sh -c echo ran");
    assert_eq!(operator.status("build")["status"], "stopped");
    face.press("enter");
    wait_until("it runs now", || ran() == "ran\nran\n");
    face.shows("it is driven as any other", "you have control");
    quit(face, operator);
    let kept = records(&stage);
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(names(&kept[0].1), ["terminal-1", "build", "my-claude", "my-codex", "my-opencode"]);
    assert!(!kept[0].1.to_string().contains("SHELL"), "no variables are written");
}

#[test]
fn it_can_be_put_off_and_the_settings_can_answer() {
    let stage = Stage::new();
    let face = Face::in_a_shell(&stage, SIZE);
    let operator = face.operator(&stage);
    quit(face, operator);
    let face = Face::open(&stage, SIZE, &[]);
    face.shows("the question", QUESTION);
    face.press("n");
    face.shows("nothing was opened", "to spawn an agent");
    face.command("last run", "Open last run's tabs");
    face.shows("the shell", r"(?m)^\$");
    face.seek("last run", "nothing|no match|>");
    face.hides("it is opened once", "Open last run's tabs");
    face.press("esc");
    let operator = face.operator(&stage);
    quit(face, operator);
    stage.write_config(r#"{ "last_run": "never" }"#);
    let face = Face::empty(&stage, SIZE);
    face.hides("nobody asks", QUESTION);
    face.press("ctrl-d");
    face.ended();
    stage.write_config(r#"{ "last_run": "always" }"#);
    let face = Face::open(&stage, SIZE, &[]);
    face.shows("it is there at once", r"(?s)terminal-1.*\$");
    face.end();
}

#[test]
fn a_killed_run_is_come_back_to_and_two_runs_do_not_take_each_others_tabs() {
    let stage = Stage::new();
    let open = |name: &str| {
        let face = Face::empty(&stage, SIZE);
        let mut operator = face.operator(&stage);
        operator.call("spawn_process", json!({ "kind": "terminal", "name": name }));
        wait_until("its tab is written down", || records(&stage).iter().any(|(_, record)| names(record) == [name]));
        (face, operator)
    };
    let (first, one) = open("first");
    let (second, two) = open("second");
    first.signal(Signal::KILL);
    first.ended();
    drop(one);
    let face = Face::open(&stage, SIZE, &[]);
    face.shows("the question", QUESTION);
    face.shows("the tabs of the one that has ended", "first  terminal");
    face.hides("the other goes on", "second  terminal");
    let third = Face::empty(&stage, SIZE);
    third.hides("nobody else is offered them", QUESTION);
    face.press("o");
    face.shows("it is there", r"(?s)first.*\$");
    quit(second, two);
    let fourth = Face::open(&stage, SIZE, &[]);
    fourth.shows("what has ended since", "second  terminal");
    for face in [face, third, fourth] {
        face.end();
    }
}

/// What is on the screen above the status line: tabs, headings, borders. Not the signs: whether a prompt came before or
/// after its tab was in sight is not decided.
fn picture(screen: &str) -> String {
    let rows: Vec<&str> = screen.lines().collect();
    let above = rows[..rows.len().saturating_sub(1)].join("\n");
    Regex::new(r" \S (terminal-\d)").unwrap().replace_all(&above, " ? $1").into_owned()
}

#[test]
fn panes_and_tabs_come_back_where_they_were() {
    let stage = Stage::new();
    stage.write_config(r#"{ "rail": { "visible": false }, "last_run": "always" }"#);
    let face = Face::in_a_shell(&stage, SIZE);
    face.command("new terminal", "New terminal");
    face.shows("two tabs", r"(?m)^ . terminal-1  . terminal-2  \+");
    face.press("alt-shift-pageup");
    face.shows("the second tab is the first", r"(?m)^ . terminal-2  . terminal-1  \+");
    face.press("alt-pagedown");
    face.command("split right", "Split right: new terminal");
    face.shows("two panes", r"─ . terminal-1 running .*│─ . terminal-3 running ");
    face.shows("the new one has a prompt", r"(?m)^[^│\n]*│\$");
    face.press("alt-shift-left");
    face.shows("the border has moved", r"(?m)^\$ {45}│\$");
    let wanted = picture(&face.text());
    let operator = face.operator(&stage);
    quit(face, operator);
    let (file, record) = records(&stage).remove(0);
    assert_eq!(names(&record), ["terminal-2", "terminal-1", "terminal-3"]);

    let face = Face::open(&stage, SIZE, &[]);
    face.until(&format!("after the run has ended:\n{wanted}\nnow"), |screen| picture(screen) == wanted);
    let is_recorded =
        |layout: &Value| records(&stage).iter().any(|(other, again)| *other != file && again["layout"] == *layout);
    wait_until("this run is written down in the same way", || is_recorded(&record["layout"]));
    let mut zoomed = record["layout"].clone();
    zoomed["tabs"][1]["panes"]["zoomed"] = true.into();
    face.press("alt-shift-z");
    wait_until("a change of the panes alone is written down", || is_recorded(&zoomed));
    face.press("alt-shift-z");
    wait_until("another one is too", || is_recorded(&record["layout"]));
    face.signal(Signal::KILL);
    face.ended();

    let face = Face::open(&stage, SIZE, &[]);
    face.until(&format!("after the run was killed:\n{wanted}\nnow"), |screen| picture(screen) == wanted);
    face.press("alt-shift-h");
    face.type_text("echo left $(stty size)\r");
    face.shows("its program has the size of its pane", "left 21 46");
    face.end();
}

#[test]
fn what_can_not_be_opened_leaves_its_room_to_its_neighbour_and_comes_later() {
    let stage = Stage::new();
    stage.write_config(r#"{ "rail": { "visible": false }, "last_run": "always" }"#);
    let dev = json!({ "argv": ["sh", "-c", "exec cat"] }).to_string();
    stage.write_project_preset("dev", &dev);
    let face = Face::empty(&stage, SIZE);
    face.command("dev", "Run process: dev");
    face.press_until("o", "it runs", |screen| screen.contains("dev-1") && !screen.contains("May this run?"));
    face.command("split right", "Split right: new terminal");
    face.shows("two panes", r"─ . dev-1 running .*│─ . terminal-1 running ");
    let operator = face.operator(&stage);
    quit(face, operator);

    fs::remove_file(stage.path("project/.patterm/presets/processes/dev.json")).unwrap();
    let face = Face::open(&stage, SIZE, &[]);
    face.shows("what is missing", "there is no command preset 'dev'");
    face.shows("the shell has a tab and all of its room", r"(?m)^ . terminal-1  \+");
    face.hides("the border", "│\\$");
    stage.write_project_preset("dev", &dev);
    // Presets are read again when their files change, which takes a moment.
    let leave_palette = || {
        face.press("esc");
        face.hides("the palette", "commands [─-]");
    };
    face.seek("dev", "> dev");
    face.again_until(
        "the preset is known",
        |screen| screen.contains("Run process: dev"),
        || {
            leave_palette();
            face.seek("dev", "> dev");
        },
    );
    leave_palette();
    face.command("last run", "Open last run's tabs");
    face.shows("it has a tab of its own", r"(?m)^ . terminal-1  . dev-1  \+");
    face.shows("it waits", "Enter runs: sh -c");
    wait_until("nothing is left of the last run, and both are in the record of this one", || {
        let all: Vec<Vec<String>> = records(&stage).iter().map(|(_, record)| names(record)).collect();
        all == [["terminal-1", "dev-1"]]
    });
    face.end();
}

#[test]
fn a_damaged_record_is_told_and_patterm_starts() {
    let stage = Stage::new();
    let face = Face::in_a_shell(&stage, SIZE);
    let operator = face.operator(&stage);
    quit(face, operator);
    let (file, whole) = records(&stage).remove(0);
    for (text, told) in [
        ("{ \"version\": 1, \"tabs\": [".to_owned(), "is damaged"),
        (whole.to_string().replacen("\"version\":1", "\"version\":7", 1), "a newer patterm has written it"),
    ] {
        fs::write(&file, &text).unwrap();
        let face = Face::open(&stage, SIZE, &[]);
        face.shows("it starts", "to spawn an agent");
        face.until("what is wrong", |screen| screen.split_whitespace().collect::<Vec<_>>().join(" ").contains(told));
        face.press("ctrl-d");
        face.ended();
    }
}

#[test]
fn a_command_of_the_project_is_asked_for_when_it_is_to_run() {
    let stage = Stage::new();
    stage.write_project_preset("dev", &json!({ "argv": ["sh", "-c", "echo runs $((40 + 2)); exec cat"] }).to_string());
    let face = Face::empty(&stage, SIZE);
    face.command("dev", "Run process: dev");
    face.shows("the question", "May this run\\?");
    face.press_until("o", "it runs once", |screen| screen.contains("runs 42"));
    let operator = face.operator(&stage);
    quit(face, operator);
    let face = Face::open(&stage, SIZE, &[]);
    face.shows("what it will open", "command preset dev, waits for Enter");
    face.press("o");
    face.shows("it waits", "Enter runs: sh -c");
    face.press("enter");
    face.shows("the question", "(?s)May this run\\?.*You want to start the command preset dev");
    face.press_until("o", "it runs", |screen| screen.contains("runs 42"));
    face.end();
}
