//! `--debug` and `--profile`: what they write, who can read it, and that nothing goes to the terminal.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::stage::Stage;

fn private(path: &Path) {
    let mode = path.metadata().unwrap().mode() & 0o777;
    assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    if path.is_dir() {
        fs::read_dir(path).unwrap().flatten().for_each(|entry| private(&entry.path()));
    }
}

#[test]
fn debugging_writes_a_log_events_bytes_and_messages_for_our_eyes_only() {
    let stage = Stage::new();
    let patterm = stage.headless(&["--debug=seen"]);
    let token = patterm.token();
    let folder = stage.path("project/seen");
    assert_eq!(patterm.hello["debug"], folder.to_str().unwrap());
    let mut client = patterm.operator();
    let id = client.spawn(&["sh", "-c", "printf 'raw \\033[1mbytes\\033[m\\n'"]);
    client.see(&id, "raw bytes");
    client.call("rename_process", json!({ "process_id": id, "name": "seen" }));
    drop(client);
    let (status, out, err) = patterm.end(Signal::TERM);
    assert!(status.success());
    assert_eq!((out.as_str(), err.as_str()), ("", ""));
    private(&folder);
    assert!(fs::read_to_string(folder.join("patterm.log")).unwrap().contains("ending all sessions"));
    let events = fs::read_to_string(folder.join("events.jsonl")).unwrap();
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for wanted in ["added", "status", "renamed"] {
        assert!(events.iter().any(|event| event["event"] == wanted && event["process_id"] == id.as_str()), "{wanted}");
    }
    let raw = fs::read(folder.join(format!("sessions/{id}.raw"))).unwrap();
    assert_eq!(raw, b"raw \x1b[1mbytes\x1b[m\r\n");
    let times = fs::read_to_string(folder.join(format!("sessions/{id}.raw.timing.jsonl"))).unwrap();
    let times: Vec<Value> = times.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(times[0]["off"], 0, "{times:?}");
    assert_eq!(times.iter().map(|read| read["n"].as_u64().unwrap()).sum::<u64>(), raw.len() as u64, "{times:?}");
    let said = fs::read_to_string(folder.join("mcp/1-operator.jsonl")).unwrap();
    let said: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&said[0]["direction"], &said[0]["message"]["method"]), (&json!("from_client"), &json!("initialize")));
    assert_eq!((&said[1]["direction"], &said[1]["message"]["id"]), (&json!("to_client"), &json!(1)));
    for file in ["patterm.log", "events.jsonl", "mcp/1-operator.jsonl"] {
        assert!(!fs::read_to_string(folder.join(file)).unwrap().contains(&token), "{file} holds a token");
    }
}

#[test]
fn by_default_it_goes_into_the_folder_for_state() {
    let stage = Stage::new();
    let patterm = stage.headless(&["--debug"]);
    let folder = patterm.hello["debug"].as_str().unwrap().to_owned();
    assert!(Path::new(&folder).starts_with(stage.path("state/patterm/debug")), "{folder}");
    assert!(folder.ends_with(&format!("-{}", patterm.pid())));
}

#[test]
fn a_profile_shows_where_the_time_went() {
    let stage = Stage::new();
    let patterm = stage.headless(&["--profile=prof"]);
    let mut client = patterm.operator();
    let id = client.spawn(&["sh", "-c", "seq 300000; echo done"]);
    client.see(&id, "done");
    for _ in 0..200 {
        client.call("search_output", json!({ "process_id": id, "pattern": "9+8+7" }));
    }
    drop(client);
    let (status, _, err) = patterm.end(Signal::TERM);
    assert!(status.success(), "{err}");
    let folder = stage.path("project/prof");
    private(&folder);
    let cpu = fs::read(folder.join("cpu.pb")).unwrap();
    assert!(cpu.len() > 1000);
    // Stacks begin with the thread's name.
    assert!(cpu.windows(12).any(|window| window == b"patterm-task"));
    assert!(fs::read_to_string(folder.join("threads.txt")).unwrap().contains("patterm-task"));
    assert!(fs::read_to_string(folder.join("memory.txt")).unwrap().contains("Private_Dirty"));
}
