//! Typing into sessions.

use std::sync::{Arc, Mutex};

use ops::{Caller, ErrorKind, Host, InputGuard, OpError, Role};
use serde_json::{Value, json};
use testkit::Script;

use crate::stage::{Stage, ended, id, line, until};

fn hex(bytes: &str) -> String {
    bytes.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// A child in raw mode that prints every byte it reads as hex.
async fn hex_child(stage: &Stage, setup: &str) -> engine::Session {
    let session = stage.spawn(Script::new().raw().print(setup).print("ready\r\n").hex()).await;
    line(&session, "ready").await;
    session
}

/// All that the child has read so far, as hex without white space.
fn read_so_far(session: &engine::Session) -> String {
    let mut text = String::new();
    session.with_screen(|screen| screen.lines_text(screen.lines(), &mut text));
    text.replace("ready", "").split_whitespace().collect()
}

async fn reads(session: &engine::Session, bytes: &str) {
    let wanted = hex(bytes).replace(' ', "");
    until(&format!("the child has read {bytes:?}"), || read_so_far(session).contains(&wanted)).await;
}

#[tokio::test]
async fn each_kind_sends_its_bytes() {
    let stage = Stage::new();
    let session = hex_child(&stage, "").await;
    let send = |mut args: Value| {
        args["process_id"] = json!(id(&session));
        stage.json("send_input", args)
    };
    assert_eq!(send(json!({"text": "ls"})).await.unwrap(), json!({"ok": true}));
    reads(&session, "ls\r").await;
    send(json!({"text": "no", "submit": false})).await.unwrap();
    send(json!({"kind": "key", "key": "ctrl-c"})).await.unwrap();
    reads(&session, "no\x03").await;
    send(json!({"kind": "key", "key": "up"})).await.unwrap();
    reads(&session, "\x1b[A").await;
    send(json!({"kind": "bytes", "data_hex": "00 7f1B"})).await.unwrap();
    reads(&session, "\x00\x7f\x1b").await;
    // A paste can't act as keys, bracketed or not.
    send(json!({"kind": "paste", "text": "a\x1b[201~\x03b"})).await.unwrap();
    reads(&session, "a[201~b").await;
    stage.close().await;
}

#[tokio::test]
async fn several_lines_go_as_one_paste_and_enter_comes_alone() {
    let stage = Stage::new();
    let session = hex_child(&stage, "\x1b[?2004h").await;
    stage.json("send_input", json!({"process_id": id(&session), "text": "one\ntwo\n"})).await.unwrap();
    reads(&session, "\x1b[200~one\rtwo\x1b[201~\r").await;
    assert_eq!(read_so_far(&session), hex("\x1b[200~one\rtwo\x1b[201~\r").replace(' ', ""));
    stage.close().await;
}

#[tokio::test]
async fn a_tail_starts_where_the_input_was_written() {
    let stage = Stage::new();
    let session =
        stage.shell("echo old; while read line; do echo \"got $line\"; test \"$line\" = end && exit 4; done").await;
    line(&session, "old").await;
    let before = session.output_offset();
    // The session's end ends the wait: it is far shorter than asked for.
    let args = json!({"process_id": id(&session), "text": "end", "wait_ms": 60_000});
    let reply = stage.json("send_input", args).await.unwrap();
    let tail = &reply["tail"];
    assert_eq!(tail["content"], "end\ngot end\n");
    assert_eq!((&tail["mode"], &tail["status"]), (&json!("stream"), &json!("exited")));
    assert_eq!(tail["new_offset"], session.output_offset());
    assert!(before > 0);
    stage.close().await;
}

#[tokio::test]
async fn an_input_can_wait_for_its_answer() {
    let stage = Stage::new();
    let session = stage
        .shell("stty -echo; echo got old; while read line; do echo \"got $line\"; test \"$line\" = end && exit; done")
        .await;
    line(&session, "got old").await;
    let send = |text: &str, more: Value| {
        let mut args = json!({"process_id": id(&session), "text": text, "wait_for": "got \\w+"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        stage.json("send_input", args)
    };
    let reply = send("one", json!({"timeout_seconds": 60, "tail_mode": "stream"})).await.unwrap();
    assert_eq!((&reply["wait"]["matched"], &reply["wait"]["snippet"]), (&json!(true), &json!("got one")), "{reply}");
    assert!(reply["tail"]["content"].as_str().unwrap().starts_with("got one"), "{reply}");
    let reply = send("two", json!({"wait_for": "never", "timeout_seconds": 0.01})).await.unwrap();
    assert_eq!((&reply["wait"]["matched"], &reply["wait"]["reason"]), (&json!(false), &json!("timeout")));
    let reply = send("end", json!({"wait_for": "never", "timeout_seconds": 60})).await.unwrap();
    assert_eq!(reply["wait"]["reason"], "exited");
    stage.close().await;
}

#[tokio::test]
async fn a_tail_comes_only_if_asked_for() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().print("screen\n").cat()).await;
    line(&session, "screen").await;
    let send = |more: Value| {
        let mut args = json!({"process_id": id(&session), "text": "x"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        stage.json("send_input", args)
    };
    assert!(send(json!({})).await.unwrap().get("tail").is_none());
    assert!(send(json!({"wait_ms": 1, "tail_mode": "none"})).await.unwrap().get("tail").is_none());
    let grid = send(json!({"wait_ms": 1, "tail_mode": "grid"})).await.unwrap();
    assert!(grid["tail"]["content"].as_str().unwrap().starts_with("screen"), "{grid}");
    let stream = send(json!({"tail_mode": "stream"})).await.unwrap();
    assert_eq!(stream["tail"]["mode"], "stream");
    stage.close().await;
}

#[tokio::test]
async fn wrong_input_is_refused() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().hang()).await;
    use ErrorKind::*;
    for (args, kind) in [
        (json!({}), InvalidArgs),
        (json!({"kind": "key", "key": "hyperspace"}), InvalidArgs),
        // Nothing would arrive.
        (json!({"kind": "key", "key": "super+x"}), InvalidArgs),
        (json!({"kind": "bytes", "data_hex": "0"}), InvalidArgs),
        (json!({"kind": "smoke"}), InvalidArgs),
        (json!({"text": "x", "wait_ms": 600_001}), InvalidArgs),
        (json!({"text": "x", "wait_ms": 5, "wait_for": "y"}), InvalidArgs),
        (json!({"text": "x", "wait_for": "a(?=b)"}), InvalidArgs),
        (json!({"text": "x", "wait_for": "y", "timeout_seconds": 601}), InvalidArgs),
        (json!({"text": "x".repeat((1 << 20) + 1)}), LimitExceeded),
    ] {
        let mut args = args;
        args["process_id"] = json!(id(&session));
        assert_eq!(stage.refusal("send_input", args).await, kind);
    }
    stage.json("stop_process", json!({"process_id": id(&session)})).await.unwrap();
    assert_eq!(stage.refusal("send_input", json!({"process_id": id(&session), "text": "x"})).await, NotRunning);
    stage.close().await;
}

#[tokio::test]
async fn a_child_that_does_not_read_holds_up_nobody_and_has_a_limit() {
    let stage = Stage::new();
    let session = stage.spawn(Script::new().raw().print("ready\n").hang()).await;
    line(&session, "ready").await;
    let args = json!({"process_id": id(&session), "text": "x".repeat(1 << 20), "submit": false});
    let mut refused = None;
    for _ in 0..5 {
        if let Err(error) = stage.json("send_input", args.clone()).await {
            refused = Some(error.kind);
            break;
        }
    }
    assert_eq!(refused, Some(ErrorKind::LimitExceeded));
    stage.close().await;
}

#[tokio::test]
async fn a_person_takes_a_session_over_and_an_agent_does_not_take_it_back() {
    let stage = Stage::new();
    let (agent, caller) = stage.agent(None).await;
    let owner = || async {
        let status = stage.json("get_process_status", json!({"process_id": "job"})).await.unwrap();
        status["owner"].as_str().unwrap().to_owned()
    };
    let argv: Vec<_> = Script::new().cat().argv().into_iter().map(|word| word.into_string().unwrap()).collect();
    stage.json_as(caller.clone(), "spawn_process", json!({"argv": argv, "name": "job"})).await.unwrap();
    let type_x = json!({"process_id": "job", "text": "x"});
    assert_eq!(owner().await, "orchestrator");
    stage.json("send_input", type_x.clone()).await.unwrap();
    assert_eq!(owner().await, "user");
    stage.json_as(caller, "send_input", type_x).await.unwrap();
    assert_eq!(owner().await, "user");
    drop(agent);
    stage.close().await;
}

/// Refuses answers to another prompt than the one on the screen.
#[derive(Clone, Default)]
struct Guarding {
    digests: Arc<Mutex<Vec<String>>>,
}

impl Host for Guarding {
    fn guard_input(&self, guard: &InputGuard<'_>) -> Result<(), OpError> {
        assert_eq!(guard.caller.role, Role::Operator);
        self.digests.lock().unwrap().extend(guard.digest.map(str::to_owned));
        match guard.digest {
            Some("stale") => {
                Err(OpError::new(ErrorKind::RevisionMismatch, "another prompt is up").with_hint("read it"))
            }
            _ => Ok(()),
        }
    }
}

#[tokio::test]
async fn the_program_guards_input_before_it_is_sent() {
    let host = Guarding::default();
    let stage = Stage::with(host.clone());
    let session = stage.shell("read line; echo \"got $line\"").await;
    let send = |text: &str, digest: &str| json!({"process_id": id(&session), "text": text, "submit": true, "prompt_digest": digest});
    assert_eq!(stage.refusal("send_input", send("wrong", "stale")).await, ErrorKind::RevisionMismatch);
    stage.json_as(Caller::operator(), "send_input", send("right", "fresh")).await.unwrap();
    ended(&session).await;
    assert_eq!(line(&session, "got").await, "got right");
    assert_eq!(*host.digests.lock().unwrap(), ["stale", "fresh"]);
    stage.close().await;
}
