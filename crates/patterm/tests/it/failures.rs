//! Failures that the specification names (its section 12), and what survives them. Those of agents are in
//! `agent_failures`.

use std::fs;

use rustix::process::Signal;
use serde_json::json;
use testkit::{wait_until, wait_until_some};

use crate::stage::{Stage, is_gone};

#[test]
fn a_crash_takes_every_session_along_and_leaves_scratchpads() {
    let stage = Stage::new();
    let mut patterm = stage.headless(&[]);
    let mut human = patterm.operator();
    human.call("scratchpad_write", json!({ "name": "notes.md", "content": "kept\n" }));
    let id = human.spawn(&["sh", "-c", "trap '' HUP; sleep 1000 & echo pid $! $$; wait"]);
    human.see(&id, "pid [0-9]+ [0-9]+");
    let pids: Vec<i64> = human.grid(&id).split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert_eq!(pids.len(), 2);
    patterm.process.kill().unwrap();
    patterm.wait();
    wait_until("the session's program is gone", || is_gone(pids[1]));
    assert_eq!(stage.scratchpad("notes.md"), "kept\n");
    assert!(human.try_next().is_none(), "its proxy is gone too");
}

#[test]
fn the_window_closes_and_everything_ends() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let mut human = patterm.operator();
    let stubborn = human.spawn(&["sh", "-c", "trap '' TERM HUP INT; echo pid $$; while :; do sleep 1000; done"]);
    human.see(&stubborn, "pid [0-9]+");
    let pid: i64 = human.grid(&stubborn).trim().strip_prefix("pid ").unwrap().parse().unwrap();
    fs::write(stage.path("config/patterm/config.json"), "{}").unwrap();
    let (status, _, err) = patterm.end(Signal::HUP);
    assert!(status.success(), "{err}");
    assert!(is_gone(pid), "also who ignores the asking");
    assert_eq!(stage.left_in_run(), Vec::<String>::new());
}

#[test]
#[ignore = "needs root, to mount a small tmpfs: run by .ci/run"]
fn a_full_disk_is_said_and_the_old_content_stays() {
    let stage = Stage::new();
    let data = stage.path("data");
    let mount =
        |words: &[&str]| assert!(std::process::Command::new(words[0]).args(&words[1..]).status().unwrap().success());
    mount(&["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", data.to_str().unwrap()]);
    let patterm = stage.headless(&[]);
    let mut human = patterm.operator();
    human.call("scratchpad_write", json!({ "name": "notes.md", "content": "old\n" }));
    let full = human.failure("scratchpad_write", json!({ "name": "notes.md", "content": "x".repeat(2 << 20) }));
    assert!(full["message"].as_str().unwrap().contains("full"), "{full}");
    assert_eq!(human.call("scratchpad_read", json!({ "name": "notes.md" }))["content"], "old\n");
    human.call("scratchpad_append", json!({ "name": "notes.md", "content": "more\n" }));
    assert_eq!(stage.scratchpad("notes.md"), "old\nmore\n");
    drop(human);
    drop(patterm);
    mount(&["umount", data.to_str().unwrap()]);
}

#[test]
fn a_pause_looks_like_rest_and_the_marker_tells_the_truth() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let mut human = patterm.operator();
    let fifo = stage.path("tmp/provider");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let script = format!("echo half an answer; cat {}; echo THE END", fifo.display());
    let id = human.spawn(&["sh", "-c", &script]);
    human.see(&id, "half an answer");
    let resting = wait_until_some("silence counts as rest", || {
        let status = human.status(&id);
        (status["idle_ms"].as_u64().unwrap() > 1000).then_some(status)
    });
    assert_eq!((&resting["status"], &resting["idle_state"]), (&json!("running"), &json!("idle")), "{resting}");
    assert!(!human.grid(&id).contains("THE END"));
    let waiting = human.ask(
        "tools/call",
        json!({ "name": "wait_for_pattern", "arguments": {
        "process_id": id, "pattern": "THE END", "timeout_seconds": 60 } }),
    );
    fs::write(&fifo, "the other half\n").unwrap();
    assert_eq!(human.answer_to(waiting)["result"]["structuredContent"]["matched"], true);
}

#[test]
fn a_stream_of_nonsense_corrupts_one_pane_at_most() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let mut human = patterm.operator();
    let calm = human.spawn(&["sh", "-c", "echo calm; exec cat"]);
    human.see(&calm, "calm");
    let noise =
        human.spawn(&["sh", "-c", "head -c 3000000 /dev/urandom; printf '\\033c\\033[?1049l\\nTHE END\\n'; exec cat"]);
    human.see(&noise, "THE END");
    human.grid(&noise);
    human.call("get_process_output", json!({ "process_id": noise, "mode": "stream" }));
    human.call("search_output", json!({ "process_id": noise, "pattern": "." }));
    assert_eq!(human.grid(&calm).trim(), "calm");
    human.call("send_input", json!({ "process_id": calm, "kind": "text", "text": "still here" }));
    human.see(&calm, "still here");
}
