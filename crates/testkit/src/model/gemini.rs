//! Google's generateContent.

use std::io;
use std::thread::sleep;

use serde_json::{Value, json};

use super::conversation::{Conversation, OfferedTool};
use super::script::{AnswerContent, ModelAnswer};
use super::sse::AnswerStream;

pub(super) fn read(body: &Value) -> Conversation {
    let mut conversation =
        Conversation { tools: tools(body), wanted_json: wanted_json(body), ..Conversation::default() };
    for content in body["contents"].as_array().into_iter().flatten() {
        let parts = content["parts"].as_array().into_iter().flatten();
        let mut said = Vec::new();
        for part in parts {
            if let Some(response) = part.get("functionResponse") {
                let tool = response["name"].as_str().unwrap_or_default();
                let answer = &response["response"];
                let text = answer["output"].as_str().map_or_else(|| answer.to_string(), str::to_owned);
                conversation.answered(tool, text);
            } else if let Some(text) = part["text"].as_str().filter(|_| content["role"] == "user") {
                said.push(text);
            }
        }
        conversation.said(said);
    }
    conversation
}

fn tools(body: &Value) -> Vec<OfferedTool> {
    let tools = body["tools"].as_array().into_iter().flatten();
    let functions = tools.flat_map(|tool| tool["functionDeclarations"].as_array().into_iter().flatten());
    functions.filter_map(OfferedTool::described).collect()
}

fn wanted_json(body: &Value) -> Option<Value> {
    let config = &body["generationConfig"];
    let schemas = ["responseJsonSchema", "responseSchema"];
    schemas.iter().find_map(|name| config.get(name)).cloned()
}

pub(super) fn write(stream: &mut AnswerStream<'_>, said: &Conversation, answer: &ModelAnswer) -> io::Result<()> {
    let response = stream.id("r");
    let chunk = |parts: Value, finish: Value| {
        json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "index": 0, "finishReason": finish }],
                "usageMetadata": { "promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15 },
                "modelVersion": "scripted", "responseId": response })
    };
    let last = match &answer.what {
        AnswerContent::Say(text) => json!([{ "text": if stream.streamed { "" } else { text.as_str() } }]),
        AnswerContent::Call { tool, arguments } => {
            let name = said.tool(tool).map_or(tool.as_str(), |tool| &tool.name);
            json!([{ "functionCall": { "name": name, "args": arguments, "id": stream.id("fc") } }])
        }
    };
    if !stream.streamed {
        return stream.whole(&chunk(last, "STOP".into()));
    }
    for piece in answer.pieces() {
        stream.data(&chunk(json!([{ "text": piece }]), Value::Null))?;
        sleep(answer.between);
    }
    stream.data(&chunk(last, "STOP".into()))
}
