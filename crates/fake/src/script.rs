//! The script that a fake follows: JSON with comments, read once at the start. The format is documented in
//! docs/guide/fake-agents.md.
//!
//! It is data only: [`turn`](crate::turn) carries out the steps.

use std::path::{Path, PathBuf};
use std::{fmt, fs};

use jsonc_parser::ParseOptions;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Maximum size: a script is written by hand.
const MAX_BYTES: u64 = 4 << 20;
/// Maximum size of a compiled pattern.
const MAX_PATTERN_BYTES: usize = 1 << 20;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FakeScript {
    /// A comment for people.
    pub(crate) about: String,
    pub(crate) settings: ScriptSettings,
    /// Before the first prompt box is drawn.
    pub(crate) start: Vec<ScriptStep>,
    /// The first reaction that matches a prompt is played.
    pub(crate) reactions: Vec<ScriptReaction>,
}

#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("the script {path} can't be read: {source}", path = path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("the script {path} has {size} bytes; the limit is {MAX_BYTES}", path = path.display())]
    TooLarge { path: PathBuf, size: u64 },
    #[error("the script {name} is wrong: {message}")]
    Wrong { name: String, message: String },
    #[error("there is no story {0:?}: `--story` takes one of {1}")]
    NoStory(String, String),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ScriptSettings {
    /// Nothing is drawn for this time and the terminal is left as it is, as opencode does at its start.
    pub(crate) silent_ms: u64,
    pub(crate) ignore_term: bool,
    /// Large pastes are shown as labels, as in the real CLIs.
    pub(crate) collapse_pastes: bool,
    /// Enter right after a burst of text does not submit, in CLIs that behave so.
    pub(crate) burst_rule: bool,
    /// When false, the configured MCP servers are never started.
    pub(crate) connect: bool,
    pub(crate) mcp_era: McpEra,
    pub(crate) run_hooks: bool,
    /// Delay between two words of an answer.
    pub(crate) word_ms: u64,
    /// Shown dim in the empty box instead of the CLI's own placeholder.
    pub(crate) ghost_text: String,
}

