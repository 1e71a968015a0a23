//! Agents' states for people: `replay-state` on recordings, `explain` on a running patterm.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::stage::Stage;

fn recording(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recordings/agents");
    folder.join(name).to_str().unwrap().to_owned()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_recording_is_replayed_with_its_times() {
    let stage = Stage::new();
    let file = recording("codex-0.166.0-preset.raw");
    let changes = lines(&stage.patterm(&["replay-state", "--json", "--agent", "codex", &file]).ok());
    for change in &changes {
        for key in ["offset", "state", "source", "detail", "t"] {
            assert!(change.get(key).is_some(), "{key} is missing in {change}");
        }
    }
    let states: Vec<&str> = changes.iter().map(|change| change["state"].as_str().unwrap()).collect();
    assert_eq!(states[..4], ["starting", "idle", "working", "idle"], "{states:?}");
    assert!(states.contains(&"blocked"), "{states:?}");
    let offsets: Vec<u64> = changes.iter().map(|change| change["offset"].as_u64().unwrap()).collect();
    assert!(offsets.is_sorted(), "{offsets:?}");
    let text = stage.patterm(&["replay-state", "--agent", "codex", &file]).ok();
    assert_eq!(text.lines().count(), changes.len());
    assert!(text.lines().all(|line| line.contains(" offset=") && line.contains(" state=")), "{text}");
}

#[test]
fn a_recording_without_times_is_settled_after_every_read() {
    let stage = Stage::new();
    let bare = stage.path("project/bare.raw");
    fs::copy(recording("claude-2.1.197-turns.raw"), &bare).unwrap();
    let changes = lines(&stage.patterm(&["replay-state", "--json", "--agent", "claude", "bare.raw"]).ok());
    assert!(changes.iter().all(|change| change.get("t").is_none()), "{changes:?}");
    for state in ["idle", "working", "blocked"] {
        assert!(changes.iter().any(|change| change["state"] == state), "{state}: {changes:?}");
    }
    // In a narrower terminal than the recorded one, the screen is a different one.
    stage.patterm(&["replay-state", "--agent", "claude", "--size", "40x10", "bare.raw"]).ok();
}

#[test]
fn a_preset_of_the_projects_own_is_replayed_by_its_own_rules() {
    let stage = Stage::new();
    let folder = stage.path("project/.patterm/presets/agents");
    fs::create_dir_all(&folder).unwrap();
    let preset = r#"{ "argv": ["mine"], "rules": [
        { "name": "bell", "when": { "screen": "done" }, "state": "idle" },
        { "name": "dots", "when": { "screen": "\\.\\.\\." }, "state": "working" } ] }"#;
    fs::write(folder.join("mine.json"), preset).unwrap();
    fs::write(stage.path("project/it.raw"), "...\x1b[?25h\r\ndone\x1b[?25h").unwrap();
    let changes = lines(&stage.patterm(&["replay-state", "--json", "--agent", "mine", "it.raw"]).ok());
    let states: Vec<&str> = changes.iter().map(|change| change["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["starting", "working", "idle"]);
}

#[test]
fn what_can_not_be_replayed_is_refused() {
    let stage = Stage::new();
    fs::write(stage.path("project/x.raw"), "x").unwrap();
    stage.patterm(&["replay-state", "--agent", "nobody", "x.raw"]).failed(1, &["no agent preset 'nobody'"]);
    stage.patterm(&["replay-state", "--agent", "claude", "gone.raw"]).failed(1, &["gone.raw"]);
    stage.patterm(&["replay-state", "--agent", "claude", "--size", "wide", "x.raw"]).failed(2, &["120x40"]);
    stage.patterm(&["replay-state", "--agent", "claude", "--size", "0x0", "x.raw"]).failed(2, &["size"]);
    stage.patterm(&["replay-state", "--agent", "claude", "."]).failed(2, &["not a file"]);
    fs::write(stage.path("project/x.raw.timing.jsonl"), "nothing\n").unwrap();
    stage.patterm(&["replay-state", "--agent", "claude", "x.raw"]).failed(2, &["holds no times"]);
}

#[test]
fn a_running_session_is_explained_to_a_person() {
    let stage = Stage::new();
    stage.patterm(&["explain", "lead"]).failed(4, &["none of your running patterms has a connect file"]);
    stage.install_fake("claude", "echo");
    let patterm = stage.headless(&[]);
    let mut human = patterm.operator();
    let lead = human.spawn_agent("claude", "lead", "");
    human.call("wait_for_state", json!({ "process_id": "lead", "states": ["idle"], "timeout_seconds": 60 }));
    let explained = stage.patterm(&["explain", "--json", "lead"]).json();
    assert_eq!(explained["process_id"], lead.as_str());
    assert_eq!(explained["state"]["name"], "idle", "{explained}");
    let votes = explained["votes"].as_array().unwrap();
    assert!(votes.iter().filter(|vote| vote["standing"] == "decides").count() == 1, "{explained}");
    let text = stage.patterm(&["explain", &lead]).ok();
    for words in ["idle", "STANDING", "decides", "absent", "permission prompt"] {
        assert!(text.contains(words), "{words} is not in {text}");
    }
    stage.patterm(&["explain", "nobody"]).failed(1, &["nobody"]);
    let file = patterm.connect_file();
    stage.patterm(&["explain", "--connect", file.to_str().unwrap(), "lead"]).ok();
    // Another run does not know the session, and does not get in the way.
    let other = stage.headless(&[]);
    stage.patterm(&["explain", "lead"]).ok();
    other.operator().spawn_agent("claude", "lead", "");
    stage.patterm(&["explain", "lead"]).failed(2, &["2 runs", "--connect"]);
    stage.patterm(&["explain", &lead]).ok();
}
