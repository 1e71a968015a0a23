//! Bytes that are no messages: answered precisely, and nobody else notices.

use mcp::{MESSAGE_LIMIT, ServeError};
use serde_json::{Value, json};
use testkit::DEADLINE;
use tokio::{io::AsyncWriteExt, time::timeout};

use crate::stage::Stage;

#[tokio::test]
async fn each_bad_line_has_its_answer_and_the_next_line_is_served() {
    let stage = Stage::new();
    let mut client = stage.connect();
    for (line, id, code) in [
        ("{\"jsonrpc\":", Value::Null, -32700),
        ("GET / HTTP/1.1", Value::Null, -32700),
        ("\u{0}\u{1b}[31m", Value::Null, -32700),
        ("[]", Value::Null, -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Value::Null, -32600),
        ("null", Value::Null, -32600),
        (r#"{"jsonrpc":"2.0","id":"x"}"#, json!("x"), -32600),
        (r#"{"jsonrpc":"2.0","id":"x","method":"ping","params":7}"#, json!("x"), -32602),
        (r#"{"jsonrpc":"2.0","id":"x","method":"tools/destroy"}"#, json!("x"), -32602),
    ] {
        client.write(&format!("{line}\n")).await;
        let answer = client.next().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{line}: {answer}");
        assert_eq!(client.result("ping", json!({})).await, json!({}), "after {line}");
    }
    client.initialize("2025-11-25").await;
    let unknown = client.error("tools/destroy", json!({})).await;
    assert_eq!((&unknown["code"], &unknown["message"]), (&json!(-32601), &json!("unknown method: tools/destroy")));
    client.close().await.unwrap();
}

#[tokio::test]
async fn bytes_that_are_no_utf8_are_no_json() {
    let stage = Stage::new();
    let mut client = stage.connect();
    client.writer.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}\n").await.unwrap();
    assert_eq!(client.next().await["error"]["code"], -32700);
    client.close().await.unwrap();
}

#[tokio::test]
async fn a_message_too_long_is_refused_under_its_id_and_the_connection_lives() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let mut other = stage.client().await;
    let body = "x".repeat(MESSAGE_LIMIT);
    for message in [
        format!(r#"{{"jsonrpc":"2.0","id":"early","method":"tools/call","params":{{"id":1,"x":"{body}"}}}}"#),
        format!(r#"{{"method":"tools/call","params":{{"id":1,"x":"{body}"}},"jsonrpc":"2.0","id":"late"}}"#),
    ] {
        client.write(&message).await;
        assert_eq!(other.result("ping", json!({})).await, json!({}));
        client.write("\n").await;
        let answer = client.next().await;
        assert!(["early", "late"].contains(&answer["id"].as_str().unwrap()), "{answer}");
        assert_eq!(answer["error"]["code"], -32600);
        assert_eq!(answer["error"]["data"]["limit_bytes"], MESSAGE_LIMIT);
    }
    let fits = "x".repeat(MESSAGE_LIMIT / 4);
    let result = client.call("echo", json!({ "text": fits })).await;
    assert_eq!(result["structuredContent"]["text"].as_str().unwrap().len(), fits.len());
    client.close().await.unwrap();
    other.close().await.unwrap();
}

#[tokio::test]
async fn a_client_that_asks_and_never_reads_is_disconnected() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let mut other = stage.client().await;
    let flood = async {
        let line = format!("{}\n", json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
        while client.writer.write_all(line.as_bytes()).await.is_ok() {}
    };
    timeout(DEADLINE, flood).await.expect("the server gives up");
    assert!(matches!(client.served.await.unwrap(), Err(ServeError::NotReading)));
    assert_eq!(other.result("ping", json!({})).await, json!({}));
    other.close().await.unwrap();
}

#[tokio::test]
async fn replies_wait_for_a_slow_reader_and_all_arrive() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let calls = 40;
    for _ in 0..calls {
        client.ask("tools/call", json!({ "name": "fill", "arguments": { "bytes": 1 << 20 } })).await;
    }
    for _ in 0..calls {
        let answer = client.next().await;
        assert_eq!(answer["result"]["structuredContent"]["text"].as_str().unwrap().len(), 1 << 20);
    }
    client.close().await.unwrap();
}
