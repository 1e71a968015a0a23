//! What the user has set in config.json. Reading the file is `settings/read.rs`; finding it is the program's.

use agents::preset::Expression;
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};

mod default_text;
mod follow;
mod read;
mod status_line;
mod theme_folder;

pub use default_text::default_text;
pub use follow::FileWatch;
pub use read::{Checked, MAX_SETTINGS_BYTES, SettingsError, SettingsWarning};
pub use status_line::{StatusLine, StatusPart};
pub use theme_folder::{ThemeFolder, ThemeName, ThemeNameError, ThemeReadError};

/// patterm's settings. Every key may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// For editors: the schema of this file. Has no effect.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Colours of patterm's own frame: auto (dark or light, by the terminal's background), terminal (the terminal's own 16
    /// colours), dark, light, high-contrast, or the name of a file in the folder `themes` beside this one, without
    /// `.json`. Panes keep their programs' colours.
    // Any text: a name without a theme is reported on the screen, and must not keep patterm from starting.
    #[schemars(regex(pattern = "^[a-z0-9-]{1,64}$"))]
    pub theme: String,
    /// What states, lines and marks of patterm's own frame are drawn with, ascii: for fonts that lack the others, and for
    /// screen readers.
    pub signs: Signs,
    /// Your own keys for commands of the palette, in addition to the built-in ones.
    pub keymap: Vec<KeyBinding>,
    pub rail: Rail,
    pub status_line: StatusLine,
    /// What becomes of the last run's tabs when patterm starts on a screen. ask: you are asked whether to open them; always:
    /// they are opened; never: they are left for "Open last run's tabs" in the palette. Agents go on with their
    /// conversations, commands wait for Enter.
    pub last_run: LastRunChoice,
    pub attention: Attention,
    /// Tell the terminal that patterm runs in what waits for you, what works and what is done, if it keeps such records
    /// (OSC 7501): another patterm, for one.
    pub report_status: bool,
    /// Seconds between asking a program to end and killing it, 0 to 300.
    #[schemars(range(min = 0.0, max = 300.0))]
    pub grace_seconds: f64,
    pub scrollback: Scrollback,
    pub notices: Notices,
    /// Levels of agents in a tab, 1 to 8: with 2, an agent starts sub-agents and these start none.
    #[schemars(range(min = 1, max = 8))]
    pub max_depth: u32,
    pub permissions: Permissions,
    /// Whether a program may write to the clipboard with OSC 52, focused: from the pane that has the focus. Reading the
    /// clipboard is never allowed.
    pub osc52: Osc52,
    pub agents: Agents,
    pub mcp: Mcp,
}

/// The theme that goes with the terminal's background.
pub const AUTO_THEME: &str = "auto";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Signs {
    #[default]
    Unicode,
    Ascii,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LastRunChoice {
    #[default]
    Ask,
    Always,
    Never,
}

/// One key for one command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeyBinding {
    /// For example `ctrl-t`, `alt+x`, `f5`; a sequence is written with spaces.
    pub keys: String,
    /// The id of a command, as shown by the palette.
    pub command: String,
}

/// The list of sessions and scratchpads beside the pane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Rail {
    pub visible: bool,
    pub side: Side,
    /// Columns, 12 to 120.
    #[schemars(range(min = 12, max = 120))]
    pub width: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Left,
    Right,
}

/// How patterm calls you when an agent asks for you.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Attention {
    /// Show the session that needs you at once, whatever you are looking at.
    pub auto_focus: bool,
    /// Ring the terminal's bell.
    pub bell: bool,
    /// A program that ran for at least this many seconds and ends while you don't see it is announced like a call for
    /// you; 0 announces none.
    #[schemars(range(min = 0, max = 86_400))]
    pub long_command_seconds: u32,
}

/// How much output each session keeps. The limit that is reached first applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Scrollback {
    /// Lines, 0 to 1000000.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub lines: usize,
    /// Bytes of memory, 1048576 to 1073741824.
    #[schemars(range(min = 1_048_576, max = 1_073_741_824))]
    pub bytes: usize,
}

/// For which kinds of sessions an agent gets a `[system]` line when one that it started ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Notices {
    pub agents: bool,
    pub commands: bool,
    pub terminals: bool,
}

