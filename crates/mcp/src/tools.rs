//! Operations as MCP tools: their listing, replies and errors.

use ops::{CallEffects, Context, Entry, ErrorKind, OpError, OperationTraits};
use serde_json::{Value, json};

use crate::{MESSAGE_LIMIT, schema};

/// A tool's entry in `tools/list`.
pub(crate) fn listed<C: Context>(entry: &Entry<C>) -> Value {
    let mut tool = json!({
        "name": entry.name(),
        "description": entry.description(),
        "inputSchema": schema::plain(entry.args_schema().as_value()),
        "annotations": annotations(&entry.traits),
    });
    if has_structured_reply(entry) {
        tool["outputSchema"] = schema::shape(entry.reply_schema().as_value());
    }
    tool
}

/// Before 2026-07-28 structured content must be an object.
pub(crate) fn has_structured_reply<C: Context>(entry: &Entry<C>) -> bool {
    entry.reply_schema().get("type").and_then(Value::as_str) == Some("object")
}

fn annotations(traits: &OperationTraits) -> Value {
    let (read_only, destructive) = match traits.effects {
        CallEffects::ReadOnly => (true, false),
        CallEffects::Additive => (false, false),
        CallEffects::Destructive => (false, true),
    };
    json!({ "readOnlyHint": read_only, "destructiveHint": destructive })
}

/// The result of a call, with structured content if the tool has an output schema.
pub(crate) fn outcome(outcome: Result<Value, OpError>, structured: bool) -> Value {
    match outcome {
        Ok(reply) => {
            let mut result = json!({ "content": [{ "type": "text", "text": reply.to_string() }], "isError": false });
            if structured {
                result["structuredContent"] = reply;
            }
            result
        }
        Err(error) => failed(&error),
    }
}

/// The result for a reply that is too long for one message.
pub(crate) fn too_long(bytes: usize) -> Value {
    let message = format!("the reply takes {bytes} bytes and a message at most {MESSAGE_LIMIT}");
    failed(&OpError::new(ErrorKind::LimitExceeded, message).with_hint("ask for less at once"))
}

/// Text only: clients check structured content against the tool's output schema, even that of errors.
pub(crate) fn failed(error: &OpError) -> Value {
    let text = serde_json::to_string(error).expect("an error is strings");
    json!({ "content": [{ "type": "text", "text": text }], "isError": true })
}
