//! Anthropic's Messages.

use std::collections::BTreeMap;
use std::io;
use std::thread::sleep;

use serde_json::{Value, json};

use super::conversation::{Conversation, INTERRUPTED, OfferedTool, texts};
use super::script::{AnswerContent, ModelAnswer};
use super::sse::AnswerStream;

pub(super) fn read(body: &Value) -> Conversation {
    let mut conversation =
        Conversation { tools: tools(body), wanted_json: wanted_json(body), ..Conversation::default() };
    let mut called = BTreeMap::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        let blocks: Vec<&Value> = match &message["content"] {
            Value::Array(blocks) => blocks.iter().collect(),
            other => vec![other],
        };
        match message["role"].as_str() {
            Some("assistant") => {
                for block in blocks.iter().filter(|block| block["type"] == "tool_use") {
                    called.insert(block["id"].to_string(), block["name"].as_str().unwrap_or_default());
                }
            }
            Some("user") => {
                let (results, rest): (Vec<&Value>, Vec<&Value>) =
                    blocks.into_iter().partition(|block| block["type"] == "tool_result");
                for result in &results {
                    let tool = called.get(&result["tool_use_id"].to_string()).copied().unwrap_or_default();
                    conversation.answered(tool, texts(&result["content"]).join("\n"));
                }
                // Text beside a tool result is added by the client, but what follows the mark of an interrupted turn is
                // the next prompt.
                let mark = rest.iter().rposition(|block| texts(block).iter().any(|text| text.starts_with(INTERRUPTED)));
                let said = match (results.is_empty(), mark) {
                    (true, _) => &rest[..],
                    (false, Some(mark)) => &rest[mark + 1..],
                    (false, None) => &[],
                };
                conversation.said(said.iter().flat_map(|block| texts(block)));
            }
            // Claude Code puts system messages after the person's text.
            _ => {}
        }
    }
    conversation
}

fn tools(body: &Value) -> Vec<OfferedTool> {
    let tools = body["tools"].as_array().into_iter().flatten();
    // The model is not shown a tool that is loaded later.
    tools.filter(|tool| tool["defer_loading"] != true).filter_map(OfferedTool::described).collect()
}

fn wanted_json(body: &Value) -> Option<Value> {
    let formats = [&body["output_config"]["format"], &body["output_format"]];
    let format = formats.into_iter().find(|format| format["type"] == "json_schema")?;
    Some(format["schema"].clone())
}

pub(super) fn write(
    stream: &mut AnswerStream<'_>,
    model: &str,
    said: &Conversation,
    answer: &ModelAnswer,
) -> io::Result<()> {
    let (stop, block) = match &answer.what {
        AnswerContent::Say(text) => ("end_turn", json!({ "type": "text", "text": text })),
        AnswerContent::Call { tool, arguments } => {
            let name = said.tool(tool).map_or(tool.as_str(), |tool| &tool.name);
            ("tool_use", json!({ "type": "tool_use", "id": stream.id("toolu_"), "name": name, "input": arguments }))
        }
    };
    let usage = json!({ "input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0 });
    let mut message = json!({ "id": stream.id("msg_"), "type": "message", "role": "assistant", "model": model, "content": [],
                              "stop_reason": null, "stop_sequence": null, "usage": usage });
    if !stream.streamed {
        message["content"] = json!([block]);
        message["stop_reason"] = stop.into();
        return stream.whole(&message);
    }
    stream.typed(&json!({ "type": "message_start", "message": message }))?;
    let mut empty = block.clone();
    if stop == "tool_use" {
        empty["input"] = json!({});
    } else {
        empty["text"] = "".into();
    }
    stream.typed(&json!({ "type": "content_block_start", "index": 0, "content_block": empty }))?;
    let delta = |delta: Value| json!({ "type": "content_block_delta", "index": 0, "delta": delta });
    for piece in answer.pieces() {
        stream.typed(&delta(json!({ "type": "text_delta", "text": piece })))?;
        sleep(answer.between);
    }
    if stop == "tool_use" {
        let arguments = block["input"].to_string();
        stream.typed(&delta(json!({ "type": "input_json_delta", "partial_json": arguments })))?;
    }
    stream.typed(&json!({ "type": "content_block_stop", "index": 0 }))?;
    let end = json!({ "stop_reason": stop, "stop_sequence": null });
    stream.typed(&json!({ "type": "message_delta", "delta": end, "usage": { "output_tokens": 5 } }))?;
    stream.typed(&json!({ "type": "message_stop" }))
}
