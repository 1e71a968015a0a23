//! Calls: replies, errors, several at once, progress, cancellation.

use std::time::Duration;

use ops::Role;
use serde_json::{Value, json};
use testkit::Script;

use crate::stage::{Client, Stage, stateless};

#[tokio::test]
async fn a_reply_comes_as_structure_and_as_text() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let result = client.call("echo", json!({ "text": "hé\n", "times": 2, "voice": "low" })).await;
    let reply = json!({ "text": "hé\nhé\n", "voice": "low" });
    assert_eq!(result["structuredContent"], reply);
    assert_eq!(result["isError"], false);
    assert_eq!(result["content"][0]["type"], "text");
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, reply);
    let bare = client.call("bare", json!({})).await;
    assert_eq!((&bare["content"][0]["text"], &bare["structuredContent"]), (&json!("[1,2]"), &Value::Null));
    assert_eq!(client.result("tools/call", json!({ "name": "bare" })).await["isError"], false, "without arguments");
    client.close().await.unwrap();
}

/// A tool that must succeed.
async fn reply(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let result = client.call(tool, arguments).await;
    assert_eq!(result["isError"], false, "{tool}: {result}");
    result["structuredContent"].clone()
}

#[tokio::test]
async fn session_operations_work_from_start_to_end() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let script = Script::new().print("on http://localhost:4000\n").cat().argv();
    let argv: Vec<&str> = script.iter().map(|word| word.to_str().unwrap()).collect();
    let spawned = reply(&mut client, "spawn_process", json!({ "kind": "command", "argv": argv })).await;
    let id = &spawned["process_id"];
    let wait = json!({ "process_id": id, "pattern": "localhost:[0-9]+", "timeout_seconds": 60, "scope": "scrollback" });
    assert_eq!(reply(&mut client, "wait_for_pattern", wait).await["matched"], true);
    let ports = reply(&mut client, "get_process_ports", json!({ "process_id": id })).await;
    assert_eq!(ports["ports"][0]["port"], 4000, "{ports}");
    let waiting = json!({ "process_id": id, "pattern": "h\u{e9}llo", "timeout_seconds": 60, "scope": "scrollback" });
    let waiting = client.ask("tools/call", json!({ "name": "wait_for_pattern", "arguments": waiting })).await;
    let input = json!({ "process_id": id, "kind": "text", "text": "h\u{e9}llo", "submit": true });
    let typing = client.ask("tools/call", json!({ "name": "send_input", "arguments": input })).await;
    for _ in 0..2 {
        let answer = client.next().await;
        assert!([waiting, typing].map(Value::from).contains(&answer["id"]), "{answer}");
        let expected = if answer["id"] == waiting { "matched" } else { "ok" };
        assert_eq!(answer["result"]["structuredContent"][expected], true, "{answer}");
    }
    let output = reply(&mut client, "get_process_output", json!({ "process_id": id, "mode": "grid" })).await;
    assert!(output["content"].as_str().unwrap().contains("h\u{e9}llo"), "{output}");
    assert_eq!(client.failure("get_process_ports", json!({ "process_id": "nobody" })).await["kind"], "not_found");
    reply(&mut client, "close_process", json!({ "process_id": id })).await;
    assert_eq!(reply(&mut client, "list_processes", json!({})).await, json!({ "processes": [] }));
    client.close().await.unwrap();
    stage.engine().shutdown(Duration::ZERO).await;
}

#[tokio::test]
async fn a_failing_tool_answers_with_kind_message_and_hint() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let error = client.failure("fail", json!({})).await;
    assert_eq!(error, json!({ "kind": "not_found", "message": "there is no such thing", "hint": "make one" }));
    for arguments in
        [json!({}), json!({ "text": 1 }), json!({ "text": "", "x": 1 }), json!({ "text": "", "voice": "?" })]
    {
        assert_eq!(client.failure("echo", arguments).await["kind"], "invalid_args");
    }
    let error = client.failure("lead", json!({})).await;
    assert_eq!(error["kind"], "role_forbidden", "known, but not for an operator");
    let too_long = client.failure("fill", json!({ "bytes": mcp::MESSAGE_LIMIT / 2 })).await;
    assert_eq!(too_long["kind"], "limit_exceeded", "{too_long}");
    client.close().await.unwrap();
    let mut orchestrator = stage.connect_as(Role::Orchestrator);
    orchestrator.initialize("2025-11-25").await;
    assert_eq!(orchestrator.call("lead", json!({})).await["structuredContent"]["text"], "this way");
    orchestrator.close().await.unwrap();
}

