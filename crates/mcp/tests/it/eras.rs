//! The handshake revisions and the stateless one, apart and on one connection.

use serde_json::{Value, json};

use crate::stage::{Stage, stateless};

#[tokio::test]
async fn initialize_answers_with_the_revision_asked_for_or_the_newest_with_a_handshake() {
    let stage = Stage::new();
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut client = stage.connect();
        let result = client.initialize(asked).await;
        let expected = json!({
            "protocolVersion": answered,
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "stage", "version": "1.2" },
            "instructions": "Mind the gap.",
        });
        assert_eq!(result, expected);
        client.close().await.unwrap();
    }
}

#[tokio::test]
async fn discover_comes_before_anything_else_and_leaves_both_eras_open() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let result = client.result("server/discover", stateless(json!({}))).await;
    let expected = json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        "capabilities": { "tools": {} },
        "instructions": "Mind the gap.",
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "stage", "version": "1.2" } },
    });
    assert_eq!(result, expected);
    assert_eq!(client.error("server/discover", json!({})).await["code"], -32602, "an answer, if not a friendly one");
    client.initialize("2025-06-18").await;
    assert!(client.result("tools/list", json!({})).await["resultType"].is_null());
    assert_eq!(client.result("tools/list", stateless(json!({}))).await["resultType"], "complete");
    client.close().await.unwrap();
}

#[tokio::test]
async fn stateless_requests_need_no_handshake_and_their_results_say_so() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let listed = client.result("tools/list", stateless(json!({}))).await;
    assert_eq!((&listed["ttlMs"], &listed["cacheScope"]), (&json!(0), &json!("private")));
    let params = stateless(json!({ "name": "echo", "arguments": { "text": "hi" } }));
    let called = client.result("tools/call", params).await;
    assert_eq!(called["resultType"], "complete");
    assert_eq!(called["structuredContent"]["text"], "hi");
    assert_eq!(called["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "stage");
    client.close().await.unwrap();
}

#[tokio::test]
async fn a_request_that_speaks_neither_era_is_told_what_it_lacks() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let version = "io.modelcontextprotocol/protocolVersion";
    let early = client.error("tools/list", json!({})).await;
    assert_eq!(early["code"], -32602);
    assert!(early["message"].as_str().unwrap().contains("initialize"), "{early}");
    for meta in [json!({ version: "2026-07-28" }), json!({ version: 7 }), json!([])] {
        let error = client.error("tools/list", json!({ "_meta": meta })).await;
        assert_eq!(error["code"], -32602, "{error}");
    }
    let error = client.error("tools/list", json!({ "_meta": { version: "2031-01-01" } })).await;
    assert_eq!((&error["code"], &error["data"]["requested"]), (&json!(-32022), &json!("2031-01-01")));
    assert_eq!(error["data"]["supported"][0], "2026-07-28");
    assert_eq!(client.error("initialize", json!({})).await["code"], -32602);
    assert_eq!(client.result("ping", json!({})).await, json!({}), "a ping may come at any time");
    client.close().await.unwrap();
}

#[tokio::test]
async fn what_we_have_none_of_is_answered_as_empty() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    for (method, result) in [
        ("ping", json!({})),
        ("logging/setLevel", json!({})),
        ("resources/list", json!({ "resources": [] })),
        ("resources/templates/list", json!({ "resourceTemplates": [] })),
        ("prompts/list", json!({ "prompts": [] })),
    ] {
        assert_eq!(client.result(method, json!({ "level": "info" })).await, result, "{method}");
        let modern = client.result(method, stateless(json!({}))).await;
        assert_eq!(modern["resultType"], "complete", "{method}");
        assert_eq!(modern["cacheScope"].is_null(), result == json!({}), "{method}: {modern}");
    }
    client.close().await.unwrap();
}

#[tokio::test]
async fn a_subscription_is_acknowledged_and_stays_open_until_cancelled() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let id =
        client.ask("subscriptions/listen", stateless(json!({ "notifications": { "toolsListChanged": true } }))).await;
    let acknowledged = client.next().await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    assert_eq!(acknowledged["params"]["notifications"], json!({}), "our lists don't change");
    let twice = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    client.send(twice.clone()).await;
    let refused = client.next().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32600)), "its id is taken");
    client.notify("notifications/cancelled", json!({ "requestId": id })).await;
    client.send(twice).await;
    assert_eq!(client.next().await["result"], json!({}), "its id is free again, and nothing else was sent for it");
    client.close().await.unwrap();
}
