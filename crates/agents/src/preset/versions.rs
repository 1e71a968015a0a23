//! Which versions of its CLI a preset was made for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::expression::Expression;
use crate::version::ProgramVersion;

/// How the CLI is asked for its version, and which versions its rules were tested with. A version that is newer or too
/// old is said, and never keeps the CLI from being started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PresetVersions {
    /// Arguments with which the program prints its version and ends.
    #[serde(default = "ask")]
    pub ask: Vec<String>,
    /// Matches the version in what it prints; the first group, where there is one. Default: the first numbers with dots
    /// between them.
    #[serde(default = "pattern")]
    pub pattern: Expression,
    /// The versions that the rules were tested with.
    #[serde(default)]
    pub tested: Vec<ProgramVersion>,
    /// The oldest version that the launch can work with.
    #[serde(default)]
    pub oldest: Option<ProgramVersion>,
}

fn ask() -> Vec<String> {
    vec!["--version".into()]
}

fn pattern() -> Expression {
    Expression::new(r"\d+(?:\.\d+)+(?:-[0-9A-Za-z.]+)?").expect("a constant that compiles")
}

/// For a program that follows the custom: `--version` prints numbers with dots between them.
impl Default for PresetVersions {
    fn default() -> Self {
        PresetVersions { ask: ask(), pattern: pattern(), tested: Vec::new(), oldest: None }
    }
}

impl PresetVersions {
    /// The version in what the program printed.
    pub fn find(&self, printed: &str) -> Option<ProgramVersion> {
        let found = self.pattern.pattern().regex().captures(printed)?;
        let found = found.iter().skip(1).flatten().next().or_else(|| found.get(0))?;
        found.as_str().parse().ok()
    }
}
