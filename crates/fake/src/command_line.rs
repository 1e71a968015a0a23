//! Parses the vendor's command line, as far as a fake acts on it, including our own flags.
//!
//! Flags that the fake does not use are skipped, so a preset for the real CLI starts the fake unchanged.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::make::AgentMake;
use crate::options::FakeOptions;
use crate::script::{FakeScript, ScriptError};
use crate::server_config::{self, ConfigError, McpServerConfig};
use crate::stories;

#[derive(Debug)]
pub(crate) struct CommandLine {
    pub(crate) script: FakeScript,
    /// Delays are a twentieth of the script's.
    pub(crate) fast: bool,
    pub(crate) alternate_screen: bool,
    /// Submitted once the fake is up.
    pub(crate) prompt: Option<String>,
    /// The id of the conversation that it goes on with.
    pub(crate) resumed: Option<String>,
    pub(crate) servers: Vec<McpServerConfig>,
    /// Tools and servers that claude may use without asking, in the form of `--allowedTools`.
    pub(crate) allowed: BTreeSet<String>,
    /// claude's settings, which configure hooks.
    pub(crate) settings: Option<Value>,
    /// The program that codex runs when a turn is finished.
    pub(crate) notify: Vec<OsString>,
    /// codex reports turns and questions by OSC 9.
    pub(crate) notify_terminal: bool,
    /// This process was restarted through a shell that ignores SIGTERM.
    pub(crate) ignores_term: bool,
}

/// An invalid command line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    #[error("{0} needs a value after it")]
    NoValue(String),
    #[error("the arguments must be UTF-8, and {0:?} is not")]
    NotText(OsString),
    #[error("{0}")]
    Config(String),
    #[error(transparent)]
    Script(#[from] ScriptError),
}

impl From<ConfigError> for UsageError {
    fn from(error: ConfigError) -> Self {
        UsageError::Config(error.to_string())
    }
}

/// Marks the restart of a fake that ignores SIGTERM.
pub(crate) const TERM_IS_IGNORED: &str = "--term-is-ignored";

/// How many values a vendor's flag takes.
enum FlagValues {
    None,
    One,
    /// All arguments up to the next flag.
    Many,
}

fn values_of(make: AgentMake, flag: &str) -> FlagValues {
    match (make, flag) {
        (
            AgentMake::Claude,
            "--mcp-config" | "--allowedTools" | "--allowed-tools" | "--disallowedTools" | "--add-dir",
        ) => FlagValues::Many,
        (
            AgentMake::Claude,
            "--settings"
            | "--model"
            | "--permission-mode"
            | "--append-system-prompt"
            | "--system-prompt"
            | "--session-id"
            | "-r"
            | "--resume"
            | "--fallback-model"
            | "--setting-sources"
            | "--agents"
            | "--effort",
        ) => FlagValues::One,
        (
            AgentMake::Codex,
            "-c" | "--config" | "-m" | "--model" | "-s" | "--sandbox" | "-a" | "--ask-for-approval" | "-C" | "--cd"
            | "-p" | "--profile" | "--enable" | "--disable" | "--add-dir" | "-i" | "--image",
        ) => FlagValues::One,
        (
            AgentMake::Opencode,
            "--prompt" | "-m" | "--model" | "--port" | "--hostname" | "--agent" | "-s" | "--session" | "--log-level",
        ) => FlagValues::One,
        _ => FlagValues::None,
    }
}

/// The command line split into flags with values, and positional arguments.
#[derive(Default)]
struct ParsedFlags {
    flags: Vec<(String, String)>,
    alone: Vec<String>,
    script: Option<PathBuf>,
    story: Option<String>,
    fast: bool,
    ignores_term: bool,
}

