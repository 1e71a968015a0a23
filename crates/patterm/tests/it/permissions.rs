//! A sub-agent asks for permission, and the agent above it answers: with the looks of the three CLIs.

use serde_json::{Value, json};

use crate::{
    client::Client,
    stage::{Headless, Stage},
};

struct Scene {
    _stage: Stage,
    _patterm: Headless,
    human: Client,
    lead: Client,
}

fn scene() -> Scene {
    let stage = Stage::new();
    for make in ["claude", "codex", "opencode"] {
        stage.install_fake(make, "echo");
    }
    let patterm = stage.headless(&[]);
    let mut human = patterm.operator();
    human.spawn_agent("claude", "lead", "");
    let lead = Client::behind_proxy(&patterm.agents()[0]);
    Scene { _stage: stage, _patterm: patterm, human, lead }
}

impl Scene {
    /// An agent below the lead that asks for leave to run `command`.
    fn asking(&mut self, make: &str, command: &str) -> String {
        let worker = self.lead.spawn_agent(make, "worker", "");
        self.lead.wait_for_state(&worker, "idle");
        self.ask(&worker, command);
        worker
    }

    fn ask(&mut self, worker: &str, command: &str) {
        self.human.call("send_input", json!({ "process_id": worker, "text": format!("ask {command}") }));
    }
}

/// What the agent asks, once it does.
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
    let mut scene = scene();
    for make in ["claude", "codex", "opencode"] {
        let worker = scene.asking(make, "ls -la src");
        let asks = prompt(&mut scene.lead, &worker);
        assert_eq!((&asks["tool"], &asks["command"]), (&json!("shell"), &json!("ls -la src")), "{make}: {asks}");
        scene.lead.call("send_input", key(&worker, "enter", &asks));
        scene.human.see(&worker, "I was allowed to: ls -la src");
        scene.lead.wait_for_state(&worker, "idle");

        scene.ask(&worker, "rm -rf build");
        let asks = prompt(&mut scene.lead, &worker);
        let refused = scene.lead.failure("send_input", key(&worker, "enter", &asks));
        assert_eq!(refused["kind"], "needs_trust", "{make}: {refused}");
        assert!(refused["hint"].as_str().unwrap().contains("request_human_attention"), "{refused}");
        // The human may do as they like.
        scene.human.call("send_input", json!({ "process_id": worker, "kind": "key", "key": "enter" }));
        scene.human.see(&worker, "I was allowed to: rm -rf build");
        scene.lead.call("close_process", json!({ "process_id": worker }));
    }
}

#[test]
fn a_prompt_that_has_changed_is_not_answered() {
    let mut scene = scene();
    let worker = scene.asking("codex", "ls");
    let first = prompt(&mut scene.lead, &worker);
    scene.human.call("send_input", json!({ "process_id": worker, "kind": "key", "key": "esc" }));
    scene.lead.wait_for_state(&worker, "idle");
    let gone = scene.lead.failure("send_input", key(&worker, "enter", &first));
    assert_eq!(gone["kind"], "revision_mismatch", "{gone}");
    scene.ask(&worker, "ls -la");
    prompt(&mut scene.human, &worker);
    let stale = scene.lead.failure("send_input", key(&worker, "enter", &first));
    assert_eq!(stale["kind"], "revision_mismatch", "{stale}");
    assert!(stale["hint"].as_str().unwrap().contains("explain_state"), "{stale}");
    let second = prompt(&mut scene.lead, &worker);
    assert_ne!(first["digest"], second["digest"]);
    scene.lead.call("send_input", key(&worker, "y", &second));
    scene.human.see(&worker, "I was allowed to: ls -la");
}

#[test]
fn what_an_agent_can_not_read_whole_it_may_only_refuse() {
    let mut scene = scene();
    // To the edge of the screen: the rest may have been cut off.
    let worker = scene.asking("claude", &format!("ls {}", "a".repeat(108)));
    let asks = prompt(&mut scene.lead, &worker);
    assert_eq!((&asks["tool"], &asks["complete"]), (&json!("shell"), &json!(false)), "{asks}");
    assert_eq!(scene.lead.failure("send_input", key(&worker, "enter", &asks))["kind"], "needs_trust");
    let typed = json!({ "process_id": worker, "text": "1" });
    assert_eq!(scene.lead.failure("send_input", typed)["kind"], "needs_trust", "a key is a key however it comes");
    let text = json!({ "process_id": worker, "text": "never mind, go on" });
    assert_eq!(scene.lead.failure("send_input", text)["kind"], "not_ready");
    scene.lead.call("send_input", key(&worker, "esc", &asks));
    scene.lead.wait_for_state(&worker, "idle");

    scene.human.call("send_input", json!({ "process_id": worker, "text": "dialog" }));
    scene.lead.wait_for_state(&worker, "blocked");
    let unreadable = json!({ "process_id": worker, "kind": "key", "key": "enter" });
    assert_eq!(scene.lead.failure("send_input", unreadable)["kind"], "needs_trust");
}
