//! A project's start set, as the person meets it.

use std::fs;

use serde_json::json;
use vt::Size;

use crate::{screen_stage::Face, stage::Stage};

const SIZE: Size = Size { cols: 100, rows: 30 };

fn write_set(stage: &Stage, text: &str) {
    let folder = stage.path("project/.patterm");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("start.json"), text).unwrap();
}

fn dev(line: &str) -> String {
    json!({ "argv": ["sh", "-c", line] }).to_string()
}

#[test]
fn a_start_set_opens_together_once_all_of_it_is_allowed() {
    let stage = Stage::new();
    stage.install_fake("claude", "echo");
    fs::create_dir_all(stage.path("project/backend")).unwrap();
    stage.write_project_preset("dev", &dev("echo runs $((40 + 2)); exec cat"));
    write_set(
        &stage,
        r#"{ "open": [
            { "agent": "claude", "name": "lead", "folder": "backend" }, // mine, and no question of its own
            { "process": "dev" },
            { "terminal": true, "name": "shell", "folder": "backend" },
        ] }"#,
    );
    let face = Face::empty(&stage, SIZE);
    face.command("start set", "Open the project's start set");
    face.shows("the question", "(?s)May this run\\?.*You want to open the start set start.json");
    face.shows("what it opens", "opens +agent claude, called lead, in backend");
    face.shows("what a preset of the project would do", "process dev: command  sh -c 'echo runs");
    face.press_until("a", "all of it is open", |screen| {
        ["lead", "dev-1", "shell"].iter().all(|name| screen.contains(name)) && !screen.contains("May this run")
    });
    let mut operator = face.operator(&stage);
    operator.see("dev-1", "runs 42");
    operator.wait_for_state("lead", "idle");
    operator.call("send_input", json!({ "process_id": "shell", "text": "pwd | tail -c 16", "submit": true }));
    operator.see("shell", "project/backend");
    drop(operator);
    face.end();

    // The same again, without a question; and with another one once a preset in it has changed.
    stage.write_config(r#"{ "last_run": "never" }"#);
    let face = Face::empty(&stage, SIZE);
    face.command("start set", "Open the project's start set");
    let mut operator = face.operator(&stage);
    face.shows("it is open", "(?s)lead.*dev-1.*shell");
    operator.see("dev-1", "runs 42");
    drop(operator);
    face.end();
    stage.write_project_preset("dev", &dev("echo evil; exec cat"));
    let face = Face::empty(&stage, SIZE);
    face.command("start set", "Open the project's start set");
    face.shows("the question", "(?s)May this run\\?.*Changed since you allowed it");
    face.press_until("d", "it is denied", |screen| !screen.contains("May this run?"));
    face.shows("nothing was opened", "to spawn an agent");
    face.end();
}

#[test]
fn a_mistake_in_a_start_set_is_told_with_its_place() {
    let stage = Stage::new();
    write_set(&stage, "{ \"open\": [\n { \"agent\": \"claude\", \"folder\": \"..\" } ] }");
    let face = Face::empty(&stage, SIZE);
    face.command("start set", "Open the project's start set");
    face.until("what is wrong", |screen| {
        let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        words.contains("entry 1") && words.contains("leads out of the project")
    });
    face.end();
}
