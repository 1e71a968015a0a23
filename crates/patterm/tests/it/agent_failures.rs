//! Failures of agents that the specification names (its section 12).

use std::fs;

use serde_json::json;
use testkit::wait_until;

use crate::{client::Client, stage::Stage, tab::Tab};

#[test]
fn a_sub_agent_that_exits_stays_readable_with_its_code() {
    let Tab { human, as_lead, lead, .. } = &mut Tab::new();
    let child = as_lead.spawn_agent("codex", "worker", "");
    as_lead.wait_for_state(&child, "idle");
    as_lead.call("send_input", json!({ "process_id": child, "kind": "text", "text": "crash" }));
    as_lead.wait_for_state(&child, "exited");
    let status = as_lead.status(&child);
    assert_eq!((&status["status"], &status["exit_code"]), (&json!("exited"), &json!(3)), "{status}");
    let read = as_lead.call("get_process_output", json!({ "process_id": child, "mode": "grid" }));
    assert_eq!((&read["status"], &read["exit_code"]), (&json!("exited"), &json!(3)), "{read}");
    human.see(lead, "\\[system\\]");
}

#[test]
fn a_cli_that_hangs_is_waited_for_in_vain_and_the_human_is_asked() {
    let stage = Stage::new();
    stage.install_fake("codex", "echo");
    let patterm = stage.headless(&["--debug=seen"]);
    let mut human = patterm.operator();
    let id = human.spawn_agent("codex", "stuck", "freeze");
    human.see(&id, "freeze");
    let waited = human.call("wait_for_pattern", json!({ "process_id": id, "pattern": "never", "timeout_seconds": 1 }));
    assert_eq!((&waited["matched"], &waited["reason"]), (&json!(false), &json!("timeout")));
    human.call("request_human_attention", json!({ "process_id": id, "reason": "it hangs" }));
    let events = stage.path("project/seen/events.jsonl");
    wait_until("the human is asked", || fs::read_to_string(&events).unwrap().contains("it hangs"));
    human.call("close_process", json!({ "process_id": id }));
}

#[test]
fn killing_an_orchestrator_ends_its_children() {
    let Tab { human, as_lead, lead, .. } = &mut Tab::new();
    let agent = as_lead.spawn_agent("codex", "worker", "");
    let command = as_lead.spawn(&["sleep", "1000"]);
    let bystander = human.spawn(&["sleep", "1000"]);
    human.call("stop_process", json!({ "process_id": lead, "signal": "KILL" }));
    for id in [&agent, &command] {
        wait_until("the child has ended", || {
            let result =
                human.result("tools/call", json!({ "name": "get_process_status", "arguments": { "process_id": id } }));
            result["isError"] == true || result["structuredContent"]["status"] == "stopped"
        });
    }
    assert_eq!(human.status(&bystander)["status"], "running", "other tabs go on");
}

#[test]
fn both_may_type_and_the_human_has_the_session_from_then_on() {
    let stage = Stage::new();
    stage.install_fake("claude", "echo");
    let patterm = stage.headless(&[]);
    let mut human = patterm.operator();
    human.spawn_agent("claude", "lead", "");
    let mut as_lead = Client::behind_proxy(&patterm.agents()[0]);
    let id = as_lead.spawn(&["cat"]);
    assert_eq!(as_lead.status(&id)["owner"], "orchestrator");
    as_lead.call("send_input", json!({ "process_id": id, "kind": "text", "text": "from the agent" }));
    human.call("send_input", json!({ "process_id": id, "kind": "text", "text": "from the human" }));
    as_lead.call("send_input", json!({ "process_id": id, "kind": "text", "text": "agent again" }));
    for text in ["from the agent", "from the human", "agent again"] {
        human.see(&id, text);
    }
    assert_eq!(as_lead.status(&id)["owner"], "user", "an agent's write never takes it back");
}
