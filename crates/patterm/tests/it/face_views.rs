//! Every view of the interface as text, at three sizes; and the same inside tmux, whose own idea of its screen is an
//! independent witness.

use std::{ffi::OsString, fs};

use serde_json::json;
use testkit::wait_until_with;
use vt::Size;

use crate::{
    client::Client,
    looks::HIDDEN,
    screen_stage::{Face, TmuxServer, face_argv, operator_of, snapshot, without},
    stage::Stage,
};

const LARGE: Size = Size { cols: 160, rows: 48 };
const USUAL: Size = Size { cols: 80, rows: 24 };
const SMALL: Size = Size { cols: 40, rows: 12 };

/// A lead that starts two others, of which one asks; and three programs.
fn stage() -> Stage {
    let stage = Stage::new();
    stage.write_config(r#"{ "last_run": "never" }"#);
    // More lines than the largest screen has: what a CLI says first names its folder.
    let lines: Vec<String> = (1..60).map(|number| format!("line {number}")).collect();
    let say = json!({ "say": format!("{}\nONE-STARTED", lines.join("\n")) });
    let call =
        json!({ "call": { "tool": "spawn_agent", "args": { "agent": "codex", "name": "reviewer" }, "as": "a" } });
    stage.install_scripted("claude", &json!({ "reactions": [{ "do": [call, say] }] }).to_string());
    let asks = r#"{ "reactions": [{ "do": [{ "ask_permission": { "command": "make all", "approved": [] } }] }] }"#;
    stage.install_scripted("codex", asks);
    stage
}

/// Besides what differs everywhere: the title of codex moves, and claude has many words for having thought.
fn hidden() -> Vec<(&'static str, &'static str)> {
    let first = [(r"\[ [.!] \]", "[ ? ]"), (r"✻ \w+( fo?r?( \d+[smh]?)?)?", "✻ Thought")];
    first.into_iter().chain(HIDDEN.iter().copied()).collect()
}

/// Leads the interface through its views; `look` gets the name of each while it is in sight.
fn through_all_views(face: &Face, operator: &mut Client, size: Size, look: &mut dyn FnMut(&str)) {
    let mut command = |name: &str, line: &str| {
        let script = format!("echo {line}; exec cat >/dev/null");
        operator.call("spawn_process", json!({ "kind": "command", "argv": ["sh", "-c", script], "name": name }));
    };
    command("api", "the needle is in the api");
    face.shows("the first is in sight", "the needle is in the api");
    command("web", "listening for the web");
    command("tests", "12 passed, 0 failed");
    face.shows("all three", "tests");
    face.command("split right with", "Split right with a session");
    face.type_text("web");
    face.shows("it is found", "> web");
    face.press("enter");
    face.shows("both are in sight", "the needle is.*│listening for|the needle is in th│list");
    if size.cols >= 80 {
        face.command("split down with", "Split down with a session");
        face.type_text("tests");
        face.shows("it is found", "> tests");
        face.press("enter");
        face.shows("all three", "(?s)the needle is.*listening for.*12 passed");
    }
    look("panes");
    face.press("alt-g");
    face.shows("tiles", "(?s)1 .*api.*2 .*web");
    look("grid");
    face.press("esc");
    face.hides("tiles", "─ 1 .*api");

    face.press("ctrl-k");
    face.shows("the palette", "commands ─");
    look("palette");
    face.press("esc");
    face.hides("the palette", "commands ─");

    face.command("help", "Help");
    face.shows("the keys", "type to filter");
    look("help");
    face.press("esc");
    face.hides("the keys", "type to filter");

    face.command("find in all", "Find in all sessions");
    face.type_text("needle");
    face.shows("what is found", r"> needle(?s).*api  the needle is in.*1 line");
    look("finding");
    face.press("esc");
    face.hides("what is found", "find in all");

    let lead = operator.spawn_agent("claude", "lead", "start one");
    operator.see(&lead, "ONE-STARTED");
    let agents = operator.call("list_processes", json!({ "all": true }));
    let reviewer = agents["processes"].as_array().unwrap().iter().find(|one| one["name"] == "reviewer").unwrap();
    face.command("tab: lead", "Switch to tab: lead");
    face.shows("the lead is in sight", "ONE-STARTED");
    let wanted = json!({ "target_process_id": reviewer["process_id"], "message": "make it" });
    operator.call("send_message", wanted);
    face.shows("something waits", "▲ 1");
    face.press("alt-a");
    // The small screen has no room for all that codex asks.
    face.shows("what waits", "(?s)needs you.*(make all|can't be read)");
    look("inbox");
    face.press("esc");
    face.hides("what waits", "needs you");
    // Notices pass.
    face.hides("the notice", "reviewer: ");
    face.press("alt-s");
    face.shows("the rail", "Sessions");
    look("rail");
}

fn in_a_terminal(name: &str, size: Size) {
    let stage = stage();
    let face = Face::open(&stage, size, &[]);
    let mut operator = face.operator(&stage);
    through_all_views(&face, &mut operator, size, &mut |view| face.compare(&format!("{view}-{name}"), &hidden()));
    face.end();
}

#[test]
fn views_on_a_large_screen() {
    in_a_terminal("large", LARGE);
}

#[test]
fn views_at_80_by_24() {
    in_a_terminal("80x24", USUAL);
}

#[test]
fn views_on_a_small_screen() {
    in_a_terminal("small", SMALL);
}

fn in_tmux(name: &str, size: Size) {
    let stage = stage();
    let server = TmuxServer::on(&stage);
    let (program, environment) = face_argv(&stage, &[], &[]);
    let tmux = ["tmux", "-f", "/dev/null", "-S", &server.0, "new-session"].map(OsString::from);
    let settings = [";", "set", "-g", "status", "off", ";", "set", "-g", "escape-time", "0"].map(OsString::from);
    let argv = tmux.into_iter().chain(program).chain(settings).collect();
    let face = Face::run(argv, environment, stage.path("project"), size);
    face.shows("the empty state", "to spawn an agent");
    let pid = server.run(&["list-panes", "-F", "#{pane_pid}"]);
    let mut operator = operator_of(&stage, pid.trim().parse().unwrap());
    through_all_views(&face, &mut operator, size, &mut |view| {
        let file = snapshot(&format!("{view}-{name}"));
        let wanted = fs::read_to_string(&file).unwrap();
        let seen = || without(&server.run(&["capture-pane", "-p"]), &hidden());
        let both = || format!("\n{wanted}\nnow\n{}", seen());
        wait_until_with(&format!("tmux sees {}", file.display()), || seen() == wanted, both);
    });
    drop(operator);
    drop(server);
    face.ended();
}

#[test]
#[ignore = "needs tmux"]
fn views_on_a_large_screen_in_tmux() {
    in_tmux("large", LARGE);
}

#[test]
#[ignore = "needs tmux"]
fn views_at_80_by_24_in_tmux() {
    in_tmux("80x24", USUAL);
}

#[test]
#[ignore = "needs tmux"]
fn views_on_a_small_screen_in_tmux() {
    in_tmux("small", SMALL);
}