/// Which prompts of a sub-agent another agent may allow. Everything else is left to you. Independent of the lists, the
/// prompt must be completely readable, its command must be plain words without shell syntax, and only this one thing
/// may be allowed, once. A prompt is text on a screen, and no list makes it a security boundary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Permissions {
    /// Regular expressions, each for a whole `tool: command`, for example `shell: cargo test`. These override `never`.
    pub allow: Vec<Expression>,
    /// Regular expressions of what agents may not allow even if a preset lists it; matching a part is enough.
    pub never: Vec<Expression>,
    /// Whether an agent may answer a question that another agent's model asks its user, if that agent's preset permits
    /// it.
    pub answer_questions: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Osc52 {
    #[default]
    Never,
    Focused,
}

/// How patterm recognises what sessions are doing, and what agents may start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Agents {
    /// Milliseconds of silence that count as rest in sessions without an agent preset, 100 to 600000.
    #[schemars(range(min = 100, max = 600_000))]
    pub idle_ms: u64,
    /// Whether agents may start commands that they compose themselves: spawn_process with argv, a shell, or a preset with
    /// variables or a folder of the agent's own. `ask` asks you, by program and tab. This never covers what an agent
    /// types into a running program, or what its CLI runs by itself.
    pub free_commands: FreeCommands,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FreeCommands {
    #[default]
    Allow,
    Ask,
    Deny,
}

/// Limits of the MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Mcp {
    /// Connections at a time, 1 to 4096.
    #[schemars(range(min = 1, max = 4096))]
    pub max_connections: usize,
    /// Calls in progress on one connection, 1 to 1024.
    #[schemars(range(min = 1, max = 1024))]
    pub max_calls: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            schema: None,
            theme: AUTO_THEME.to_owned(),
            signs: Signs::default(),
            keymap: Vec::new(),
            rail: Rail::default(),
            status_line: StatusLine::default(),
            last_run: LastRunChoice::default(),
            attention: Attention::default(),
            report_status: true,
            grace_seconds: 5.0,
            scrollback: Scrollback::default(),
            notices: Notices::default(),
            max_depth: 2,
            permissions: Permissions::default(),
            osc52: Osc52::default(),
            agents: Agents::default(),
            mcp: Mcp::default(),
        }
    }
}

impl Default for Rail {
    fn default() -> Self {
        Rail { visible: true, side: Side::Right, width: 30 }
    }
}

impl Default for Attention {
    fn default() -> Self {
        Attention { auto_focus: false, bell: true, long_command_seconds: 30 }
    }
}

impl Default for Scrollback {
    fn default() -> Self {
        Scrollback { lines: 10_000, bytes: 64 << 20 }
    }
}

impl Default for Notices {
    fn default() -> Self {
        Notices { agents: true, commands: true, terminals: true }
    }
}

/// Writes, deletes, the network, credentials, other users, package scripts and broad shells.
const NEVER: [&str; 7] = [
    r"\b(?:rm|rmdir|mv|cp|dd|ln|tee|touch|mkdir|truncate|shred|chmod|chown|kill|pkill|killall|install|patch)\b",
    r"\b(?:sudo|su|doas|pkexec|env|xargs|nohup|eval|exec|sh|bash|zsh|fish|python3?|perl|ruby|node|deno|awk|sed)\b",
    r"\b(?:curl|wget|ssh|scp|sftp|rsync|nc|ncat|socat|telnet|ftp|docker|podman|kubectl|gh|aws|gcloud|az)\b",
    r"\b(?:npm|npx|pnpm|yarn|bun|pip|pipx|uv|cargo|go|make|just|gradle|mvn|apt|apt-get|brew|gem)\b",
    r"(?i)secret|credential|passw|token|private|\bid_(?:rsa|dsa|ecdsa|ed25519)|\.pem\b|\.key\b|shadow",
    // Hidden files and folders hold settings and keys.
    r"(?:^|[ /:])\.[A-Za-z0-9]",
    r"\.\.",
];

impl Default for Permissions {
    fn default() -> Self {
        let never = NEVER.map(|text| Expression::new(text).expect("constants that compile")).to_vec();
        Permissions { allow: Vec::new(), never, answer_questions: true }
    }
}

impl Default for Agents {
    fn default() -> Self {
        Agents { idle_ms: 1000, free_commands: FreeCommands::default() }
    }
}

impl Default for Mcp {
    fn default() -> Self {
        Mcp { max_connections: 256, max_calls: 64 }
    }
}

impl Settings {
    /// The JSON Schema of config.json, for editors and for checking.
    pub fn json_schema() -> Schema {
        let settings = SchemaSettings::draft2020_12().for_deserialize().with(|settings| {
            settings.inline_subschemas = true;
        });
        settings.into_generator().into_root_schema_for::<Settings>()
    }

    pub fn grace(&self) -> std::time::Duration {
        std::time::Duration::try_from_secs_f64(self.grace_seconds).unwrap_or_default()
    }
}
