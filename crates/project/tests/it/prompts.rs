//! Agents that wait for a decision: what faces are told, and what other agents may answer.

use engine::Session;
use ops::{Caller, ErrorKind, Role};
use project::{ProjectEvent, Settings};
use serde_json::{Value, json};
use testkit::Script;

use crate::{
    spawning::Doors,
    stage::{Setting, Stage, id, line, soon, until},
};

/// Prints a prompt and then what is typed; with `then`, another prompt after the first key.
fn asking(command: &str) -> Value {
    let screen = format!("Allow {command}?\n> 1. Yes\n  2. Always\n  3. No\n");
    let words: Vec<String> =
        Script::new().print(&screen).cat().argv().into_iter().map(|word| word.into_string().unwrap()).collect();
    json!({
        "argv": words,
        "rules": [{"name": "asks", "when": {"screen": "(?m)^Allow .*\\?$"}, "state": "blocked", "kind": "permission"}],
        "prompts": [{
            "name": "asks", "tool": "shell",
            "screen": "(?m)^Allow (?<command>[^\\n]+)\\?\\n(?<choices>(?:[> ] \\d\\. [^\\n]+\\n)+)\\s*\\z",
            "choice": "(?m)^(?<selected>>)? *(?<number>\\d)\\. (?<label>[^\\n]+)$",
            "allow_once": "^Yes$", "deny": "^No$",
        }],
        "permissions": {"allow": ["shell: ls.*", "shell: rm.*"]},
    })
}

struct Scene {
    stage: Stage,
    lead: Session,
    caller: Caller,
    child: Session,
}

/// A lead and an agent below it that asks for leave to run `command`.
async fn scene(command: &str, settings: Settings) -> Scene {
    let mut stage = Stage::with(Setting { settings, identities: Doors::new(), ..Setting::default() });
    let folder = stage.root().join("config/presets/agents");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("asking.json"), asking(command).to_string()).unwrap();
    stage.project.presets().reload();
    let (lead, caller) = stage.agent(None).await;
    let started = stage.json_as(&caller, "spawn_agent", json!({"agent": "asking", "name": "asking"})).await.unwrap();
    let child = stage.engine().find(started["process_id"].as_str().unwrap()).unwrap();
    line(&child, "3\\. No").await;
    loop {
        if stage.event().await == (ProjectEvent::PromptsChanged { session: child.id() }) {
            break;
        }
    }
    let project = stage.project.clone();
    until("the prompt can be read", || project.crew().waiting().iter().any(|waiting| waiting.prompt.is_some())).await;
    Scene { stage, lead, caller, child }
}

impl Scene {
    async fn answer(&self, args: Value) -> Result<Value, ops::OpError> {
        let mut all = json!({"process_id": id(&self.child)});
        all.as_object_mut().unwrap().extend(args.as_object().unwrap().clone());
        self.stage.json_as(&self.caller, "send_input", all).await
    }

    async fn refused(&self, args: Value) -> ErrorKind {
        let error = self.answer(args.clone()).await.expect_err(&args.to_string());
        assert!(!error.hint.is_empty(), "{error:?}");
        error.kind
    }

    async fn prompt(&self) -> Value {
        let args = json!({"process_id": id(&self.child)});
        self.stage.json_as(&self.caller, "explain_state", args).await.unwrap()["prompt"].clone()
    }
}

#[tokio::test]
async fn what_is_asked_is_told_as_structure() {
    let scene = scene("ls src", Settings::default()).await;
    let waiting = scene.stage.project.crew().waiting();
    assert_eq!(waiting.len(), 1);
    let told = waiting[0].prompt.clone().unwrap();
    assert_eq!((waiting[0].session, told.command.as_deref()), (scene.child.id(), Some("ls src")));
    let prompt = scene.prompt().await;
    assert_eq!((&prompt["kind"], &prompt["tool"]), (&json!("permission"), &json!("shell")), "{prompt}");
    assert_eq!((&prompt["command"], &prompt["complete"]), (&json!("ls src"), &json!(true)), "{prompt}");
    assert_eq!(prompt["digest"], told.digest.as_str());
    let first = json!({"key": "1", "label": "Yes", "selected": true, "effect": "allow_once"});
    assert_eq!(prompt["choices"][0], first, "{prompt}");
    for (operation, at) in [("list_processes", "/processes/1/prompt"), ("get_process_status", "/prompt")] {
        let args = if operation == "list_processes" { json!({}) } else { json!({"process_id": "asking"}) };
        let reply = scene.stage.json_as(&scene.caller, operation, args).await.unwrap();
        assert_eq!(reply.pointer(at), Some(&prompt), "{operation}: {reply}");
    }
    let waited = json!({"process_id": "asking", "states": ["blocked"]});
    let waited = scene.stage.json_as(&scene.caller, "wait_for_state", waited).await.unwrap();
    assert_eq!(waited["prompt"], prompt, "{waited}");
    scene.stage.close().await;
}

