//! `patterm mcp-stdio`: small, simple, and gone when either end closes.

use std::{fs, io::Read};

use rustix::process::Signal;
use serde_json::json;

use crate::{
    client::Client,
    stage::{PATTERM, Stage, run},
};

#[test]
fn it_ends_with_its_standard_input_even_while_a_call_waits() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let mut client = patterm.operator();
    let id = client.spawn(&["cat"]);
    client.ask(
        "tools/call",
        json!({ "name": "wait_for_pattern", "arguments": {
        "process_id": id, "pattern": "never", "timeout_seconds": 600 } }),
    );
    let mut proxy = client.process.take().unwrap();
    client.close_input();
    let status = proxy.ended();
    assert!(status.success(), "{status}");
}

#[test]
fn it_ends_with_its_server_and_says_so_when_there_is_none() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let (connect, socket, token) = (patterm.connect_file(), patterm.socket(), patterm.token());
    let mut client = patterm.operator();
    patterm.end(Signal::TERM);
    assert!(client.try_next().is_none());
    let mut proxy = client.process.take().unwrap();
    assert!(proxy.ended().success());
    let (connect, socket) = (connect.to_str().unwrap(), socket.to_str().unwrap());
    stage.patterm(&["mcp-stdio", "--connect", connect]).failed(2, &["connect file", "ended"]);
    stage.patterm(&["mcp-stdio", "--socket", socket, "--identity", &token]).failed(4, &["can't be reached"]);
    stage.patterm(&["mcp-stdio", "--wrong"]).failed(2, &["usage: patterm mcp-stdio"]);
    assert!(stage.patterm(&["mcp-stdio", "--help"]).ok().contains("--connect"));
}

#[test]
fn it_needs_no_home_and_no_environment() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    // `raw_proxy` clears the environment.
    let mut client = Client::raw_proxy(&["--connect", patterm.connect_file().to_str().unwrap()]);
    client.initialize();
    client.call("whoami", json!({}));
}

/// Kilobytes that belong to this process alone: the cost of another copy of it.
fn private_memory(pid: u32) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
    let field = |name: &str| {
        let line = rollup.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap()
    };
    field("Private_Clean:") + field("Private_Dirty:")
}

#[test]
fn it_is_one_thread_and_less_than_five_megabytes() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let mut client = patterm.operator();
    let id = client.spawn(&["sh", "-c", "seq 100000; echo done"]);
    client.see(&id, "done");
    for _ in 0..20 {
        client.call("get_process_raw_output", json!({ "process_id": id }));
    }
    let pid = client.process.as_ref().unwrap().id();
    assert_eq!(fs::read_dir(format!("/proc/{pid}/task")).unwrap().count(), 1, "no runtime");
    let kilobytes = private_memory(pid);
    assert!(kilobytes <= 5 * 1024, "{kilobytes} kB");
}

#[test]
fn a_client_that_stops_reading_harms_nobody_else() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let mut deaf = Client::behind_proxy(&patterm.connect_file());
    let mut other = patterm.operator();
    let id = other.spawn(&["sh", "-c", "seq 100000; echo done"]);
    other.see(&id, "done");
    // More than pipes, proxy and socket can buffer; `deaf` reads its lines in a thread, so the proxy is stopped
    // instead.
    let proxy = i32::try_from(deaf.process.as_ref().unwrap().id()).unwrap();
    let stop = |signal| rustix::process::kill_process(rustix::process::Pid::from_raw(proxy).unwrap(), signal).unwrap();
    stop(Signal::STOP);
    for _ in 0..16 {
        deaf.ask("tools/call", json!({ "name": "get_process_raw_output", "arguments": { "process_id": id } }));
    }
    for _ in 0..50 {
        other.call("whoami", json!({}));
    }
    stop(Signal::CONT);
    for _ in 0..16 {
        deaf.next();
    }
}

#[test]
fn a_socket_that_vanishes_is_no_hang() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let mut client = Client::raw_proxy(&["--socket", socket.to_str().unwrap(), "--identity", "t"]);
    let (mut stream, _) = listener.accept().unwrap();
    let mut greeting = vec![0; mcp::greeting("t").len()];
    stream.read_exact(&mut greeting).unwrap();
    assert_eq!(greeting, mcp::greeting("t").into_bytes());
    drop(stream);
    let proxy = client.process.as_mut().unwrap();
    proxy.ended();
    let _ = (PATTERM, run);
}
