//! `--mcp-http`: the same server for clients that speak HTTP, with the token of the connect file.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::{Value, json};

use crate::stage::Stage;

fn post(address: &str, headers: &str, message: &Value) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    let body = message.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n{headers}\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let status = text.split(' ').nth(1).unwrap().parse().unwrap();
    (status, text.split_once("\r\n\r\n").unwrap().1.to_owned())
}

#[test]
fn it_listens_on_loopback_and_knows_only_tokens() {
    let stage = Stage::new();
    let patterm = stage.headless(&["--mcp-http", "0"]);
    let url = patterm.hello["http"].as_str().unwrap();
    let address = url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
                        "params": { "protocolVersion": "2025-11-25", "capabilities": {} } });
    assert_eq!(post(address, "", &hello).0, 401);
    let (status, body) = post(address, &format!("Authorization: Bearer {}\r\n", patterm.token()), &hello);
    assert_eq!(status, 200);
    let answer: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(answer["result"]["serverInfo"]["name"], "patterm");
    let port = address.rsplit_once(':').unwrap().1;
    stage.patterm(&["--headless", "--mcp-http", port]).failed(5, &["--mcp-http"]);
}

#[test]
fn without_the_flag_nothing_listens() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    assert!(patterm.hello.get("http").is_none());
    let listening = std::fs::read_to_string(format!("/proc/{}/net/tcp", patterm.pid())).unwrap();
    let inodes: Vec<&str> = listening.lines().skip(1).filter_map(|line| line.split_whitespace().nth(9)).collect();
    let ours = std::fs::read_dir(format!("/proc/{}/fd", patterm.pid())).unwrap().flatten();
    for link in ours.filter_map(|entry| std::fs::read_link(entry.path()).ok()) {
        let link = link.to_string_lossy().into_owned();
        assert!(!inodes.iter().any(|inode| link == format!("socket:[{inode}]")), "{link}");
    }
}
