//! What a process preset may hold.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A command under a name.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessPreset {
    /// For editors: the schema of this file. Has no effect.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Shown in the palette and used by spawn_process. Default: the file's name without `.json`.
    #[serde(default)]
    pub name: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Whether `argv`, joined by spaces, is run by `sh -lc`.
    #[serde(default)]
    pub shell: bool,
    /// Set on top of what is inherited.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Taken away from what is inherited.
    #[serde(default)]
    pub env_unset: Vec<String>,
    /// Relative to the project; `~/` is the home folder. Default: the project.
    #[serde(default)]
    pub working_dir: Option<String>,
}

impl ProcessPreset {
    /// What is really run.
    pub fn command(&self) -> Vec<String> {
        if self.shell { vec!["sh".into(), "-lc".into(), self.argv.join(" ")] } else { self.argv.clone() }
    }
}

impl fmt::Debug for ProcessPreset {
    /// Without the values of the environment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessPreset")
            .field("name", &self.name)
            .field("argv", &self.argv)
            .field("shell", &self.shell)
            .field("env", &self.env.keys())
            .field("working_dir", &self.working_dir)
            .finish_non_exhaustive()
    }
}
