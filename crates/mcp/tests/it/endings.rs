//! Ways a connection ends: its calls end with it.

use ops::{CallerEvent, Role};
use serde_json::json;
use testkit::DEADLINE;
use tokio::{io::AsyncWriteExt, time::timeout};

use crate::stage::{Stage, stateless};

#[tokio::test(start_paused = true)]
async fn the_end_of_input_cancels_every_call_at_once() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    client.ask("tools/call", json!({ "name": "wait" })).await;
    client.ask("tools/call", stateless(json!({ "name": "wait" }))).await;
    client.ask("subscriptions/listen", stateless(json!({}))).await;
    client.next().await;
    let start = tokio::time::Instant::now();
    client.close().await.unwrap();
    // The clock stands still while anything can run: time would only pass if something waited for it.
    assert_eq!(start.elapsed().as_millis(), 0);
    assert_eq!(stage.heard().last(), Some(&CallerEvent::Gone));
}

#[tokio::test]
async fn other_connections_keep_their_calls() {
    let stage = Stage::new();
    let (mut one, mut two) = (stage.client().await, stage.client().await);
    one.ask("tools/call", json!({ "name": "hold" })).await;
    let kept = two.ask("tools/call", json!({ "name": "hold" })).await;
    stage.wait_for_held(2).await;
    one.close().await.unwrap();
    assert_eq!(stage.held(), 1);
    stage.let_go(1);
    assert_eq!(two.next().await["id"], kept);
    two.close().await.unwrap();
}

#[tokio::test]
async fn answers_that_are_ready_are_written_before_the_end() {
    let stage = Stage::new();
    let mut client = stage.connect();
    client.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}").await;
    client.writer.shutdown().await.unwrap();
    assert_eq!(client.next().await["result"], json!({}), "even without the last newline");
    assert!(client.try_next().await.is_none());
    client.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn dropping_the_server_cancels_its_calls() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    client.ask("tools/call", json!({ "name": "hold" })).await;
    stage.wait_for_held(1).await;
    client.served.abort();
    stage.wait_for_held(0).await;
    assert!(client.try_next().await.is_none());
    assert_eq!(stage.heard().last(), Some(&CallerEvent::Gone));
}

#[tokio::test]
async fn a_client_that_vanishes_from_a_socket_frees_its_waiters() {
    let stage = Stage::new();
    let (mut here, there) = tokio::net::UnixStream::pair().unwrap();
    let served = stage.serve(there, Role::Operator);
    let call =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": stateless(json!({ "name": "hold" })) });
    here.write_all(format!("{call}\n").as_bytes()).await.unwrap();
    stage.wait_for_held(1).await;
    drop(here);
    // An unread answer or none: whichever way the socket puts it, the connection is over.
    let _ = timeout(DEADLINE, served).await.expect("the connection ends").unwrap();
    assert_eq!(stage.held(), 0);
}