impl ParsedFlags {
    fn read(options: &FakeOptions) -> Result<Self, UsageError> {
        let mut written = ParsedFlags::default();
        let mut words =
            options.arguments.iter().map(|word| word.to_str().ok_or_else(|| UsageError::NotText(word.clone())));
        let mut words = words.by_ref().collect::<Result<Vec<&str>, _>>()?.into_iter().peekable();
        while let Some(word) = words.next() {
            let mut value = |flag: &str| words.next().ok_or_else(|| UsageError::NoValue(flag.into()));
            match word {
                "--" => {
                    written.alone.extend(words.by_ref().map(str::to_owned));
                }
                "--script" => written.script = Some(value(word)?.into()),
                "--story" => written.story = Some(value(word)?.into()),
                "--fast" => written.fast = true,
                TERM_IS_IGNORED => written.ignores_term = true,
                flag if flag.starts_with('-') => {
                    if let Some((flag, value)) = flag.split_once('=').filter(|(flag, _)| flag.starts_with("--")) {
                        written.flags.push((flag.into(), value.into()));
                        continue;
                    }
                    match values_of(options.make, flag) {
                        FlagValues::None => written.flags.push((flag.into(), String::new())),
                        FlagValues::One => written.flags.push((flag.into(), value(flag)?.into())),
                        FlagValues::Many => {
                            written.flags.push((flag.into(), value(flag)?.into()));
                            while let Some(more) = words.next_if(|word| !word.starts_with('-')) {
                                written.flags.push((flag.into(), more.into()));
                            }
                        }
                    }
                }
                alone => written.alone.push(alone.into()),
            }
        }
        Ok(written)
    }

    fn all<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a str> {
        self.flags.iter().filter(|(flag, _)| names.contains(&flag.as_str())).map(|(_, value)| value.as_str())
    }

    fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|(flag, _)| flag == name)
    }
}

impl CommandLine {
    pub(crate) fn read(options: &FakeOptions) -> Result<Self, UsageError> {
        let written = ParsedFlags::read(options)?;
        let script = match (&written.script, &written.story, &options.script) {
            (Some(path), _, _) => FakeScript::read(path)?,
            (None, Some(name), _) => stories::story(name)?,
            (None, None, Some(path)) => FakeScript::read(path)?,
            (None, None, None) => stories::story("echo")?,
        };
        let mut line = CommandLine {
            script,
            fast: written.fast,
            alternate_screen: options.make != AgentMake::Claude,
            prompt: written.alone.first().cloned(),
            resumed: None,
            servers: Vec::new(),
            allowed: BTreeSet::new(),
            settings: None,
            notify: Vec::new(),
            notify_terminal: false,
            ignores_term: written.ignores_term,
        };
        match options.make {
            AgentMake::Claude => line.read_claude(&written)?,
            AgentMake::Codex => line.read_codex(&written),
            AgentMake::Opencode => line.read_opencode(&written, options)?,
        }
        Ok(line)
    }

    fn read_claude(&mut self, written: &ParsedFlags) -> Result<(), UsageError> {
        for value in written.all(&["--mcp-config"]) {
            self.servers.extend(server_config::claude(value)?);
        }
        let allowed = written.all(&["--allowedTools", "--allowed-tools"]);
        self.allowed = allowed.flat_map(|names| names.split([',', ' '])).map(str::to_owned).collect();
        if written.has("--dangerously-skip-permissions") {
            self.servers.iter_mut().for_each(|server| server.approved = true);
        }
        self.resumed = written.all(&["-r", "--resume"]).last().map(str::to_owned);
        self.settings = written.all(&["--settings"]).last().map(server_config::json_or_file).transpose()?;
        Ok(())
    }

    fn read_codex(&mut self, written: &ParsedFlags) {
        self.alternate_screen = !written.has("--no-alt-screen");
        if let [command, conversation, rest @ ..] = &written.alone[..]
            && command == "resume"
        {
            self.resumed = Some(conversation.clone());
            self.prompt = rest.first().cloned();
        }
        let overrides: Vec<(String, Value)> = written
            .all(&["-c", "--config"])
            .filter_map(|text| text.split_once('='))
            .map(|(key, value)| (key.trim().to_owned(), server_config::codex_value(value.trim())))
            .collect();
        self.servers = server_config::codex(&overrides);
        let last = |key: &str| overrides.iter().rev().find(|(other, _)| other == key).map(|(_, value)| value);
        let notify = last("notify").and_then(Value::as_array).into_iter().flatten();
        self.notify = notify.filter_map(|word| word.as_str().map(OsString::from)).collect();
        self.notify_terminal = last("tui.notification_condition").is_some_and(|value| value == "always");
    }

