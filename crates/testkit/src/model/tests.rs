//! Tests of the model through its socket.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::wait_until;

fn ask(model: &ScriptedModel, path: &str, body: &Value) -> String {
    let url = model.base_url("test");
    let (address, prefix) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let body = body.to_string();
    let head = format!("POST /{prefix}{path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all((head + &body).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn script() -> ModelScript {
    let second = |said: &Conversation| ModelAnswer::say(format!("got {}", said.last_result().unwrap().json()["id"]));
    ModelScript::new()
        .when("spawn")
        .call("patterm:spawn_agent", json!({ "agent": "codex" }))
        .then(second)
        .when("hello")
        .say("world of words")
}

/// A prompt, a call, and its result, in each dialect: `(path, with the prompt, with the result)`.
fn dialects() -> Vec<(&'static str, Value, Value)> {
    let messages = |rest: Vec<Value>| {
        let user = json!({ "role": "user", "content": [{ "type": "text", "text": "<system-reminder>x" }, { "type": "text", "text": "please spawn" }] });
        let all: Vec<Value> =
            [user].into_iter().chain(rest).chain([json!({ "role": "system", "content": "be brief" })]).collect();
        json!({ "stream": true, "model": "m", "messages": all, "tools": [{ "name": "mcp__patterm__spawn_agent" }] })
    };
    let responses = |rest: Vec<Value>| {
        let user = |text: &str| json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": text }] });
        let all: Vec<Value> = [user("<environment_context>"), user("please spawn")].into_iter().chain(rest).collect();
        json!({ "stream": true, "input": all, "tools": [{ "type": "function", "name": "spawn_agent" }, { "type": "namespace", "name": "mcp__patterm", "tools": [{ "name": "spawn_agent" }] }] })
    };
    let chat = |rest: Vec<Value>| {
        let all: Vec<Value> = [json!({ "role": "user", "content": "please spawn" })].into_iter().chain(rest).collect();
        json!({ "stream": true, "messages": all, "tools": [{ "type": "function", "function": { "name": "patterm_spawn_agent" } }] })
    };
    let gemini = |rest: Vec<Value>| {
        let all: Vec<Value> =
            [json!({ "role": "user", "parts": [{ "text": "please spawn" }] })].into_iter().chain(rest).collect();
        json!({ "contents": all, "tools": [{ "functionDeclarations": [{ "name": "mcp_patterm_spawn_agent" }] }] })
    };
    let result = json!({ "id": 7 }).to_string();
    let codex_result =
        format!("Wall time: 1 s\nOutput:\n{}", json!({ "content": [], "structuredContent": { "id": 7 } }));
    vec![
        (
            "/v1/messages?beta=true",
            messages(vec![]),
            messages(vec![
                json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "mcp__patterm__spawn_agent" }] }),
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": [{ "type": "text", "text": result }] }] }),
            ]),
        ),
        (
            "/v1/responses",
            responses(vec![]),
            responses(vec![
                json!({ "type": "function_call", "call_id": "a", "name": "spawn_agent" }),
                json!({ "type": "function_call_output", "call_id": "a", "output": codex_result }),
            ]),
        ),
        (
            "/v1/chat/completions",
            chat(vec![]),
            chat(vec![
                json!({ "role": "assistant", "tool_calls": [{ "id": "a", "function": { "name": "patterm_spawn_agent" } }] }),
                json!({ "role": "tool", "tool_call_id": "a", "content": result }),
            ]),
        ),
        (
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            gemini(vec![]),
            gemini(vec![
                json!({ "role": "model", "parts": [{ "functionCall": { "name": "mcp_patterm_spawn_agent" } }] }),
                json!({ "role": "user", "parts": [{ "functionResponse": { "name": "mcp_patterm_spawn_agent", "response": { "output": result } } }] }),
            ]),
        ),
    ]
}

#[test]
fn every_dialect_gets_the_call_and_then_the_words() {
    let model = ScriptedModel::start(script()).unwrap();
    for (path, prompt, result) in dialects() {
        let called = ask(&model, path, &prompt);
        assert!(called.contains("text/event-stream") && called.contains("spawn_agent"), "{path}: {called}");
        assert!(called.contains("codex"), "{path}: {called}");
        assert!(path != "/v1/responses" || called.contains("\"namespace\":\"mcp__patterm\""), "not its own: {called}");
        let said = ask(&model, path, &result);
        assert!(said.contains("got 7"), "{path}: {said}");
    }
    let received = model.received();
    assert_eq!(received.len(), 8);
    assert_eq!(model.prompts("test"), ["please spawn"; 4], "results are no prompts");
    assert!(model.prompts("other").is_empty());
    for pair in received.chunks(2) {
        assert!(pair[1].conversation.results[0].tool.ends_with("spawn_agent"), "{pair:?}");
        assert_eq!(pair[1].conversation.prompts, ["please spawn"]);
    }
}

