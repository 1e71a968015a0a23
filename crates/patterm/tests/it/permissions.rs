//! A sub-agent asks for permission, and the agent above it answers, with the screens of the three CLIs.

use serde_json::{Value, json};

use crate::{client::Client, tab::Tab};

impl Tab {
    /// An agent below the lead that asks for permission to run `command`.
    fn asking(&mut self, make: &str, command: &str) -> String {
        let worker = self.as_lead.spawn_agent(make, "worker", "");
        self.as_lead.wait_for_state(&worker, "idle");
        self.ask(&worker, command);
        worker
    }

    fn ask(&mut self, worker: &str, command: &str) {
        self.human.call("send_input", json!({ "process_id": worker, "text": format!("ask {command}") }));
    }
}

/// The agent's question, once it asks.
fn prompt(client: &mut Client, process: &str) -> Value {
    let waited = json!({ "process_id": process, "states": ["blocked"], "timeout_seconds": 60 });
    let waited = client.call("wait_for_state", waited);
    assert_eq!(waited["reached"], true, "{waited}");
    waited["prompt"].clone()
}

fn key(process: &str, key: &str, prompt: &Value) -> Value {
    json!({ "process_id": process, "kind": "key", "key": key, "prompt_digest": prompt["digest"] })
}

#[test]
fn a_harmless_command_is_allowed_and_another_is_left_to_the_human() {
    let mut tab = Tab::new();
    for make in ["claude", "codex", "opencode"] {
        let worker = tab.asking(make, "ls -la src");
        let asks = prompt(&mut tab.as_lead, &worker);
        assert_eq!((&asks["tool"], &asks["command"]), (&json!("shell"), &json!("ls -la src")), "{make}: {asks}");
        tab.as_lead.call("send_input", key(&worker, "enter", &asks));
        tab.human.see(&worker, "I was allowed to: ls -la src");
        tab.as_lead.wait_for_state(&worker, "idle");

        tab.ask(&worker, "rm -rf build");
        let asks = prompt(&mut tab.as_lead, &worker);
        let refused = tab.as_lead.failure("send_input", key(&worker, "enter", &asks));
        assert_eq!(refused["kind"], "needs_trust", "{make}: {refused}");
        assert!(refused["hint"].as_str().unwrap().contains("request_human_attention"), "{refused}");
        // The human is not restricted.
        tab.human.call("send_input", json!({ "process_id": worker, "kind": "key", "key": "enter" }));
        tab.human.see(&worker, "I was allowed to: rm -rf build");
        tab.as_lead.call("close_process", json!({ "process_id": worker }));
    }
}

#[test]
fn a_prompt_that_has_changed_is_not_answered() {
    let mut tab = Tab::new();
    let worker = tab.asking("codex", "ls");
    let first = prompt(&mut tab.as_lead, &worker);
    tab.human.call("send_input", json!({ "process_id": worker, "kind": "key", "key": "esc" }));
    tab.as_lead.wait_for_state(&worker, "idle");
    let gone = tab.as_lead.failure("send_input", key(&worker, "enter", &first));
    assert_eq!(gone["kind"], "revision_mismatch", "{gone}");
    tab.ask(&worker, "ls -la");
    prompt(&mut tab.human, &worker);
    let stale = tab.as_lead.failure("send_input", key(&worker, "enter", &first));
    assert_eq!(stale["kind"], "revision_mismatch", "{stale}");
    assert!(stale["hint"].as_str().unwrap().contains("explain_state"), "{stale}");
    let second = prompt(&mut tab.as_lead, &worker);
    assert_ne!(first["digest"], second["digest"]);
    tab.as_lead.call("send_input", key(&worker, "y", &second));
    tab.human.see(&worker, "I was allowed to: ls -la");
}

#[test]
fn what_an_agent_can_not_read_whole_it_may_only_refuse() {
    let mut tab = Tab::new();
    // It reaches the edge of the screen, so the rest may have been cut off; and the hook's report contains a
    // bidirectional control.
    let worker = tab.asking("claude", &format!("ls {}\u{202e}", "a".repeat(113)));
    let asks = prompt(&mut tab.as_lead, &worker);
    assert_eq!((&asks["tool"], &asks["complete"]), (&json!("shell"), &json!(false)), "{asks}");
    assert_eq!(tab.as_lead.failure("send_input", key(&worker, "enter", &asks))["kind"], "needs_trust");
    let typed = json!({ "process_id": worker, "text": "1" });
    assert_eq!(tab.as_lead.failure("send_input", typed)["kind"], "needs_trust", "a key is a key however it comes");
    let text = json!({ "process_id": worker, "text": "never mind, go on" });
    assert_eq!(tab.as_lead.failure("send_input", text)["kind"], "not_ready");
    tab.as_lead.call("send_input", key(&worker, "esc", &asks));
    tab.as_lead.wait_for_state(&worker, "idle");

    tab.human.call("send_input", json!({ "process_id": worker, "text": "dialog" }));
    tab.as_lead.wait_for_state(&worker, "blocked");
    let unreadable = json!({ "process_id": worker, "kind": "key", "key": "enter" });
    assert_eq!(tab.as_lead.failure("send_input", unreadable)["kind"], "needs_trust");
}
