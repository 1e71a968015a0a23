//! OpenAI's Chat Completions.

use std::collections::BTreeMap;
use std::io;
use std::thread::sleep;

use serde_json::{Value, json};

use super::conversation::{Conversation, OfferedTool, texts};
use super::script::{AnswerContent, ModelAnswer};
use super::sse::AnswerStream;

pub(super) fn read(body: &Value) -> Conversation {
    let mut conversation =
        Conversation { tools: tools(body), wanted_json: wanted_json(body), ..Conversation::default() };
    let mut called = BTreeMap::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        match message["role"].as_str() {
            Some("assistant") => {
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    called.insert(call["id"].to_string(), call["function"]["name"].as_str().unwrap_or_default());
                }
            }
            Some("tool") => {
                let tool = called.get(&message["tool_call_id"].to_string()).copied().unwrap_or_default();
                conversation.answered(tool, texts(&message["content"]).join("\n"));
            }
            Some("user") => conversation.said(texts(&message["content"])),
            _ => {}
        }
    }
    conversation
}

fn tools(body: &Value) -> Vec<OfferedTool> {
    let tools = body["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| OfferedTool::described(&tool["function"])).collect()
}

fn wanted_json(body: &Value) -> Option<Value> {
    let format = &body["response_format"];
    (format["type"] == "json_schema").then(|| format["json_schema"]["schema"].clone())
}

pub(super) fn write(
    stream: &mut AnswerStream<'_>,
    model: &str,
    said: &Conversation,
    answer: &ModelAnswer,
) -> io::Result<()> {
    let calls = match &answer.what {
        AnswerContent::Say(_) => None,
        AnswerContent::Call { tool, arguments } => {
            let name = said.tool(tool).map_or(tool.as_str(), |tool| &tool.name);
            let function = json!({ "name": name, "arguments": arguments.to_string() });
            Some(json!([{ "index": 0, "id": stream.id("call_"), "type": "function", "function": function }]))
        }
    };
    let finish = if calls.is_some() { "tool_calls" } else { "stop" };
    let usage = json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 });
    let (id, created) = (stream.id("chatcmpl-"), 1);
    if !stream.streamed {
        let mut message = json!({ "role": "assistant", "content": answer.text() });
        if let Some(calls) = calls {
            message["tool_calls"] = calls;
        }
        let choice = json!({ "index": 0, "message": message, "finish_reason": finish });
        return stream.whole(&json!({ "id": id, "object": "chat.completion", "created": created, "model": model,
                                     "choices": [choice], "usage": usage }));
    }
    let chunk = |delta: Value, finish: Value| {
        json!({ "id": id, "object": "chat.completion.chunk", "created": created, "model": model,
                "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
    };
    stream.data(&chunk(json!({ "role": "assistant", "content": "" }), Value::Null))?;
    if let Some(calls) = calls {
        stream.data(&chunk(json!({ "tool_calls": calls }), Value::Null))?;
    }
    for piece in answer.pieces() {
        stream.data(&chunk(json!({ "content": piece }), Value::Null))?;
        sleep(answer.between);
    }
    stream.data(&chunk(json!({}), finish.into()))?;
    let mut last = chunk(json!({}), Value::Null);
    last["choices"] = json!([]);
    last["usage"] = usage;
    stream.data(&last)?;
    stream.done()
}
