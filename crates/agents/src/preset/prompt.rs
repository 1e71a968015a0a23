//! How a prompt that waits for a decision is read, and which of them another agent may answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::expression::Expression;
use super::rule::DecisionKind;

/// A prompt or dialog as it stands on the screen. The first one that matches counts; one that none matches can be
/// seen, but not answered by an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptRule {
    /// Shown with the prompt.
    pub name: String,
    /// What kind of decision it is.
    #[serde(default = "permission")]
    pub kind: DecisionKind,
    /// What asks, in patterm's words: `shell`, `edit`, `mcp`. Left out: the group `tool`.
    #[serde(default)]
    pub tool: Option<String>,
    /// Matches the whole prompt, from its first row to its last: end it with `\s*\z`. Groups: `command` is what would
    /// be done, `reason` what is said for it, `question` what the model asks, `choices` the rows with the choices, `tool`
    /// what asks, and `unclear` what can't be told from the command: with text in it, no agent may answer, unless `echo`
    /// shows the same command once more, whole. A prompt of the kind `question` needs `question` and `choices`, and no
    /// `command`.
    pub screen: Expression,
    /// Matches what the program reports (the `msg` of OSC 7501) while it asks this. Its group `command` is the command as the
    /// program has it, told in place of the one on the screen where both are the same text; so one that is wrapped or cut
    /// there is known in full.
    #[serde(default)]
    pub reported: Option<Expression>,
    /// The region it stands in. Default: the whole grid.
    #[serde(default)]
    pub region: Option<String>,
    /// Matches one of the choices. Groups: `label`, `selected` where one is marked, and `key` and `number`, either of
    /// which chooses it at once.
    pub choice: Expression,
    /// What marks the choice that Enter takes, where no text does.
    #[serde(default)]
    pub selected_by: Option<Mark>,
    /// Labels that allow this one thing, once.
    #[serde(default)]
    pub allow_once: Option<Expression>,
    /// Labels that refuse.
    #[serde(default)]
    pub deny: Option<Expression>,
}

/// How a choice can be marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Its background differs from the rest of its row. Where that is so for none or for several, none is marked.
    Background,
}

fn permission() -> DecisionKind {
    DecisionKind::Permission
}

/// What an agent may allow another one to do, where the prompt can be read whole. Everything else is left to the human.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PermissionRules {
    /// Each matches a whole `tool: command`, as in `shell: ls( -l)?`.
    pub allow: Vec<Expression>,
    /// Whether another agent may choose an answer when the model asks its user a question (`kind` `question`). Only for a
    /// CLI whose permission prompts can't be taken for such a question. The setting `permissions.answer_questions` can
    /// forbid it everywhere.
    pub answer_questions: bool,
}