#[tokio::test]
async fn only_a_prompt_that_was_read_is_answered_and_by_one_key() {
    let scene = scene("ls src", Settings::default()).await;
    let enter = json!({"kind": "key", "key": "enter"});
    assert_eq!(scene.refused(enter.clone()).await, ErrorKind::RevisionMismatch, "nobody has read it");
    let stale = json!({"kind": "key", "key": "enter", "prompt_digest": "pr_0000000000000000"});
    assert_eq!(scene.refused(stale).await, ErrorKind::RevisionMismatch);
    for text in ["go on", "11", "yes"] {
        assert_eq!(scene.refused(json!({"text": text})).await, ErrorKind::NotReady, "{text}");
    }
    let digest = scene.prompt().await["digest"].clone();
    assert_eq!(scene.refused(json!({"kind": "key", "key": "2", "prompt_digest": digest})).await, ErrorKind::NeedsTrust);
    scene.answer(json!({"text": "1", "prompt_digest": digest})).await.unwrap();
    // It echoes the key: now it is not the same prompt any more, and not readable.
    line(&scene.child, "^1").await;
    assert_eq!(scene.refused(enter).await, ErrorKind::NeedsTrust);
    scene.stage.close().await;
}

#[tokio::test]
async fn what_was_read_is_remembered() {
    let scene = scene("ls src", Settings::default()).await;
    let grid = json!({"process_id": "asking", "mode": "grid"});
    scene.stage.json_as(&scene.caller, "get_process_output", grid).await.unwrap();
    scene.answer(json!({"kind": "key", "key": "enter"})).await.unwrap();
    scene.stage.close().await;
}

#[tokio::test]
async fn a_preset_can_not_list_what_is_never_allowed_and_the_human_is_free() {
    let scene = scene("rm -rf build", Settings::default()).await;
    let digest = scene.prompt().await["digest"].clone();
    let yes = json!({"kind": "key", "key": "enter", "prompt_digest": digest});
    let refused = scene.answer(yes).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::NeedsTrust, "{refused:?}");
    assert!(refused.hint.contains("request_human_attention"), "{refused:?}");
    let own = Caller { role: Role::SubAgent, session: Some(scene.child.id()) };
    let args = json!({"process_id": "asking", "kind": "key", "key": "enter", "prompt_digest": digest});
    assert_eq!(scene.stage.refusal(&own, "send_input", args).await, ErrorKind::NeedsTrust, "nor may it allow itself");
    scene.answer(json!({"kind": "key", "key": "esc"})).await.expect("refusing is always allowed");
    scene.stage.json("send_input", json!({"process_id": "asking", "text": "the human types"})).await.unwrap();
    line(&scene.child, "the human types").await;
    assert!(soon("it still lives", async { !scene.lead.status().has_ended() }).await);
    scene.stage.close().await;
}

#[tokio::test]
async fn the_settings_widen_it() {
    let settings = Settings::read(r#"{"permissions": {"allow": ["shell: rm -rf build"]}}"#).unwrap().settings;
    let scene = scene("rm -rf build", settings).await;
    scene.prompt().await;
    scene.answer(json!({"kind": "key", "key": "enter"})).await.unwrap();
    scene.stage.close().await;
}

#[test]
fn a_wrong_expression_in_the_settings_is_named_with_its_line() {
    let error = Settings::read("{\n \"permissions\": { \"allow\": [\"(\"] } }").unwrap_err();
    assert!(error.to_string().starts_with("line 2"), "{error}");
}
