//! The byte pump between a client's pipes and a server's socket.

use mcp::{PumpEnd, PumpError, pump};
use ops::Role;
use serde_json::{Value, json};
use testkit::DEADLINE;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, duplex},
    net::UnixStream,
    time::timeout,
};

use crate::stage::{Stage, stateless};

#[tokio::test]
async fn a_client_behind_the_pump_is_served_until_it_closes() {
    let stage = Stage::new();
    let (socket, there) = UnixStream::pair().unwrap();
    let served = stage.serve(there, Role::Operator);
    let (mut stdin, input) = duplex(64);
    let (output, stdout) = duplex(64);
    let pumping = tokio::spawn(pump(input, output, socket));
    let call = stateless(json!({ "name": "echo", "arguments": { "text": "x".repeat(200_000) } }));
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call });
    let mut line = String::new();
    let mut stdout = BufReader::new(stdout);
    let (written, read) =
        tokio::join!(async { stdin.write_all(format!("{call}\n").as_bytes()).await }, stdout.read_line(&mut line));
    written.unwrap();
    read.unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["text"].as_str().unwrap().len(), 200_000);
    // A call that holds must not hold the pump.
    let hold =
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": stateless(json!({ "name": "hold" })) });
    stdin.write_all(format!("{hold}\n").as_bytes()).await.unwrap();
    stage.wait_for_held(1).await;
    drop(stdin);
    assert_eq!(timeout(DEADLINE, pumping).await.expect("the pump ends").unwrap().unwrap(), PumpEnd::Client);
    served.await.unwrap().unwrap();
    assert_eq!(stage.held(), 0);
}

#[tokio::test]
async fn the_end_of_the_server_is_the_end() {
    let (socket, mut server) = UnixStream::pair().unwrap();
    let (stdin, input) = duplex(64);
    let (output, mut stdout) = duplex(64);
    server.write_all(b"last words").await.unwrap();
    drop(server);
    assert_eq!(pump(input, output, socket).await.unwrap(), PumpEnd::Server);
    let mut said = String::new();
    stdout.read_to_string(&mut said).await.unwrap();
    assert_eq!(said, "last words");
    drop(stdin);
}

#[tokio::test]
async fn a_client_that_reads_no_more_is_named() {
    let (socket, mut server) = UnixStream::pair().unwrap();
    let (stdin, input) = duplex(64);
    let (output, stdout) = duplex(64);
    drop(stdout);
    server.write_all(b"anyone?").await.unwrap();
    assert!(matches!(pump(input, output, socket).await, Err(PumpError::Client(_))));
    drop(stdin);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_ends_does_not_hold_the_pump() {
    let (socket, _server) = duplex(64);
    let (output, _stdout) = duplex(64);
    assert_eq!(pump(tokio::io::empty(), output, socket).await.unwrap(), PumpEnd::Client);
}
