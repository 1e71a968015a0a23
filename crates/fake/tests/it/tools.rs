//! MCP: servers are started and called as each CLI does it.

use engine::{Engine, EngineOptions};
use fake::AgentMake;
use mcp::ServerInfo;
use ops::{Caller, NoHost, SessionContext};

use crate::stage::cast;

const CALLS: &str = r#""settings": { "word_ms": 0 }, "reactions": [
    { "prompt": "chain", "do": [
        { "call": { "tool": "spawn", "args": { "name": "one" }, "as": "first" } },
        { "call": { "tool": "spawn", "args": { "name": "${first.process_id}" }, "as": "second" } },
        { "say": "BOUND ${second.process_id}" } ] },
    { "prompt": "together", "do": [
        { "call_together": [ { "tool": "spawn", "args": { "name": "a" }, "as": "a" }, { "tool": "whoami", "as": "b" } ] },
        { "say": "BOTH ${a.process_id} ${b}" } ] },
    { "prompt": "fail", "do": [
        { "call": { "tool": "fail", "as": "f" } },
        { "if": { "value": "${last_is_error}", "then": [{ "say": "FAILED ${f.kind}" }], "else": [{ "say": "PASSED" }] } } ] },
    { "prompt": "unknown", "do": [{ "call": { "tool": "none" } }, { "say": "ERROR ${last_text}" }] },
    { "prompt": "quit", "do": [{ "call": { "tool": "quit" } }, { "say": "GONE ${last_text}" }] },
    { "prompt": "missing", "do": [{ "say": "${nothing.here}" }] }
]"#;

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_listed_then_called_with_results_of_earlier_calls() {
    for make in AgentMake::ALL {
        let cast = cast(make, CALLS);
        let log = cast.file("log").to_str().unwrap().to_owned();
        let fake = cast.with_server(&["--log", &log]).approved().open().await;
        // As soon as it is up, without a prompt.
        let text = fake.file_with("log", "tools/list").await;
        let methods: Vec<&str> =
            text.lines().filter_map(|line| line.split("\"method\":\"").nth(1)?.split('"').next()).collect();
        assert_eq!(methods, ["initialize", "notifications/initialized", "tools/list"], "{text}");
        fake.prompt("chain").await;
        fake.sees("BOUND p_p_one").await;
        let drawn = match make {
            AgentMake::Claude => r"(?m)^  Called tiny \(ctrl\+o to expand\)$",
            AgentMake::Codex => r"(?m)^• Called tiny\.spawn\n  └ p_p_one\n    \+ Show details$",
            AgentMake::Opencode => r"(?m)^     ⚙ tiny_spawn$",
        };
        fake.sees(drawn).await;
        fake.prompt("together").await;
        fake.sees("BOTH p_a TINY-OK identity").await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_approval_it_asks_before_it_calls() {
    for (make, question) in [
        (AgentMake::Claude, r"(?s)tiny - spawn \(MCP\).*Return a process id.*Do you want to proceed\?\n ❯ 1\. Yes"),
        (AgentMake::Codex, r#"Allow the tiny MCP server to run tool "spawn"\?\n  › 1\. Allow "#),
    ] {
        let cast = cast(make, CALLS);
        let log = cast.file("log").to_str().unwrap().to_owned();
        let fake = cast.with_server(&["--log", &log]).open().await;
        fake.prompt("chain").await;
        fake.sees(question).await;
        if make == AgentMake::Codex {
            fake.until("it reports a question", |_| fake.reported().contains("state=blocked")).await;
            assert!(fake.reported().contains("kind=permission"), "{}", fake.reported());
        }
        assert!(!fake.file_with("log", "tools/list").await.contains("tools/call"));
        // For this session: the second call is not asked about.
        fake.key("2");
        fake.sees("BOUND p_p_one").await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_call_is_never_sent() {
    for make in [AgentMake::Claude, AgentMake::Codex] {
        let cast = cast(make, CALLS);
        let log = cast.file("log").to_str().unwrap().to_owned();
        let fake = cast.with_server(&["--log", &log]).open().await;
        fake.prompt("chain").await;
        fake.sees("(?s)spawn.*1\\. ").await;
        fake.key("esc");
        let grid = fake.sees("(?i)interrupted").await;
        assert!(!grid.contains("BOUND"), "{grid}");
        assert!(!fake.file_with("log", "tools/list").await.contains("tools/call"));
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_and_dead_servers_are_told() {
    for make in AgentMake::ALL {
        let fake = cast(make, CALLS).with_server(&[]).approved().open().await;
        fake.prompt("fail").await;
        fake.sees("FAILED role_forbidden").await;
        fake.prompt("unknown").await;
        fake.sees("ERROR there is no tool none").await;
        fake.prompt("quit").await;
        fake.sees("GONE the server is gone").await;
        fake.prompt("missing").await;
        fake.sees(r"SCRIPT FAULT: the script uses \$\{nothing\.here\}").await;
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_keeps_most_of_the_environment_to_itself() {
    for make in AgentMake::ALL {
        let cast = cast(make, CALLS);
        let log = cast.file("log").to_str().unwrap().to_owned();
        let fake = cast.with_server(&["--log", &log]).open().await;
        let text = fake.file_with("log", "tools/list").await;
        let names: Vec<&str> = text.lines().next().unwrap().split(' ').collect();
        assert!(names.contains(&"PATH"), "{make}: {names:?}");
        assert_eq!(names.contains(&"SECRET_OF_TEST"), make != AgentMake::Codex, "{make}: {names:?}");
        assert_eq!(names.contains(&"CLAUDE_PROJECT_DIR"), make == AgentMake::Claude, "{make}: {names:?}");
        fake.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_can_keep_a_server_from_starting() {
    let script = CALLS.replace("\"word_ms\": 0", "\"word_ms\": 0, \"connect\": false");
    let cast = cast(AgentMake::Claude, &script);
    let log = cast.file("log").to_str().unwrap().to_owned();
    let fake = cast.with_server(&["--log", &log]).approved().open().await;
    fake.prompt("fail").await;
    fake.sees("Error: no such MCP server is connected").await;
    assert!(!fake.folder.path().join("log").exists());
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mute_server_leaves_the_call_under_way_until_escape() {
    let fake = cast(AgentMake::Codex, CALLS).with_server(&["--mute"]).approved().open().await;
    fake.until("it says that it connects", |_| fake.reported().contains("state=working")).await;
    fake.prompt("fail").await;
    fake.sees("esc to interrupt").await;
    fake.key("esc");
    fake.sees("Conversation interrupted").await;
    fake.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn opencode_counts_its_servers_on_the_home_page() {
    let fake = cast(AgentMake::Opencode, CALLS).with_server(&[]).open().await;
    fake.sees("⊙ 1 MCP /status").await;
    fake.close().await;
}

/// Against our own server, in both eras.
#[tokio::test(flavor = "multi_thread")]
async fn our_own_server_understands_it() {
    for era in ["handshake", "stateless"] {
        let engine = Engine::new(EngineOptions::default());
        let script = format!(
            r#""settings": {{ "word_ms": 0, "mcp_era": "{era}" }}, "reactions": [{{ "do": [
                {{ "call": {{ "tool": "spawn_process", "args": {{ "kind": "command", "argv": ["sh", "-c", "echo from-the-child"] }}, "as": "child" }} }},
                {{ "call": {{ "tool": "wait_for_pattern", "args": {{ "process_id": "${{child.process_id}}", "pattern": "from-the-child", "scope": "scrollback" }}, "as": "found" }} }},
                {{ "call": {{ "tool": "close_process", "args": {{ "process_id": "${{child.process_id}}" }} }} }},
                {{ "say": "MATCHED ${{found.matched}}" }} ] }}]"#
        );
        let cast = cast(AgentMake::Claude, &script);
        let socket = cast.file("socket");
        let listener = tokio::net::UnixListener::bind(&socket).unwrap();
        let context = SessionContext::new(engine.clone(), NoHost);
        let server = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let info = ServerInfo { name: "test".into(), version: "1".into(), ..ServerInfo::default() };
            mcp::serve(stream, context, Caller::operator(), info).await
        });
        let fake = cast.with_server(&["--socket", socket.to_str().unwrap()]).approved().open().await;
        fake.prompt("go").await;
        fake.sees("MATCHED true").await;
        fake.close().await;
        server.await.unwrap().unwrap();
        engine.shutdown(std::time::Duration::ZERO).await;
    }
}
