//! Which callers are known, which are not, and what a stolen token is worth.

use rustix::process::Signal;
use serde_json::{Value, json};
use vt::Size;

use crate::{
    client::Client,
    screen_stage::{Face, face_argv},
    stage::{PATTERM, Stage, token_in},
};

fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": { "protocolVersion": "2025-11-25", "capabilities": {} } })
}

/// The answer to a client that sends this on the socket and then performs the handshake.
fn heard(stage: &crate::stage::Headless, said: &str) -> Value {
    let mut client = Client::on_socket(&stage.socket());
    client.write(said);
    client.send(&initialize());
    let answer = client.next();
    assert!(client.try_next().is_none(), "and then it is over");
    answer
}

#[test]
fn the_operator_is_known_by_its_file() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let who = patterm.operator().call("whoami", json!({}));
    assert_eq!(who["role"], "operator", "{who}");
    let (socket, token) = (patterm.socket(), patterm.token());
    let mut client = Client::raw_proxy(&["--socket", socket.to_str().unwrap(), "--identity", &token]);
    client.initialize();
    assert_eq!(client.call("whoami", json!({}))["role"], "operator");
}

#[test]
fn forged_missing_and_foreign_tokens_are_refused_in_words() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let other = Stage::new();
    let elsewhere = other.headless(&[]);
    let token = patterm.token();
    let mut near = token.clone().into_bytes();
    near[63] = if near[63] == b'0' { b'1' } else { b'0' };
    let near = String::from_utf8(near).unwrap();
    for token in ["", "operator", &near, &token[..63], &format!("{token}0"), &elsewhere.token()] {
        let answer = heard(&patterm, &mcp::greeting(token));
        assert_eq!(answer["id"], 1);
        assert_eq!(answer["error"]["data"]["kind"], "role_forbidden", "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("not known"), "{answer}");
        assert!(!answer.to_string().contains(&patterm.token()));
    }
    // No greeting at all, like an agent that pokes at the socket.
    let answer = heard(&patterm, "");
    assert_eq!(answer["id"], 1);
    assert!(answer["error"]["data"]["hint"].as_str().unwrap().contains("mcp-stdio"), "{answer}");
    // Refused clients have done no harm.
    patterm.operator().call("whoami", json!({}));
}

#[test]
fn a_token_ends_with_its_run() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let token = token_in(&patterm.connect_file());
    patterm.end(Signal::TERM);
    let next = stage.headless(&[]);
    assert_ne!(next.token(), token);
    let answer = heard(&next, &mcp::greeting(&token));
    assert!(answer["error"]["message"].as_str().unwrap().contains("another run"), "{answer}");
}

#[test]
fn tokens_are_on_no_command_line_and_in_no_environment() {
    let stage = Stage::new();
    let patterm = stage.headless(&[]);
    let token = patterm.token();
    let mut client = patterm.operator();
    let id = client.spawn(&["env"]);
    client.see(&id, "PATTERM_PROCESS_ID");
    let printed = client.call("get_process_output", json!({ "process_id": id, "mode": "stream" }));
    assert!(!printed.to_string().contains(&token));
    let proxy = client.process.as_ref().unwrap().id();
    let argv = std::fs::read_to_string(format!("/proc/{proxy}/cmdline")).unwrap();
    assert!(argv.contains("--connect") && !argv.contains(&token), "{argv}");
}

#[test]
fn a_run_on_a_screen_leaves_no_token_that_speaks_for_the_human() {
    let stage = Stage::new();
    let (argv, environment) = face_argv(&stage, &[], &[]);
    let argv = argv.into_iter().filter(|word| word != "--operator-file").collect();
    let face = Face::run(argv, environment, stage.path("project"), Size { cols: 90, rows: 24 });
    face.shows("it runs", "to spawn an agent");
    let folder = stage.path(&format!("run/patterm/{}", face.pid()));
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().flatten().map(|file| file.file_name()).collect();
    assert!(files.is_empty(), "{files:?}");
    stage.patterm(&["explain", "nobody"]).failed(4, &["--operator-file"]);
}

/// A sub-agent searches for a token that lets it type into the human's own session.
#[test]
fn a_sub_agent_finds_no_token_that_reaches_the_humans_session() {
    let stage = Stage::new();
    stage.install_fakes();
    let (argv, environment) = face_argv(&stage, &[], &[]);
    let argv = argv.into_iter().filter(|word| word != "--operator-file").collect();
    let face = Face::run(argv, environment, stage.path("project"), Size { cols: 90, rows: 24 });
    face.shows("it runs", "to spawn an agent");
    face.command("new terminal", "New terminal");
    face.shows("the human's session", r"(?m)^\$");
    face.command("agent: claude", "Spawn agent: claude");
    face.shows("the second step", "first prompt");
    face.press("enter");
    face.shows("the lead", "claude-1");
    let folder = stage.path(&format!("run/patterm/{}", face.pid()));
    let mut lead = Client::behind_proxy(&folder.join("agent-1.json"));
    lead.spawn_agent("codex", "sub", "");
    let mut sub = Client::behind_proxy(&folder.join("agent-2.json"));
    assert_eq!(sub.call("whoami", json!({}))["role"], "sub-agent");
    let typed = json!({ "process_id": "terminal-1", "text": "typed by a sub-agent", "submit": true });
    assert_eq!(sub.failure("send_input", typed.clone())["kind"], "not_related");
    // What a program that it starts can do with the files in the folder.
    let steal = format!(
        "ls -R \"$XDG_RUNTIME_DIR\"; '{PATTERM}' mcp-stdio --connect \"$XDG_RUNTIME_DIR\"/patterm/*/operator-1.json; echo tried=$?"
    );
    let thief = sub.spawn(&["sh", "-c", &steal]);
    sub.see(&thief, "tried=2");
    for file in std::fs::read_dir(&folder).unwrap().flatten().map(|file| file.path()) {
        if file.extension().is_some_and(|end| end == "json") {
            let mut thief = Client::behind_proxy(&file);
            let role = thief.call("whoami", json!({}))["role"].clone();
            assert!(role == "orchestrator" || role == "sub-agent", "{role} by {}", file.display());
            assert_eq!(thief.failure("send_input", typed.clone())["kind"], "not_related", "{}", file.display());
        }
    }
    let seen = lead.call("get_process_output", json!({ "process_id": "terminal-1", "mode": "stream" }));
    assert!(!seen.to_string().contains("typed by"), "{seen}");
}
