//! What the model answers in the scenes. Prompts say it themselves: `until NAME` holds the answer back behind that gate.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use serde_json::{Value, json};
use testkit::model::{Conversation, ModelAnswer, ModelScript};

use super::book::ToolCall;

const LONG: &str = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen.";

/// A command that waits: it makes NAME.started, and ends when there is NAME.go.
pub(super) const WAITING_COMMAND: &str = "touch \"$1.started\"\nuntil [ -e \"$1.go\" ]; do sleep 0.1; done\n";

/// - `please think until GATE`: a slow answer in pieces.
/// - `please run NAME until GATE`: the command that waits, then an answer.
/// - `please call TOOL until GATE`: a tool of the facts, then an answer.
/// - `please be refused`: an error that asking again does not mend.
///
/// `project` is known once the stage is made, which needs the script.
pub(super) fn script(calls: &BTreeMap<String, ToolCall>, project: Arc<OnceLock<PathBuf>>) -> ModelScript {
    let calls = calls.clone();
    ModelScript::new()
        .when("please think")
        .then(|said| held(said, ModelAnswer::say(LONG).paced(Duration::ZERO, Duration::from_millis(200))))
        .when("please run")
        .then(|said| ModelAnswer::shell(said, &format!("sh wait.sh {}", word_after(&said.user, "please run"))))
        .then(|said| held(said, ModelAnswer::say("It is done.")))
        .when("please call")
        .then(move |said| match calls.get(word_after(&said.user, "please call")) {
            Some(call) => ModelAnswer::call(&call.tool, in_project(&call.arguments, &project)),
            None => ModelAnswer::say("No such call is in the facts."),
        })
        .then(|said| held(said, ModelAnswer::say("It was called.")))
        // Behind the others: some CLIs send a refused prompt once more with the next one.
        .when("please be refused")
        .then(|_| {
            ModelAnswer::refuse(
                400,
                json!({ "error": { "message": "no such thing", "type": "invalid_request_error" } }),
            )
        })
}

/// Some tools take no path but a whole one: `${project}` in a text is the project's folder.
fn in_project(arguments: &Value, project: &OnceLock<PathBuf>) -> Value {
    let folder = project.get().map(|folder| folder.display().to_string()).unwrap_or_default();
    match arguments {
        Value::String(text) => text.replace("${project}", &folder).into(),
        Value::Array(values) => values.iter().map(|value| in_project(value, project)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), in_project(value, project))).collect()
        }
        other => other.clone(),
    }
}

fn held(said: &Conversation, answer: ModelAnswer) -> ModelAnswer {
    match word_after(&said.user, "until") {
        "" => answer,
        gate => answer.behind_gate(gate),
    }
}

fn word_after<'a>(text: &'a str, words: &str) -> &'a str {
    let rest = text.rsplit_once(words).map_or("", |(_, rest)| rest);
    let word = rest.split_whitespace().next().unwrap_or_default();
    word.trim_end_matches(|character: char| !character.is_alphanumeric())
}
