//! The client's config file: the known coordinators, and defaults for commands.

use std::{collections::BTreeMap, path::Path, time::Duration};

use program::Failure;
use serde::Deserialize;

use crate::path_pattern;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientConfig {
    #[serde(default)]
    pub coordinators: Vec<ConfiguredCoordinator>,
    #[serde(default)]
    pub defaults: CommandDefaults,
    #[serde(default)]
    pub attach: AttachConfig,
}

/// The appearance and the keys of `vtr attach`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttachConfig {
    pub leader: Option<String>,
    /// Keys after the leader: key to command; an empty command unbinds the key.
    #[serde(default)]
    pub keys: BTreeMap<String, String>,
    /// Whether border and status bar are shown at the start.
    pub frame: Option<bool>,
    /// Whether to report the sessions' work to the host terminal (OSC 7501), if it supports that.
    pub report_status: Option<bool>,
}

/// One `[[coordinators]]` entry: sockets by path or pattern, or a command that connects to a coordinator.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfiguredCoordinator {
    pub path: Option<String>,
    pub command: Option<Vec<String>>,
    pub name: Option<String>,
    /// The time limit for its answer.
    #[serde(default, deserialize_with = "duration")]
    pub timeout: Option<Duration>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandDefaults {
    #[serde(default)]
    pub output_format: OutputFormat,
    /// The default of `vtr idle --idle`: how long a silent session counts as idle.
    #[serde(default, deserialize_with = "duration")]
    pub wait_for_idle_timeout: Option<Duration>,
    pub grep_context_before: Option<u32>,
    pub grep_context_after: Option<u32>,
    /// The time limit for each coordinator's answer.
    #[serde(default, deserialize_with = "duration")]
    pub coordinator_timeout: Option<Duration>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputFormat {
    #[default]
    Human,
    Json,
}

fn duration<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    humantime::parse_duration(&text).map(Some).map_err(|_| {
        serde::de::Error::custom(format!("{text:?} is not a duration: write it as \"500ms\", \"30s\" or \"2m\""))
    })
}

impl ClientConfig {
    /// A missing file counts as an empty one.
    pub fn load(file: &Path) -> Result<Self, Failure> {
        let text = read_config(file)?;
        let config: ClientConfig = toml::from_str(&text).map_err(|error| malformed(file, &error.to_string()))?;
        for entry in &config.coordinators {
            entry.check().map_err(|what| malformed(file, &what))?;
        }
        Ok(config)
    }
}

impl ConfiguredCoordinator {
    fn check(&self) -> Result<(), String> {
        match (&self.path, &self.command) {
            (Some(path), None) if self.name.is_some() && path_pattern::is_pattern(path) => {
                Err(format!("the pattern {path:?} can't have a name: its sockets are named after their files"))
            }
            (Some(_), None) => Ok(()),
            (None, Some(command)) if command.is_empty() => Err("a coordinator has an empty command".into()),
            (None, Some(_)) if self.name.is_none() => Err("a coordinator with a command needs a name".into()),
            (None, Some(_)) => Ok(()),
            (None, None) => Err("a coordinator has neither path nor command".into()),
            (Some(_), Some(_)) => Err("a coordinator has both path and command".into()),
        }?;
        self.name.as_deref().map_or(Ok(()), check_name)
    }
}

pub fn check_name(name: &str) -> Result<(), String> {
    engine::SessionName::new(name.to_owned())
        .map(drop)
        .map_err(|_| format!("coordinator name {name:?}: use letters, digits, dot, underscore and dash, at most 64"))
}

pub fn read_config(file: &Path) -> Result<String, Failure> {
    match engine::read_short_file(file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(Failure::system(format_args!("reading {}", file.display()), &error)),
    }
}

pub fn malformed(file: &Path, what: &str) -> Failure {
    Failure::new(program::Exit::Usage, "bad_config", format!("{}: {}", file.display(), what.trim_end()))
        .with_hint("fix the file, or move it away: without it the defaults apply")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<ClientConfig, String> {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("config.toml");
        std::fs::write(&file, text).unwrap();
        ClientConfig::load(&file).map_err(|failure| failure.message)
    }

    #[test]
    fn everything_there_is_to_say() {
        let config = load(
            r#"
            [[coordinators]]
            path = "/var/run/vtr/*.sock"
            [[coordinators]]
            name = "far"
            command = ["ssh", "far", "vtr", "dial-stdio"]
            timeout = "10s"
            [defaults]
            output_format = "json"
            wait_for_idle_timeout = "2s"
            grep_context_before = 3
            grep_context_after = 1
            coordinator_timeout = "500ms"
            "#,
        )
        .unwrap();
        assert_eq!(config.coordinators[1].timeout, Some(Duration::from_secs(10)));
        assert_eq!(config.defaults.output_format, OutputFormat::Json);
        assert_eq!(config.defaults.wait_for_idle_timeout, Some(Duration::from_secs(2)));
        assert_eq!(config.defaults.coordinator_timeout, Some(Duration::from_millis(500)));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, expected) in [
            ("[defaults]\noutput_fromat = \"json\"", "output_fromat"),
            ("[defaults]\nwait_for_idle_timeout = \"soon\"", "not a duration"),
            ("[[coordinators]]", "neither path nor command"),
            ("[[coordinators]]\npath = \"a\"\ncommand = [\"b\"]", "both"),
            ("[[coordinators]]\ncommand = [\"b\"]", "needs a name"),
            ("[[coordinators]]\ncommand = []\nname = \"x\"", "empty command"),
            ("[[coordinators]]\npath = \"*.sock\"\nname = \"x\"", "can't have a name"),
            ("[[coordinators]]\npath = \"x.sock\"\nname = \"a:b\"", "a:b"),
            ("coordinators = 3", "coordinators"),
        ] {
            let message = load(text).unwrap_err();
            assert!(message.contains(expected), "{text:?} gave {message:?}");
        }
    }
}