    fn read_opencode(&mut self, written: &ParsedFlags, options: &FakeOptions) -> Result<(), UsageError> {
        // A positional argument is a folder there.
        self.prompt = written.all(&["--prompt"]).last().map(str::to_owned);
        self.resumed = written.all(&["-s", "--session"]).last().map(str::to_owned);
        const CONTENT: &str = "OPENCODE_CONFIG_CONTENT";
        if let Some(path) = options.variable("OPENCODE_CONFIG") {
            self.servers.extend(server_config::opencode(path, &server_config::read(Path::new(path))?)?);
        }
        if let Some(text) = options.variable(CONTENT) {
            self.servers.extend(server_config::opencode(CONTENT, text)?);
        }
        Ok(())
    }

    /// Whether a tool may be called without asking.
    pub(crate) fn may_call(&self, server: &McpServerConfig, tool: &str) -> bool {
        let whole = format!("mcp__{}", server.name);
        server.approved || self.allowed.contains(&whole) || self.allowed.contains(&format!("{whole}__{tool}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(make: AgentMake, words: &[&str], environment: &[(&str, &str)]) -> Result<CommandLine, UsageError> {
        CommandLine::read(&FakeOptions {
            make,
            arguments: words.iter().map(OsString::from).collect(),
            environment: environment.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
            working_dir: "/".into(),
            script: None,
            again: Vec::new(),
        })
    }

    const SERVER: &str = r#"{"mcpServers":{"patterm":{"command":"p"}}}"#;

    #[test]
    fn claude_takes_variadic_flags_and_a_prompt_after_dashes() {
        let words =
            ["--mcp-config", SERVER, "--strict-mcp-config", "--allowedTools", "mcp__patterm", "Bash", "--", "hi"];
        let line = read(AgentMake::Claude, &words, &[]).unwrap();
        assert_eq!((line.servers.len(), line.prompt.as_deref()), (1, Some("hi")));
        assert!(line.may_call(&line.servers[0], "whoami"));
        let line = read(AgentMake::Claude, &["--mcp-config", SERVER], &[]).unwrap();
        assert!(!line.may_call(&line.servers[0], "whoami"));
    }

    #[test]
    fn codex_takes_overrides() {
        let words = [
            "--no-daemon",
            "--no-alt-screen",
            "-c",
            "mcp_servers.patterm.command=\"p\"",
            "-c",
            "tui.notification_condition=\"always\"",
            "-c",
            "notify=[\"n\", \"x\"]",
            "do it",
        ];
        let line = read(AgentMake::Codex, &words, &[]).unwrap();
        assert_eq!((line.servers[0].name.as_str(), line.prompt.as_deref()), ("patterm", Some("do it")));
        assert!(!line.alternate_screen && line.notify_terminal);
        assert_eq!(line.notify, ["n", "x"]);
    }

    #[test]
    fn opencode_takes_its_environment() {
        let content = r#"{"mcp":{"patterm":{"type":"local","command":["p"]}},"plugin":["file:///x.js"]}"#;
        let line =
            read(AgentMake::Opencode, &["--prompt", "go", "."], &[("OPENCODE_CONFIG_CONTENT", content)]).unwrap();
        assert_eq!((line.servers.len(), line.prompt.as_deref()), (1, Some("go")));
    }

    #[test]
    fn each_goes_on_with_a_conversation_in_its_own_way() {
        for (make, words) in [
            (AgentMake::Claude, &["--resume", "c-1"][..]),
            (AgentMake::Codex, &["-c", "a=1", "resume", "c-1"]),
            (AgentMake::Opencode, &["--log-level", "WARN", "--session", "c-1"]),
        ] {
            let line = read(make, words, &[]).unwrap();
            assert_eq!((line.resumed.as_deref(), line.prompt), (Some("c-1"), None), "{make:?}");
        }
    }

    #[test]
    fn a_missing_value_or_story_is_named() {
        assert_eq!(read(AgentMake::Codex, &["-c"], &[]).unwrap_err().to_string(), "-c needs a value after it");
        let error = read(AgentMake::Codex, &["--story", "none"], &[]).unwrap_err().to_string();
        assert!(error.contains("echo"), "{error}");
    }
}
