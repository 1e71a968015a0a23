//! The other ways in: MCP on the same socket, and the byte bridge.

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::stage::{Stage, VTR, read_all, start_piped};

/// Speaks MCP to a command: initialises, calls, and closes.
fn call_tool(command: &mut std::process::Command, name: &str, arguments: &Value) -> Value {
    let mut child = start_piped(command.stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |message: Value| {
        writeln!(stdin, "{message}").unwrap();
        if message.get("id").is_none() {
            return Value::Null;
        }
        loop {
            let mut line = String::new();
            assert!(stdout.read_line(&mut line).unwrap() > 0, "the server closed");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == message["id"] {
                return answer;
            }
        }
    };
    let client = json!({ "name": "test", "version": "0" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let welcome = ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }));
    assert_eq!(welcome["result"]["serverInfo"]["name"], "vtr", "{welcome}");
    ask(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let answer = ask(json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": name, "arguments": arguments },
    }));
    drop(stdin);
    assert!(child.ended().success());
    assert_eq!(read_all(child.stderr.take().unwrap()), "");
    answer["result"].clone()
}

#[test]
fn mcp_and_grpc_share_the_socket() {
    let stage = Stage::new();
    stage.spawn_cat("x");
    let listed = call_tool(&mut stage.command(&["mcp"]), "list_processes", &json!({}));
    assert!(listed.to_string().contains("\\\"x\\\"") || listed.to_string().contains("\"x\""), "{listed}");
    let spawned = json!({ "kind": "command", "argv": ["cat"], "name": "y" });
    call_tool(&mut stage.command(&["mcp"]), "spawn_process", &spawned);
    stage.vtr(&["info", "y"]).ok();
}

#[test]
fn mcp_reaches_a_coordinator_behind_a_command() {
    let mut stage = Stage::empty();
    stage.serve("far", &[]);
    let command = format!("[\"{VTR}\", \"dial-stdio\", \"--socket\", \"{}\"]", stage.socket().display());
    stage.write_config(&format!(
        "[[coordinators]]\nname = \"machine\"\ncommand = {command}\n[[coordinators]]\npath = \"/none.sock\"\n"
    ));
    stage.by_config(&["mcp"]).failed(2, &["several coordinators", "machine", "none"]);
    let mut command = stage.bare();
    let listed = call_tool(command.args(["mcp", "machine"]), "list_processes", &json!({}));
    assert!(listed.to_string().contains("processes"), "{listed}");
}

#[test]
fn a_client_that_speaks_neither_is_turned_away_and_others_are_served() {
    let stage = Stage::new();
    let mut stream = std::os::unix::net::UnixStream::connect(stage.socket()).unwrap();
    stream.write_all(b"HELO there\r\n").unwrap();
    assert_eq!(read_all(stream), "");
    stage.vtr(&["ls"]).ok();
}
