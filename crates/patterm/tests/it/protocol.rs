//! Edge cases of the protocol through the real socket: each mistake gets an answer and affects nothing else.

use serde_json::{Value, json};

use crate::stage::Stage;

#[test]
fn each_bad_message_has_its_answer_and_other_connections_do_not_notice() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let (mut bad, mut good) = (patterm.operator(), patterm.operator());
    let id = good.spawn(&["cat"]);
    let waiting = good.ask(
        "tools/call",
        json!({ "name": "wait_for_pattern", "arguments": {
        "process_id": id, "pattern": "at last", "timeout_seconds": 60 } }),
    );
    let mut answered = |line: &str| {
        bad.write(line);
        bad.write("\n");
        bad.next()["error"]["code"].clone()
    };
    assert_eq!(answered("{"), -32700);
    assert_eq!(answered("\u{0}\u{1b}]52;c;?\u{7}"), -32700);
    assert_eq!(answered("[]"), -32600);
    assert_eq!(answered(r#"{"jsonrpc":"2.0","id":9,"method":"whoami"}"#), -32601, "tools are not methods");
    assert_eq!(answered(r#"{"jsonrpc":"2.0","id":9,"method":"no/such"}"#), -32601);
    let call = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{params}}}"#);
    assert_eq!(answered(&call(r#"{"name":"no_such_tool"}"#)), -32602);
    assert_eq!(answered(&call(r#"{"name":7}"#)), -32602);
    assert_eq!(answered(&call(r#"{"name":"whoami","arguments":[1]}"#)), -32602);
    let huge = format!(r#"{{"jsonrpc":"2.0","id":9,"method":"ping","params":{{"x":"{}"}}}}"#, "x".repeat(17 << 20));
    assert_eq!(answered(&huge), -32600);
    let wrong = bad.failure("get_process_status", json!({ "process_id": 7 }));
    assert_eq!(wrong["kind"], "invalid_args", "{wrong}");
    assert_eq!(bad.failure("get_process_status", json!({ "process_id": "p_none" }))["kind"], "not_found");
    bad.call("whoami", json!({}));
    good.call("send_input", json!({ "process_id": id, "kind": "text", "text": "at last" }));
    assert_eq!(good.answer_to(waiting)["result"]["structuredContent"]["matched"], true);
}

#[test]
fn what_there_is_none_of_is_an_empty_success() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let mut client = patterm.operator();
    assert_eq!(client.result("ping", json!({})), json!({}));
    assert_eq!(client.result("resources/list", json!({}))["resources"], json!([]));
    assert_eq!(client.result("prompts/list", json!({}))["prompts"], json!([]));
    assert_eq!(client.result("logging/setLevel", json!({ "level": "debug" })), json!({}));
}

#[test]
fn tools_are_annotated_and_described_and_the_server_introduces_itself() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let mut client = patterm.operator();
    let introduced = client.initialize();
    assert_eq!(introduced["serverInfo"]["name"], "patterm");
    assert!(introduced["instructions"].as_str().unwrap().contains("operator"), "{introduced}");
    let listed = client.result("tools/list", json!({}));
    for tool in listed["tools"].as_array().unwrap() {
        let hints = &tool["annotations"];
        assert!(hints["readOnlyHint"].is_boolean() && hints["destructiveHint"].is_boolean(), "{tool}");
        assert!(tool["description"].as_str().unwrap().len() > 20, "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
    }
    let described = |name: &str| -> Value {
        listed["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap()["description"].clone()
    };
    assert!(described("get_process_output").as_str().unwrap().contains("whole"), "the reader must find the answer");
    assert!(described("spawn_process").as_str().unwrap().contains("close_process"), "who spawns cleans up");
}
