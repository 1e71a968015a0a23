//! What a rule may look at, and what it says.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::expression::Expression;
use crate::state::Source;

/// Evidence about what the agent is doing: while `when` holds, it votes for `state`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Shown by explain_state.
    pub name: String,
    pub when: Condition,
    pub state: Vote,
    /// What kind of decision a blocked agent waits for.
    #[serde(default)]
    pub kind: Option<DecisionKind>,
    /// How strong the evidence is. Default: as its strongest part.
    #[serde(default)]
    pub source: Option<Source>,
    /// Milliseconds it must have held before it counts.
    #[serde(default)]
    pub hold_ms: u64,
    /// Milliseconds it goes on counting after it stopped holding. Default: 150 for the screen,
    /// which is drawn in parts, and 0 for the rest.
    #[serde(default)]
    pub linger_ms: Option<u64>,
    /// Milliseconds after which it is stale, counted from when the evidence was given.
    #[serde(default)]
    pub lasts_ms: Option<u64>,
    /// Makes it stale as soon as this comes to hold after the evidence was given, or has gone on holding for 2 seconds.
    /// Default, for a hook that says `blocked` where `submit.input_box` is known: the prompt box is drawn again. Most CLIs
    /// report that they ask, and not that the question was dismissed.
    #[serde(default)]
    pub until: Option<Condition>,
}

/// What a blocked agent waits for. Nothing but an explicit answer is typed into any of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// It wants to do something, and asks for leave.
    Permission,
    /// A screen of the CLI's own: settings, a picker, a list, the questions of a first run.
    Dialog,
    /// The model asks its user something and offers answers.
    Question,
}

impl DecisionKind {
    pub fn as_str(self) -> &'static str {
        match self {
            DecisionKind::Permission => "permission",
            DecisionKind::Dialog => "dialog",
            DecisionKind::Question => "question",
        }
    }
}

impl std::fmt::Display for DecisionKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Vote {
    Idle,
    Working,
    /// Waits for a decision.
    Blocked,
}

/// A mode of the CLI that decides what it asks for, such as its plan mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModeRule {
    /// Shown with the state: a word or two, as the CLI calls it.
    pub name: String,
    pub when: Condition,
}

/// Everything given must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Condition {
    /// Matches the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Expression>,
    /// Does not match the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title_not: Option<Expression>,
    /// OSC 9;4: the progress is one of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub progress: Vec<ProgressKind>,
    /// OSC 7501: in the record that stands for the program (what is blocked before what works, that before errors and
    /// results, and the whole before its parts), each of these keys has a value that matches: `state`, `kind`, `app`, `id`,
    /// `progress`, `title`, `msg`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agent_state: BTreeMap<String, Expression>,
    /// The latest OSC of a number without a meaning of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub osc: Option<OscMatch>,
    /// Matches title or body of the latest notification (OSC 9, 99, 777).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notification: Option<Expression>,
    /// Matches the name of the latest event that the agent's hooks reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<Expression>,
    /// Matches what that event said beside its name: with `patterm hook`, `agent=… type=… tool=… background=… message=…`,
    /// what there is of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook_detail: Option<Expression>,
    /// Matches the screen, or the region, as lines of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen: Option<Expression>,
    /// Does not match it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen_not: Option<Expression>,
    /// The region that `screen` and `screen_not` look at. Default: the whole grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// What stands in the prompt box (`submit.input_box`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<InputBox>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alternate_screen: Option<bool>,
    /// How the terminal treats input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tty: Option<TtyMatch>,
    /// There was no output for so many milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silence_ms: Option<u64>,
    /// There was output within so many milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_within_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProgressKind {
    /// Never reported, or taken back.
    Clear,
    Percent,
    Error,
    Indeterminate,
    Paused,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OscMatch {
    pub number: u32,
    pub body: Expression,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputBox {
    /// Drawn, and nothing typed in it.
    Empty,
    /// Drawn, with text in it.
    Text,
    Drawn,
    /// Not to be seen.
    Absent,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TtyMatch {
    /// Input is handed over by the line.
    pub canonical: Option<bool>,
    /// What is typed comes back; off at a password prompt.
    pub echo: Option<bool>,
}

/// A part of the grid. Each thing given narrows it, in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Region {
    /// First row, from 0 at the top or -1 at the bottom.
    pub from_row: Option<i32>,
    /// Last row, counted alike.
    pub to_row: Option<i32>,
    /// Only what lies under the last row that matches; nothing where none does.
    pub below: Option<Expression>,
    /// Only the last so many rows that are not blank.
    pub last_rows: Option<u16>,
}

/// Something that shows that a prompt was taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Named in the receipt as `verified_by`.
    pub name: String,
    pub when: Condition,
}
