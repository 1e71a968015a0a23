//! Commands the CLI was told to run: claude's hooks and codex's notify.

use fake::AgentMake;

use crate::stage::{Cast, cast};

const WORK: &str = r#""settings": { "word_ms": 0 }, "reactions": [
    { "prompt": "tool", "do": [{ "call": { "tool": "whoami" } }, { "say": "TOOL-SAID" }] },
    { "prompt": "ask", "do": [{ "ask_permission": { "command": "rm x" } }] },
    { "do": [{ "say": "SAID" }] }
]"#;

fn claude_with_hooks(events: &[&str]) -> Cast {
    let cast = cast(AgentMake::Claude, WORK);
    let log = cast.file("hooks").to_str().unwrap().to_owned();
    let hook = format!(r#"[{{"hooks":[{{"type":"command","command":"cat >> {log}; echo >> {log}"}}]}}]"#);
    let hooks: Vec<String> = events.iter().map(|event| format!("\"{event}\":{hook}")).collect();
    let settings = format!(r#"{{"hooks":{{{}}}}}"#, hooks.join(","));
    let path = cast.file("settings.json");
    std::fs::write(&path, settings).unwrap();
    let path = path.to_str().unwrap().to_owned();
    cast.with(&["--settings", &path])
}

fn events(log: &str) -> Vec<&str> {
    log.lines().filter_map(|line| line.split("\"hook_event_name\":\"").nth(1)?.split('"').next()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_runs_its_hooks_in_order() {
    let all =
        ["SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "SessionEnd"];
    let fake = claude_with_hooks(&all).with_server(&[]).open().await;
    fake.prompt("tool").await;
    fake.sees("Do you want to proceed").await;
    fake.file_with("hooks", "PermissionRequest").await;
    fake.key("enter");
    fake.sees("TOOL-SAID").await;
    let log = fake.file_with("hooks", "\"Stop\"").await;
    assert!(log.contains(r#""prompt":"tool""#) && log.contains(r#""tool_name":"mcp__tiny__whoami""#), "{log}");
    assert!(log.contains(r#""last_assistant_message":"TOOL-SAID""#), "{log}");
    fake.prompt("/exit").await;
    fake.exit().await;
    let log = fake.file_with("hooks", "SessionEnd").await;
    assert_eq!(events(&log), all, "{log}");
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_turn_has_no_stop() {
    let fake = claude_with_hooks(&["UserPromptSubmit", "PermissionRequest", "Stop"]).open().await;
    fake.prompt("ask").await;
    fake.file_with("hooks", "PermissionRequest").await;
    fake.sees("Do you want to proceed").await;
    fake.key("esc");
    fake.sees("Interrupted").await;
    fake.prompt("again").await;
    let log = fake.file_with("hooks", "\"Stop\"").await;
    assert_eq!(events(&log), ["UserPromptSubmit", "PermissionRequest", "UserPromptSubmit", "Stop"], "{log}");
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_reminds_of_a_question() {
    let fake = claude_with_hooks(&["Notification"]).open().await;
    fake.prompt("ask").await;
    let log = fake.file_with("hooks", "Notification").await;
    assert!(log.contains(r#""notification_type":"permission_prompt""#), "{log}");
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_notifies_of_a_finished_turn() {
    let cast = cast(AgentMake::Codex, WORK);
    let log = cast.file("notified").to_str().unwrap().to_owned();
    let notify = format!(r#"notify=["sh", "-c", 'printf "%s\n" "$1" >> {log}', "sh"]"#);
    let always = "tui.notification_condition=\"always\"";
    let fake = cast.with(&["-c", &notify, "-c", always]).open().await;
    fake.prompt("hello").await;
    let log = fake.file_with("notified", "agent-turn-complete").await;
    assert!(
        log.contains(r#""last-assistant-message":"SAID""#) && log.contains(r#""input-messages":["hello"]"#),
        "{log}"
    );
    fake.until("the terminal is told", |session| session.facts().notifications == 1).await;
    fake.close().await;
}
