//! The model's script: what it answers to which prompt. A script has no state: the conversation itself tells how far it
//! is, so a client that repeats a request gets the same answer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::conversation::Conversation;

/// The first reaction whose words are in the last prompt answers; if none matches, the prompt is repeated back.
#[derive(Clone, Debug, Default)]
pub struct ModelScript {
    reactions: Vec<ModelReaction>,
}

#[derive(Clone, Debug)]
struct ModelReaction {
    words: String,
    /// The first step answers the prompt, the second the first tool's result, and so on; the last one is repeated.
    steps: Vec<AnswerStep>,
}

#[derive(Clone)]
struct AnswerStep(Arc<dyn Fn(&Conversation) -> ModelAnswer + Send + Sync>);

impl fmt::Debug for AnswerStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Step")
    }
}

/// One message of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelAnswer {
    pub what: AnswerContent,
    /// An HTTP status and a body instead.
    pub refusal: Option<(u16, Value)>,
    /// Wait until the test opens this gate.
    pub gate: Option<String>,
    /// Delay before the first word.
    pub before: Duration,
    /// Delay between two words.
    pub between: Duration,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AnswerContent {
    Say(String),
    /// `tool` is looked up by [`Conversation::tool`]; if it is missing, the model says so.
    Call {
        tool: String,
        arguments: Value,
    },
}

impl ModelAnswer {
    pub fn say(text: impl Into<String>) -> Self {
        Self::new(AnswerContent::Say(text.into()))
    }

    pub fn call(tool: &str, arguments: Value) -> Self {
        Self::new(AnswerContent::Call { tool: tool.to_owned(), arguments })
    }

    /// Runs a command with the client's own shell tool, in a way that triggers a permission prompt if the client has
    /// one.
    pub fn shell(said: &Conversation, command: &str) -> Self {
        let name = said.tool("shell").map_or("", |tool| tool.name.as_str());
        let arguments = match name {
            "exec_command" => {
                json!({ "cmd": command, "sandbox_permissions": "require_escalated", "justification": "the script says so" })
            }
            "shell_command" => {
                json!({ "command": command, "sandbox_permissions": "require_escalated", "justification": "the script says so" })
            }
            "run_shell_command" => {
                json!({ "command": command, "description": "as the script says", "is_background": false })
            }
            _ => json!({ "command": command, "description": "as the script says" }),
        };
        Self::call("shell", arguments)
    }

    /// As a model's API answers when it is overloaded, or when a limit is reached.
    pub fn refuse(status: u16, body: Value) -> Self {
        ModelAnswer { refusal: Some((status, body)), ..Self::say("") }
    }

    fn new(what: AnswerContent) -> Self {
        ModelAnswer { what, refusal: None, gate: None, before: Duration::ZERO, between: Duration::ZERO }
    }

    pub fn behind_gate(self, gate: &str) -> Self {
        ModelAnswer { gate: Some(gate.to_owned()), ..self }
    }

    pub fn paced(self, before: Duration, between: Duration) -> Self {
        ModelAnswer { before, between, ..self }
    }

    /// The text, in the pieces in which it is sent.
    pub(super) fn pieces(&self) -> Vec<String> {
        match &self.what {
            AnswerContent::Call { .. } => Vec::new(),
            AnswerContent::Say(text) if self.between.is_zero() => vec![text.clone()],
            AnswerContent::Say(text) => text.split_inclusive(' ').map(str::to_owned).collect(),
        }
    }

    pub(super) fn text(&self) -> &str {
        match &self.what {
            AnswerContent::Say(text) => text,
            AnswerContent::Call { .. } => "",
        }
    }
}

impl ModelScript {
    pub fn new() -> Self {
        Self::default()
    }

    /// The following steps, until the next `when`, answer prompts that contain `words`.
    pub fn when(mut self, words: &str) -> Self {
        self.reactions.push(ModelReaction { words: words.to_owned(), steps: Vec::new() });
        self
    }

    pub fn say(self, text: &str) -> Self {
        let answer = ModelAnswer::say(text);
        self.then(move |_| answer.clone())
    }

    pub fn call(self, tool: &str, arguments: Value) -> Self {
        let answer = ModelAnswer::call(tool, arguments);
        self.then(move |_| answer.clone())
    }

    /// An answer computed from the conversation and its tool results.
    pub fn then(mut self, step: impl Fn(&Conversation) -> ModelAnswer + Send + Sync + 'static) -> Self {
        self.reactions.last_mut().expect("an answer stands behind a `when`").steps.push(AnswerStep(Arc::new(step)));
        self
    }

    pub(super) fn answer(&self, conversation: &Conversation) -> ModelAnswer {
        let reaction = self.reactions.iter().find(|reaction| conversation.user.contains(&reaction.words));
        let steps = reaction.map_or(&[][..], |reaction| &reaction.steps);
        let Some(AnswerStep(step)) = steps.get(conversation.results.len().min(steps.len().saturating_sub(1))) else {
            return ModelAnswer::say(format!("You said: {}", shortened(&conversation.user)));
        };
        let answer = step(conversation);
        match &answer.what {
            AnswerContent::Call { tool, .. } if conversation.tool(tool).is_none() => {
                let names: Vec<&str> = conversation.tools.iter().map(|tool| tool.name.as_str()).collect();
                ModelAnswer::say(format!("NO-TOOL {tool} among {}", names.join(" ")))
            }
            _ => answer,
        }
    }
}

fn shortened(text: &str) -> String {
    text.lines().next_back().unwrap_or_default().chars().take(60).collect()
}