impl Default for ScriptSettings {
    fn default() -> Self {
        ScriptSettings {
            silent_ms: 0,
            ignore_term: false,
            collapse_pastes: true,
            burst_rule: true,
            connect: true,
            mcp_era: McpEra::default(),
            run_hooks: true,
            word_ms: 40,
            ghost_text: String::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum McpEra {
    /// The connection starts with `initialize`: revisions up to 2025-11-25.
    #[default]
    Handshake,
    /// Requests are independent of each other: 2026-07-28.
    Stateless,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScriptReaction {
    /// Searched for in the prompt; if omitted, every prompt matches.
    #[serde(default)]
    pub(crate) prompt: Option<ScriptPattern>,
    /// The number of the prompt, counted from 1.
    #[serde(default)]
    pub(crate) nth: Option<usize>,
    /// Played only once.
    #[serde(default)]
    pub(crate) once: bool,
    #[serde(rename = "do")]
    pub(crate) steps: Vec<ScriptStep>,
}

#[derive(Clone, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct ScriptPattern(pub(crate) Regex);

impl TryFrom<String> for ScriptPattern {
    type Error = regex::Error;

    fn try_from(text: String) -> Result<Self, regex::Error> {
        RegexBuilder::new(&text).size_limit(MAX_PATTERN_BYTES).build().map(ScriptPattern)
    }
}

impl fmt::Debug for ScriptPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/", self.0)
    }
}

/// An action of the fake. In a script: an object with the step's name as its only key.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScriptStep {
    /// Streams an answer.
    Say(String),
    /// Looks busy for this many milliseconds.
    Think(u64),
    /// Does nothing for this many milliseconds; does not start to look busy.
    Sleep(u64),
    Call(CallStep),
    /// Calls in parallel; continues when all have answered.
    CallTogether(Vec<CallStep>),
    /// A command that needs no permission. Drawn, never executed.
    Shell(ShellStep),
    AskPermission(AskPermission),
    Dialog(DialogStep),
    /// Written to the terminal unchanged.
    Print(String),
    Flood(FloodStep),
    Hang(HangStep),
    /// Ends without restoring the terminal: with an exit code, or by a signal.
    Crash(CrashStep),
    /// Exits normally.
    Exit(u8),
    Title(String),
    /// A desktop notification in the CLI's own form.
    Notify(String),
    Set(Map<String, Value>),
    If(IfStep),
    Repeat(RepeatStep),
    /// At the start: draws the box before the start is over, as codex does before it asks for trust.
    ShowBox {},
    /// Ends the turn at once, as if it were complete.
    End {},
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallStep {
    pub(crate) tool: String,
    #[serde(default)]
    pub(crate) args: Value,
    /// The MCP server; the first configured one if omitted.
    #[serde(default)]
    pub(crate) server: Option<String>,
    /// The variable for the result.
    #[serde(default, rename = "as")]
    pub(crate) bind: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShellStep {
    pub(crate) command: String,
    #[serde(default)]
    pub(crate) output: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskPermission {
    /// A shell command; or `file`.
    #[serde(default)]
    pub(crate) command: Option<String>,
    /// A file to write.
    #[serde(default)]
    pub(crate) file: Option<String>,
    #[serde(default)]
    pub(crate) reason: String,
    /// The output shown once the command was allowed.
    #[serde(default)]
    pub(crate) output: String,
    #[serde(default)]
    pub(crate) approved: Vec<ScriptStep>,
    /// The steps after a refusal; if empty, the turn ends, as in the real CLIs.
    #[serde(default)]
    pub(crate) refused: Vec<ScriptStep>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DialogStep {
    /// One of the vendor's own dialogs (`trust`, `api_key`, `project_mcp`, `hooks`), or one made of `title`, `text`,
    /// `options`.
    #[serde(default)]
    pub(crate) kind: Option<String>,
    #[serde(default)]
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) options: Vec<String>,
    /// The variable for the number of the chosen option; 0 after Escape.
    #[serde(default, rename = "as")]
    pub(crate) bind: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FloodStep {
    pub(crate) bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HangStep {
    /// Looks busy without end. Escape interrupts it.
    Working,
    /// Stops drawing and reading.
    Frozen,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum CrashStep {
    Code(u8),
    Signal(String),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IfStep {
    pub(crate) value: Value,
    /// The value to compare with. Without this and `matches`, the condition holds for anything but null, false, 0 and
    /// "".
    #[serde(default)]
    pub(crate) is: Option<Value>,
    #[serde(default)]
    pub(crate) matches: Option<ScriptPattern>,
    #[serde(default)]
    pub(crate) then: Vec<ScriptStep>,
    #[serde(default, rename = "else")]
    pub(crate) otherwise: Vec<ScriptStep>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RepeatStep {
    pub(crate) times: u64,
    #[serde(rename = "do")]
    pub(crate) steps: Vec<ScriptStep>,
}

impl FakeScript {
    pub fn read(path: &Path) -> Result<Self, ScriptError> {
        let unreadable = |source| ScriptError::Unreadable { path: path.into(), source };
        let size = fs::metadata(path).map_err(unreadable)?.len();
        if size > MAX_BYTES {
            return Err(ScriptError::TooLarge { path: path.into(), size });
        }
        Self::parse(&path.display().to_string(), &fs::read_to_string(path).map_err(unreadable)?)
    }

    /// `name` is used in errors only.
    pub fn parse(name: &str, text: &str) -> Result<Self, ScriptError> {
        // Comments and trailing commas, but no other extensions: other tools must be able to read a script.
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        jsonc_parser::parse_to_serde_value(text, &options)
            .map_err(|error| ScriptError::Wrong { name: name.into(), message: error.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_welcome() {
        let text = r#"{
            // what it is for
            "reactions": [{ "prompt": "^hi", "do": [{ "say": "hello" }, { "hang": "working" }, { "crash": "KILL" }, { "end": {} }] },],
        }"#;
        let script = FakeScript::parse("test", text).unwrap();
        assert_eq!(script.reactions[0].steps.len(), 4);
        assert!(script.reactions[0].prompt.as_ref().unwrap().0.is_match("hi there"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, word) in [
            (r#"{ "reactions": [{ "do": [{ "sing": "la" }] }] }"#, "sing"),
            (r#"{ "settings": { "silent": 3 } }"#, "silent"),
            (r#"{ "reactions": [{ "prompt": "(", "do": [] }] }"#, "unclosed group"),
            (r#"{ "reactions": [{ "do": [{ "call": {} }] }] }"#, "tool"),
        ] {
            let error = FakeScript::parse("test", text).unwrap_err().to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