#[test]
fn questions_beside_the_conversation_are_answered_and_no_prompts() {
    let model = ScriptedModel::start(script()).unwrap();
    let schema =
        json!({ "type": "object", "properties": { "title": { "type": "string" }, "sure": { "type": "boolean" } } });
    let body = json!({ "messages": [{ "role": "user", "content": "hello" }], "tools": [{ "name": "x" }],
                       "output_config": { "format": { "type": "json_schema", "schema": schema } } });
    let answer = ask(&model, "/v1/messages", &body);
    assert!(answer.contains(r#"{\"sure\":false,\"title\":\"a title\"}"#), "{answer}");
    let without_tools = json!({ "messages": [{ "role": "user", "content": "hello" }] });
    assert!(ask(&model, "/v1/chat/completions", &without_tools).contains("a title"));
    assert!(ask(&model, "/v1/models", &json!({})).contains("scripted"));
    assert!(model.prompts("test").is_empty());
}

#[test]
fn a_prompt_after_an_interrupted_call_is_a_prompt() {
    let model = ScriptedModel::start(script()).unwrap();
    let result = json!({ "type": "tool_result", "tool_use_id": "a", "is_error": true, "content": "rejected" });
    let mark = json!({ "type": "text", "text": "[Request interrupted by user for tool use]\n" });
    let messages = json!([
        { "role": "user", "content": "please spawn" },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "mcp__patterm__spawn_agent" }] },
        { "role": "user", "content": [result, mark, { "type": "text", "text": "hello" }] },
    ]);
    let answer = ask(&model, "/v1/messages", &json!({ "messages": messages, "tools": [{ "name": "x" }] }));
    assert!(answer.contains("world of words"), "{answer}");
    assert_eq!(model.prompts("test"), ["hello"]);
}

#[test]
fn a_prompt_without_a_reaction_is_repeated_and_a_missing_tool_named() {
    let model = ScriptedModel::start(script()).unwrap();
    let body = |text: &str| json!({ "messages": [{ "role": "user", "content": text }], "tools": [{ "function": { "name": "x" } }] });
    assert!(ask(&model, "/v1/chat/completions", &body("one\ntwo")).contains("You said: two"));
    assert!(ask(&model, "/v1/chat/completions", &body("spawn")).contains("NO-TOOL patterm:spawn_agent among x"));
}

#[test]
fn an_answer_waits_at_its_gate_and_comes_in_pieces() {
    let gated = ModelScript::new().when("go").then(|_| {
        ModelAnswer::say("one two three").behind_gate("later").paced(Duration::ZERO, Duration::from_micros(1))
    });
    let model = ScriptedModel::start(gated).unwrap();
    let body = json!({ "stream": true, "messages": [{ "role": "user", "content": "go" }], "tools": [{ "function": { "name": "x" } }] });
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| ask(&model, "/v1/chat/completions", &body));
        wait_until("the prompt has come", || model.prompts("test").len() == 1);
        assert!(!asked.is_finished());
        model.open_gate("later");
        let answer = asked.join().unwrap();
        assert!(["\"one \"", "\"two \"", "\"three\"", "[DONE]"].iter().all(|piece| answer.contains(piece)), "{answer}");
    });
}

#[test]
fn it_ends_with_clients_that_say_nothing_and_with_closed_gates() {
    let model =
        ScriptedModel::start(ModelScript::new().when("go").then(|_| ModelAnswer::say("x").behind_gate("never")))
            .unwrap();
    let address = model.base_url("");
    let mut silent = TcpStream::connect(address.trim_start_matches("http://").trim_end_matches('/')).unwrap();
    let body = json!({ "messages": [{ "role": "user", "content": "go" }], "tools": [{ "function": { "name": "x" } }] });
    std::thread::scope(|scope| {
        let asked = scope.spawn({
            let url = model.base_url("test");
            let body = body.to_string();
            move || {
                let (address, _) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
                let mut stream = TcpStream::connect(address).unwrap();
                let head = format!(
                    "POST /test/chat/completions HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n",
                    body.len()
                );
                stream.write_all((head + &body + "\r\n0\r\n\r\n").as_bytes()).unwrap();
                let mut answer = Vec::new();
                // An error is an end as well.
                let _ = stream.read_to_end(&mut answer);
                answer
            }
        });
        wait_until("the prompt has come", || model.prompts("test").len() == 1);
        drop(model);
        assert!(asked.join().unwrap().is_empty());
    });
    assert_eq!(silent.read(&mut [0; 8]).unwrap_or(0), 0);
}

#[test]
fn a_refusal_is_a_status_and_a_body() {
    let refuse = |_: &Conversation| ModelAnswer::refuse(429, json!({ "error": { "message": "enough for today" } }));
    let model = ScriptedModel::start(ModelScript::new().when("more").then(refuse)).unwrap();
    let tools = json!([{ "type": "function", "function": { "name": "any" } }]);
    let body = json!({ "stream": true, "messages": [{ "role": "user", "content": "more" }], "tools": tools });
    let answer = ask(&model, "/v1/chat/completions", &body);
    assert!(answer.starts_with("HTTP/1.1 429 "), "{answer}");
    assert!(answer.ends_with(r#"{"error":{"message":"enough for today"}}"#), "{answer}");
}
