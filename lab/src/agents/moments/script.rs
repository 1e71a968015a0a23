//! What the model answers in the scenes. Prompts say it themselves: `until NAME` holds the answer back behind that gate.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use serde_json::{Value, json};
use testkit::model::{ModelAnswer, ModelScript};

use super::book::ToolCall;

const LONG: &str = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen.";

/// A command that waits: it makes NAME.started, and ends when there is NAME.go.
pub(super) const WAITING_COMMAND: &str = "touch \"$1.started\"\nuntil [ -e \"$1.go\" ]; do sleep 0.1; done\n";

/// - `please think until GATE`: a slow answer in pieces.
/// - `please run NAME until GATE`: the command that waits, then an answer.
/// - `please call TOOL until GATE`: a tool of the facts, then an answer.
/// - `please be refused`: an error that asking again does not mend.
///
/// The last of them in a prompt counts: some CLIs send one that was interrupted or refused once more with the next one.
/// `project` is known once the stage is made, which needs the script.
pub(super) fn script(calls: &BTreeMap<String, ToolCall>, project: Arc<OnceLock<PathBuf>>) -> ModelScript {
    let calls = calls.clone();
    let slow = |request: &str| held(request, ModelAnswer::say(LONG).paced(Duration::ZERO, Duration::from_millis(200)));
    let refused = || {
        ModelAnswer::refuse(400, json!({ "error": { "message": "no such thing", "type": "invalid_request_error" } }))
    };
    ModelScript::new()
        .when("please ")
        .then(move |said| match last_request(&said.user) {
            (RUN, request) => ModelAnswer::shell(said, &format!("sh wait.sh {}", word_after(request, RUN))),
            (CALL, request) => match calls.get(word_after(request, CALL)) {
                Some(call) => ModelAnswer::call(&call.tool, in_project(&call.arguments, &project)),
                None => ModelAnswer::say("No such call is in the facts."),
            },
            (REFUSED, _) => refused(),
            (_, request) => slow(request),
        })
        .then(move |said| match last_request(&said.user) {
            (RUN, request) => held(request, ModelAnswer::say("It is done.")),
            (CALL, request) => held(request, ModelAnswer::say("It was called.")),
            (REFUSED, _) => refused(),
            (_, request) => slow(request),
        })
}

const THINK: &str = "please think";
const RUN: &str = "please run";
const CALL: &str = "please call";
const REFUSED: &str = "please be refused";

/// What is asked last, and the text from there on.
fn last_request(user: &str) -> (&'static str, &str) {
    let requests = [THINK, RUN, CALL, REFUSED].into_iter();
    let last = requests.filter_map(|words| user.rfind(words).map(|at| (at, words))).max();
    last.map_or((THINK, user), |(at, words)| (words, &user[at..]))
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

fn held(request: &str, answer: ModelAnswer) -> ModelAnswer {
    match word_after(request, "until") {
        "" => answer,
        gate => answer.behind_gate(gate),
    }
}

fn word_after<'a>(text: &'a str, words: &str) -> &'a str {
    let rest = text.rsplit_once(words).map_or("", |(_, rest)| rest);
    let word = rest.split_whitespace().next().unwrap_or_default();
    word.trim_end_matches(|character: char| !character.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_request_counts_with_what_belongs_to_it() {
        let merged = "please think until never\nplease run second\nplease be refused";
        assert_eq!(last_request(merged), (REFUSED, "please be refused"));
        let (words, request) = last_request("please think until never\nplease run second\n");
        assert_eq!((words, word_after(request, RUN), word_after(request, "until")), (RUN, "second", ""));
    }
}
