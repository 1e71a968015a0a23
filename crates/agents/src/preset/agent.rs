//! What an agent preset may hold.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::expression::Expression;
use super::injection::Injection;
use super::prompt::{PermissionRules, PromptRule};
use super::resume::ResumeMethod;
use super::rule::{Condition, ModeRule, Proof, Region, Rule};
use super::versions::PresetVersions;

/// How to start a vendor's agent CLI, hand it patterm's tools, tell what it is doing, and type to it.
#[derive(Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentPreset {
    /// For editors: the schema of this file. Has no effect.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Shown in the palette and used by spawn_agent. Default: the file's name without `.json`.
    #[serde(default)]
    pub name: String,
    /// The program and its arguments. What an injection adds goes behind them, but before a `--`.
    pub argv: Vec<String>,
    /// How to get the program: shown to the person where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
    /// Which versions of the program the preset was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub versions: Option<PresetVersions>,
    /// Tells newer rules from older ones: a file of rules (`patterm rules`) with a higher number takes the place of what
    /// this preset says of `regions`, `rules`, `modes`, `prompts`, `ready_signal`, `submit`, `chrome_trim_hints` and `versions`.
    #[serde(default)]
    pub rules_version: u64,
    /// Set on top of what is inherited. Values may hold placeholders.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Taken away from what is inherited.
    #[serde(default)]
    pub env_unset: Vec<String>,
    /// Relative to the project; `~/` is the home folder. Default: the project.
    #[serde(default)]
    pub working_dir: Option<String>,
    /// How the CLI is told of patterm's tools.
    #[serde(default)]
    pub mcp_injection: Option<Injection>,
    /// Whether the person's own MCP servers are left out of this run, by `strict_mcp_args`. Default: patterm's server
    /// is added beside them.
    #[serde(default)]
    pub strict_mcp: bool,
    /// Arguments that make the CLI start no other MCP servers than the ones it is told of on its command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strict_mcp_args: Vec<String>,
    /// How the CLI is told to report its own state.
    #[serde(default)]
    pub hooks_injection: Option<Injection>,
    /// How the CLI goes on with an earlier conversation. Default: it is started anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<ResumeMethod>,
    /// What the CLI is asked to do where the person's own settings choose nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defaults: Vec<DefaultChoice>,
    /// When the first prompt may be typed. Default: one second of silence after the start.
    #[serde(default)]
    pub ready_signal: ReadySignal,
    /// Parts of the screen that rules name.
    #[serde(default)]
    pub regions: BTreeMap<String, Region>,
    /// What the agent is doing. Of one source, the first rule that holds counts. Without any rule:
    /// silence for `idle_ms` is idle, output is working.
    #[serde(default)]
    pub rules: Vec<Rule>,
    /// Which mode the CLI is in, where that changes what it asks for. The first that holds counts, until the prompt box is
    /// drawn without any.
    #[serde(default)]
    pub modes: Vec<ModeRule>,
    /// How prompts that wait for a decision are read. Needed only to let other agents answer them.
    #[serde(default)]
    pub prompts: Vec<PromptRule>,
    /// Which of them another agent may answer.
    #[serde(default)]
    pub permissions: PermissionRules,
    /// How a prompt is typed, and what proves that it was taken.
    #[serde(default)]
    pub submit: Submit,
    /// Rows that grid reads leave out: regular expressions, or ranges of rows.
    #[serde(default)]
    pub chrome_trim_hints: Vec<TrimHint>,
    /// Milliseconds of silence that count as idle where no rule says otherwise.
    #[serde(default = "default_idle_ms")]
    pub idle_ms: u64,
    /// Whether a sub-agent's first prompt begins with one line of orientation.
    #[serde(default = "yes")]
    pub sub_agent_preface: bool,
}

/// A choice that patterm makes for a person who has not made it in the CLI's own settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DefaultChoice {
    /// Added to the command line, unless `argv` holds the first of them already or one of the files has the key.
    pub args: Vec<String>,
    /// The CLI's own settings, JSON, which are only read: absolute, below `~/`, or relative to the project.
    pub files: Vec<String>,
    /// Where the choice stands in them, as in `permissions.defaultMode`.
    pub key: String,
}

/// When a prompt may be typed for the first time. Everything given must hold, and no prompt or
/// dialog may be up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReadySignal {
    /// The CLI has asked patterm for its list of tools.
    pub tools_listed: bool,
    /// What the screen, title or self-report must show, as in a rule.
    pub when: Option<Condition>,
    /// Milliseconds without output, counted after the rest holds. Default: 300, or 1000 where
    /// nothing else is asked for.
    pub quiet_ms: Option<u64>,
    /// Milliseconds after which it counts as not ready, and waiting prompts fail.
    pub timeout_ms: u64,
}

/// How a prompt is typed: bracketed paste, a pause, Enter alone, proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Submit {
    /// Matches the prompt box; its group `text` is what stands in it.
    pub input_box: Option<Expression>,
    /// Matches text in the box that nobody typed.
    pub placeholder: Option<Expression>,
    /// Matches a text behind which the CLI offers completions, so that Enter would take one of them. A blank is typed
    /// behind such a text.
    pub completion: Option<Expression>,
    /// Milliseconds between the paste and Enter; at least 150.
    pub enter_delay_ms: u64,
    /// Any of these, true after Enter, proves that the prompt was taken.
    pub proof: Vec<Proof>,
    /// Milliseconds to wait for a proof, before and after the one Enter more.
    pub proof_ms: u64,
    /// Milliseconds for which a prompt that was taken counts as work, while nothing newer shows what the agent does.
    pub begin_ms: u64,
    /// Whether a prompt may be typed while the agent works, because the CLI queues it.
    pub while_working: bool,
}

/// Rows to leave out of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TrimHint {
    /// Every row that matches.
    Matching(Expression),
    /// A range of rows.
    Rows(RowRange),
}

/// Rows counted from 0 at the top, or from -1 at the bottom; both ends are part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowRange {
    pub from_row: i32,
    pub to_row: i32,
}

impl fmt::Debug for AgentPreset {
    /// Without the values of the environment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentPreset")
            .field("name", &self.name)
            .field("argv", &self.argv)
            .field("env", &self.env.keys())
            .field("working_dir", &self.working_dir)
            .finish_non_exhaustive()
    }
}

pub(crate) const DEFAULT_IDLE_MS: u64 = 1000;

fn default_idle_ms() -> u64 {
    DEFAULT_IDLE_MS
}

fn yes() -> bool {
    true
}

impl Default for ReadySignal {
    fn default() -> Self {
        ReadySignal { tools_listed: false, when: None, quiet_ms: None, timeout_ms: 60_000 }
    }
}

impl Default for Submit {
    fn default() -> Self {
        Submit {
            input_box: None,
            placeholder: None,
            completion: None,
            enter_delay_ms: 150,
            proof: Vec::new(),
            proof_ms: 3000,
            begin_ms: 2000,
            while_working: false,
        }
    }
}