#[tokio::test]
async fn a_tool_that_panics_harms_nothing_else() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let holding = client.ask("tools/call", json!({ "name": "hold" })).await;
    stage.wait_for_held(1).await;
    assert_eq!(client.failure("crash", json!({})).await["kind"], "internal");
    stage.let_go(1);
    assert_eq!(client.next().await["id"], holding);
    client.close().await.unwrap();
}

#[tokio::test]
async fn calls_that_are_no_calls_are_refused() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let unknown = client.error("tools/call", json!({ "name": "no_such_tool" })).await;
    assert_eq!((&unknown["code"], &unknown["message"]), (&json!(-32602), &json!("unknown tool: no_such_tool")));
    for params in [
        json!({}),
        json!({ "name": 1 }),
        json!({ "name": "hidden" }),
        json!({ "name": "echo", "arguments": ["text"] }),
        json!({ "name": "echo", "arguments": "text" }),
        json!({ "name": "echo", "arguments": {}, "_meta": { "progressToken": 1.5 } }),
    ] {
        assert_eq!(client.error("tools/call", params.clone()).await["code"], -32602, "{params}");
    }
    client.close().await.unwrap();
}

#[tokio::test]
async fn calls_run_side_by_side_and_quick_ones_overtake() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let mut held = Vec::new();
    for _ in 0..10 {
        held.push(client.ask("tools/call", json!({ "name": "hold" })).await);
    }
    stage.wait_for_held(10).await;
    assert_eq!(client.call("echo", json!({ "text": "first" })).await["structuredContent"]["text"], "first");
    stage.let_go(10);
    let mut answered = Vec::new();
    for _ in 0..10 {
        answered.push(client.next().await["id"].as_u64().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, held);
    client.close().await.unwrap();
}

#[tokio::test]
async fn past_the_limit_calls_are_answered_and_those_under_way_go_on() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    for _ in 0..256 {
        client.ask("tools/call", json!({ "name": "hold" })).await;
    }
    stage.wait_for_held(256).await;
    assert_eq!(client.failure("echo", json!({ "text": "one more" })).await["kind"], "limit_exceeded");
    assert_eq!(client.result("ping", json!({})).await, json!({}));
    stage.let_go(1);
    client.next().await;
    assert_eq!(client.call("echo", json!({ "text": "now" })).await["isError"], false);
    client.close().await.unwrap();
    assert_eq!(stage.held(), 0);
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_and_never_answered() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    for params in [json!({ "name": "hold" }), stateless(json!({ "name": "hold" }))] {
        let other = client.ask("tools/call", params.clone()).await;
        let cancelled = client.ask("tools/call", params).await;
        stage.wait_for_held(2).await;
        client.notify("notifications/cancelled", json!({ "requestId": cancelled, "reason": "enough" })).await;
        stage.wait_for_held(1).await;
        // Neither known nor well-formed: ignored.
        client.notify("notifications/cancelled", json!({ "requestId": 999 })).await;
        client.notify("notifications/cancelled", json!({ "requestId": {} })).await;
        client.notify("notifications/nonsense", json!({})).await;
        stage.let_go(1);
        assert_eq!(client.next().await["id"], other, "the other one goes on, the cancelled one is silent");
        client.notify("notifications/cancelled", json!({ "requestId": other })).await;
    }
    assert_eq!(client.result("ping", json!({})).await, json!({}));
    client.close().await.unwrap();
}

#[tokio::test]
async fn progress_is_told_under_the_token_and_grows() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    for token in [json!("abc"), json!(0)] {
        let params = json!({ "name": "hold", "_meta": { "progressToken": token } });
        let id = client.ask("tools/call", params).await;
        for told in 1..=3 {
            stage.program.gate.nudge.add_permits(1);
            let progress = client.next().await;
            assert_eq!(progress["method"], "notifications/progress");
            let expected = json!({ "progressToken": token, "progress": told, "message": "nudged" });
            assert_eq!(progress["params"], expected);
        }
        stage.let_go(1);
        assert_eq!(client.next().await["id"], id);
        let late = stage.program.gate.last_progress.lock().unwrap().take().unwrap();
        assert!(late.is_heard());
        late.tell("too late");
        assert_eq!(client.result("ping", json!({})).await, json!({}), "nothing is told after the reply");
    }
    let id = client.ask("tools/call", json!({ "name": "hold" })).await;
    stage.program.gate.nudge.add_permits(1);
    stage.let_go(1);
    assert_eq!(client.next().await["id"], id, "nobody asked for progress");
    client.close().await.unwrap();
}
