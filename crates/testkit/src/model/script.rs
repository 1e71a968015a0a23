//! What the model answers to what. A script holds no state: where a conversation stands is read from the conversation,
//! so a client may ask again and gets the same answer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::conversation::Conversation;

/// The first reaction whose words are in the last prompt answers; without one, the prompt is repeated.
#[derive(Clone, Debug, Default)]
pub struct Script {
    reactions: Vec<Reaction>,
}

#[derive(Clone, Debug)]
struct Reaction {
    words: String,
    /// The first answers the prompt, the second the first tool's result, and so on; the last is repeated.
    steps: Vec<Step>,
}

#[derive(Clone)]
struct Step(Arc<dyn Fn(&Conversation) -> Answer + Send + Sync>);

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Step")
    }
}

/// One message of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub what: What,
    /// It waits until the test opens this gate.
    pub gate: Option<String>,
    /// Silence before the first word.
    pub before: Duration,
    /// Between two words.
    pub between: Duration,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    Say(String),
    /// `tool` is found by [`Conversation::tool`]; where there is none, the model says so.
    Call {
        tool: String,
        arguments: Value,
    },
}

impl Answer {
    pub fn say(text: impl Into<String>) -> Self {
        Self::new(What::Say(text.into()))
    }

    pub fn call(tool: &str, arguments: Value) -> Self {
        Self::new(What::Call { tool: tool.to_owned(), arguments })
    }

    /// Runs a command with the client's own shell tool, in a way that it asks for permission where it would.
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

    fn new(what: What) -> Self {
        Answer { what, gate: None, before: Duration::ZERO, between: Duration::ZERO }
    }

    pub fn behind_gate(self, gate: &str) -> Self {
        Answer { gate: Some(gate.to_owned()), ..self }
    }

    pub fn paced(self, before: Duration, between: Duration) -> Self {
        Answer { before, between, ..self }
    }

    /// The text in the pieces that it is sent in.
    pub(super) fn pieces(&self) -> Vec<String> {
        match &self.what {
            What::Call { .. } => Vec::new(),
            What::Say(text) if self.between.is_zero() => vec![text.clone()],
            What::Say(text) => text.split_inclusive(' ').map(str::to_owned).collect(),
        }
    }

    pub(super) fn text(&self) -> &str {
        match &self.what {
            What::Say(text) => text,
            What::Call { .. } => "",
        }
    }
}

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    /// What follows, until the next `when`, is for prompts that hold `words`.
    pub fn when(mut self, words: &str) -> Self {
        self.reactions.push(Reaction { words: words.to_owned(), steps: Vec::new() });
        self
    }

    pub fn say(self, text: &str) -> Self {
        let answer = Answer::say(text);
        self.then(move |_| answer.clone())
    }

    pub fn call(self, tool: &str, arguments: Value) -> Self {
        let answer = Answer::call(tool, arguments);
        self.then(move |_| answer.clone())
    }

    /// An answer that depends on what was said and what tools answered.
    pub fn then(mut self, step: impl Fn(&Conversation) -> Answer + Send + Sync + 'static) -> Self {
        self.reactions.last_mut().expect("an answer stands behind a `when`").steps.push(Step(Arc::new(step)));
        self
    }

    pub(super) fn answer(&self, conversation: &Conversation) -> Answer {
        let reaction = self.reactions.iter().find(|reaction| conversation.user.contains(&reaction.words));
        let steps = reaction.map_or(&[][..], |reaction| &reaction.steps);
        let Some(Step(step)) = steps.get(conversation.results.len().min(steps.len().saturating_sub(1))) else {
            return Answer::say(format!("You said: {}", shortened(&conversation.user)));
        };
        let answer = step(conversation);
        match &answer.what {
            What::Call { tool, .. } if conversation.tool(tool).is_none() => {
                let names: Vec<&str> = conversation.tools.iter().map(|tool| tool.name.as_str()).collect();
                Answer::say(format!("NO-TOOL {tool} among {}", names.join(" ")))
            }
            _ => answer,
        }
    }
}

fn shortened(text: &str) -> String {
    text.lines().next_back().unwrap_or_default().chars().take(60).collect()
}
