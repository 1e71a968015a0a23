//! The stories that come with the fakes can be played to their end. That they fit patterm's tools is tested where
//! those are; here a server gives the same answer to every call.

use fake::AgentMake;

use crate::stage::cast;

const ANSWER: &str = r#"{"process_id":"p_1","turn_id":"t_1","ok":false,"revision":"r1","content":"c","screen_version":7,
    "already_satisfied":true,"kind":"role_forbidden"}"#;

fn calls(log: &str) -> Vec<&str> {
    let calls = log.lines().filter(|line| line.contains("\"tools/call\""));
    calls.filter_map(|line| line.split("\"name\":\"").last()?.split('"').next()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lead_plays_to_the_end() {
    let cast = cast(AgentMake::Claude, "");
    let log = cast.file("log").to_str().unwrap().to_owned();
    let fake = cast.in_story("orchestrator").with_server(&["--log", &log, "--any", ANSWER]).approved().open().await;
    fake.prompt("please orchestrate").await;
    fake.sees("WAITING for p_1 and p_1").await;
    fake.prompt("IDLE-ALL both are done").await;
    fake.sees("CONFLICT-MERGED false").await;
    fake.sees("STORY-DONE").await;
    let log = fake.file_with("log", "list_processes").await;
    let made = calls(&log);
    for tool in ["spawn_agent", "timer_fire_when_idle_all", "timer_set", "scratchpad_write", "close_process"] {
        assert!(log.contains(&format!("\"name\":\"{tool}\"")), "{tool} was not called: {made:?}");
    }
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_others_play_to_the_end() {
    for (make, story, prompt, end) in [
        (AgentMake::Claude, "orchestrator-trouble", "orchestrate", "STORY-DONE"),
        (AgentMake::Codex, "reviewer", "[orchestrator] review the change", "REVIEW-DONE"),
        (AgentMake::Codex, "troubled", "trouble: hang", "HANGING"),
    ] {
        let fake = cast(make, "").in_story(story).with_server(&["--any", ANSWER]).approved().open().await;
        fake.prompt(prompt).await;
        fake.sees(end).await;
        fake.close().await;
    }
    let fake = cast(AgentMake::Opencode, "").in_story("builder").open().await;
    fake.prompt("build the change").await;
    fake.sees("Permission required(?s:.*)git status").await;
    fake.key("enter");
    fake.sees("BUILD-DONE").await;
    fake.close().await;
}
