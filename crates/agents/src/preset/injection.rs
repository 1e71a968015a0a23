//! How a CLI is told something for one run, without its own configuration being touched.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Strings may hold placeholders: `${command}` our own program, `${connect}` the connect file,
/// `${file}` the rendered file, `${folder}` the launch's folder, `${project}`, `${home}`, `${cache}` the person's
/// folder for caches; each also
/// as `${connect:json}`, `:toml`, `:sh` (quoted so) or `:url` (`file://…`). `$${` is a plain `${`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Injection {
    /// A file, and a flag that names it.
    FlagFile {
        flag: String,
        /// What the flag's value looks like. Default: `${file}`.
        #[serde(default)]
        value: Option<String>,
        /// Default: the usual `{"mcpServers": {"patterm": …}}`.
        #[serde(default)]
        content: Option<serde_json::Value>,
        #[serde(default)]
        format: InjectionFormat,
        #[serde(default)]
        files: BTreeMap<String, FileText>,
    },
    /// Arguments alone.
    Args {
        args: Vec<String>,
        #[serde(default)]
        files: BTreeMap<String, FileText>,
    },
    /// An environment variable that holds the configuration itself. Contents of several injections
    /// into one variable are merged.
    EnvContent {
        var: String,
        #[serde(default)]
        content: Option<serde_json::Value>,
        #[serde(default)]
        files: BTreeMap<String, FileText>,
    },
    /// A file, and an environment variable that names it.
    EnvFile {
        var: String,
        #[serde(default)]
        content: Option<serde_json::Value>,
        #[serde(default)]
        format: InjectionFormat,
        #[serde(default)]
        files: BTreeMap<String, FileText>,
    },
    /// A copy of the CLI's own configuration file with ours merged in; a flag or a variable names
    /// the copy. The file itself is only read.
    ConfigFile {
        /// The person's own file; `~/` is the home folder. JSON or TOML, by its ending.
        path: String,
        /// Where the content goes, as in `mcp_servers`. Default: the top.
        #[serde(default)]
        merge_key: Option<String>,
        #[serde(default)]
        content: Option<serde_json::Value>,
        #[serde(default)]
        flag: Option<String>,
        #[serde(default)]
        var: Option<String>,
        #[serde(default)]
        points_to: PointsTo,
        #[serde(default)]
        files: BTreeMap<String, FileText>,
    },
    /// As `flag_file` with the usual content.
    Flag {
        flag: String,
        /// Name of the rendered file; only its last part counts.
        #[serde(default)]
        config_path: Option<String>,
    },
    /// As `env_file` with the usual content.
    EnvVar { var: String },
}

/// How content is written to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InjectionFormat {
    #[default]
    Json,
    Toml,
}

/// What the flag or variable of a copied configuration names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PointsTo {
    #[default]
    File,
    /// The folder that holds the copy; the other entries of the person's folder are linked into it.
    Folder,
}

/// A text file beside the configuration: one string, or a list of lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FileText {
    Text(String),
    Lines(Vec<String>),
}

impl FileText {
    pub fn joined(&self) -> String {
        match self {
            FileText::Text(text) => text.clone(),
            FileText::Lines(lines) => {
                let mut text = lines.join("\n");
                text.push('\n');
                text
            }
        }
    }
}

impl Injection {
    /// `None`: the usual content, or none at all for arguments.
    pub fn content(&self) -> Option<&serde_json::Value> {
        match self {
            Injection::FlagFile { content, .. }
            | Injection::EnvContent { content, .. }
            | Injection::EnvFile { content, .. }
            | Injection::ConfigFile { content, .. } => content.as_ref(),
            Injection::Args { .. } | Injection::Flag { .. } | Injection::EnvVar { .. } => None,
        }
    }

    /// Texts to be written beside the configuration, by file name.
    pub fn files(&self) -> &BTreeMap<String, FileText> {
        static NONE: BTreeMap<String, FileText> = BTreeMap::new();
        match self {
            Injection::FlagFile { files, .. }
            | Injection::Args { files, .. }
            | Injection::EnvContent { files, .. }
            | Injection::EnvFile { files, .. }
            | Injection::ConfigFile { files, .. } => files,
            Injection::Flag { .. } | Injection::EnvVar { .. } => &NONE,
        }
    }

    /// Whether `${file}` stands for something.
    pub fn renders_a_file(&self) -> bool {
        !matches!(self, Injection::Args { .. } | Injection::EnvContent { .. })
    }
}
