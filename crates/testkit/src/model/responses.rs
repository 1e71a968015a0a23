//! OpenAI's Responses.

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
    if let Some(text) = body["input"].as_str() {
        conversation.said([text]);
    }
    for item in body["input"].as_array().into_iter().flatten() {
        let kind = item["type"].as_str().unwrap_or_default();
        if kind.ends_with("_call") {
            called.insert(item["call_id"].to_string(), item["name"].as_str().unwrap_or_default());
        } else if kind.ends_with("_call_output") {
            let tool = called.get(&item["call_id"].to_string()).copied().unwrap_or_default();
            conversation.answered(tool, texts(&item["output"]).join("\n"));
        } else if item["role"] == "user" {
            conversation.said(texts(&item["content"]));
        }
    }
    conversation
}

fn tools(body: &Value) -> Vec<OfferedTool> {
    let mut tools = Vec::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        let name = tool["name"].as_str().or(tool["type"].as_str()).unwrap_or_default();
        match tool["tools"].as_array() {
            Some(inner) if tool["type"] == "namespace" => {
                let inner = inner.iter().filter_map(OfferedTool::described);
                tools.extend(inner.map(|tool| OfferedTool { namespace: Some(name.to_owned()), ..tool }));
            }
            _ => tools.push(OfferedTool { name: name.to_owned(), namespace: None, bytes: tool.to_string().len() }),
        }
    }
    tools
}

fn wanted_json(body: &Value) -> Option<Value> {
    let format = &body["text"]["format"];
    (format["type"] == "json_schema").then(|| format["schema"].clone())
}

pub(super) fn write(
    stream: &mut AnswerStream<'_>,
    model: &str,
    said: &Conversation,
    answer: &ModelAnswer,
) -> io::Result<()> {
    let item = match &answer.what {
        AnswerContent::Say(text) => {
            let content = json!([{ "type": "output_text", "text": text, "annotations": [] }]);
            json!({ "type": "message", "role": "assistant", "id": stream.id("msg_"), "status": "completed", "content": content })
        }
        AnswerContent::Call { tool, arguments } => {
            let found = said.tool(tool);
            let name = found.map_or(tool.as_str(), |tool| &tool.name);
            let mut item = json!({ "type": "function_call", "id": stream.id("fc_"), "call_id": stream.id("call_"), "name": name,
                                   "arguments": arguments.to_string() });
            if let Some(namespace) = found.and_then(|tool| tool.namespace.as_ref()) {
                item["namespace"] = namespace.as_str().into();
            }
            item
        }
    };
    let usage = json!({ "input_tokens": 10, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 5,
                        "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 15 });
    let mut response = json!({ "id": stream.id("resp_"), "object": "response", "model": model, "status": "completed",
                               "output": [item], "usage": usage });
    if !stream.streamed {
        return stream.whole(&response);
    }
    let done = response.clone();
    response["status"] = "in_progress".into();
    response["output"] = json!([]);
    stream.typed(&json!({ "type": "response.created", "response": response }))?;
    if item["type"] == "message" {
        let mut begun = item.clone();
        begun["content"] = json!([]);
        stream.typed(&json!({ "type": "response.output_item.added", "output_index": 0, "item": begun }))?;
    }
    for piece in answer.pieces() {
        stream.typed(&json!({ "type": "response.output_text.delta", "item_id": item["id"], "output_index": 0,
                              "content_index": 0, "delta": piece }))?;
        sleep(answer.between);
    }
    stream.typed(&json!({ "type": "response.output_item.done", "output_index": 0, "item": item }))?;
    stream.typed(&json!({ "type": "response.completed", "response": done }))
}
