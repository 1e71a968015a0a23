//! The client's config file: the known coordinators, and defaults for commands.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;
use toml_edit::{ArrayOfTables, DocumentMut, Item, value};

use program::Failure;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClientConfig {
    #[serde(default)]
    pub(crate) coordinators: Vec<ConfiguredCoordinator>,
    #[serde(default)]
    pub(crate) defaults: CommandDefaults,
    #[serde(default)]
    pub(crate) attach: AttachConfig,
}

/// The appearance and the keys of `vtr attach`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttachConfig {
    pub(crate) leader: Option<String>,
    /// Keys after the leader: key to command; an empty command unbinds the key.
    #[serde(default)]
    pub(crate) keys: BTreeMap<String, String>,
    /// Whether border and status bar are shown at the start.
    pub(crate) frame: Option<bool>,
    /// Whether to report the sessions' work to the host terminal (OSC 7501), if it supports that.
    pub(crate) report_status: Option<bool>,
}

/// One `[[coordinators]]` entry: sockets by path or pattern, or a command that connects to a coordinator.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConfiguredCoordinator {
    pub(crate) path: Option<String>,
    pub(crate) command: Option<Vec<String>>,
    pub(crate) name: Option<String>,
    /// The time limit for its answer.
    #[serde(default, deserialize_with = "duration")]
    pub(crate) timeout: Option<Duration>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandDefaults {
    #[serde(default)]
    pub(crate) output_format: OutputFormat,
    /// The default of `vtr idle --idle`: how long a silent session counts as idle.
    #[serde(default, deserialize_with = "duration")]
    pub(crate) wait_for_idle_timeout: Option<Duration>,
    pub(crate) grep_context_before: Option<u32>,
    pub(crate) grep_context_after: Option<u32>,
    /// The time limit for each coordinator's answer.
    #[serde(default, deserialize_with = "duration")]
    pub(crate) coordinator_timeout: Option<Duration>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OutputFormat {
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
    pub(crate) fn load(file: &Path) -> Result<Self, Failure> {
        let text = read(file)?;
        let config: ClientConfig = toml::from_str(&text).map_err(|error| malformed(file, &error.to_string()))?;
        for entry in &config.coordinators {
            entry.check().map_err(|what| malformed(file, &what))?;
        }
        crate::attach::LeaderBindings::new(config.attach.leader.as_deref(), &config.attach.keys)
            .map_err(|what| malformed(file, &what))?;
        Ok(config)
    }
}

impl ConfiguredCoordinator {
    fn check(&self) -> Result<(), String> {
        match (&self.path, &self.command) {
            (Some(path), None) if self.name.is_some() && crate::path_pattern::is_pattern(path) => {
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

fn check_name(name: &str) -> Result<(), String> {
    engine::SessionName::new(name.to_owned())
        .map(drop)
        .map_err(|_| format!("coordinator name {name:?}: use letters, digits, dot, underscore and dash, at most 64"))
}

fn read(file: &Path) -> Result<String, Failure> {
    match engine::read_short_file(file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(Failure::system(format_args!("reading {}", file.display()), &error)),
    }
}

fn malformed(file: &Path, what: &str) -> Failure {
    Failure::new(program::Exit::Usage, "bad_config", format!("{}: {}", file.display(), what.trim_end()))
        .with_hint("fix the file, or move it away: without it the defaults apply")
}

/// The file as a document, so that it can be edited without losing comments.
#[derive(Debug)]
pub(crate) struct ConfigEditor {
    file: PathBuf,
    document: DocumentMut,
}

/// A new entry for `vtr config add`.
#[derive(Clone, Debug)]
pub(crate) enum NewEntry {
    Path { path: String, name: Option<String> },
    Command { name: String, command: Vec<String> },
}

impl ConfigEditor {
    /// Refuses a file that could not be loaded: editing might make it worse.
    pub(crate) fn open(file: PathBuf) -> Result<Self, Failure> {
        ClientConfig::load(&file)?;
        let document =
            read(&file)?.parse().map_err(|error: toml_edit::TomlError| malformed(&file, &error.to_string()))?;
        Ok(ConfigEditor { file, document })
    }

    fn entries(&mut self) -> Result<&mut ArrayOfTables, Failure> {
        let item = self.document.entry("coordinators").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        item.as_array_of_tables_mut().ok_or_else(|| {
            malformed(
                &self.file,
                "`coordinators` is an inline list, which can't be edited: use [[coordinators]] tables",
            )
        })
    }

    /// Returns false if the entry exists already.
    pub(crate) fn add(&mut self, new: &NewEntry) -> Result<bool, Failure> {
        let mut table = toml_edit::Table::new();
        let (name, present) = match new {
            NewEntry::Path { path, name } => {
                table["path"] = value(path);
                (name.as_ref(), self.position(path)?)
            }
            NewEntry::Command { name, command } => {
                table["command"] = value(command.iter().collect::<toml_edit::Array>());
                (Some(name), self.position(name)?)
            }
        };
        if present.is_some() {
            return Ok(false);
        }
        if let Some(name) = name {
            check_name(name).map_err(Failure::usage)?;
            if self.position(name)?.is_some() {
                return Err(Failure::usage(format!("a coordinator called {name:?} exists already"))
                    .with_hint("choose another --name, or remove that one with `vtr config rm`"));
            }
            table["name"] = value(name);
        }
        // In a file of comments only, they stay above the new entry.
        if self.document.iter().all(|(_, item)| item.as_array_of_tables().is_some_and(ArrayOfTables::is_empty)) {
            let above = self.document.trailing().as_str().unwrap_or_default().to_owned();
            let gap = if above.is_empty() || above.ends_with("\n\n") { "" } else { "\n" };
            table.decor_mut().set_prefix(above + gap);
            self.document.set_trailing("");
        }
        self.entries()?.push(table);
        Ok(true)
    }

    /// By path, pattern or name. Returns false if there is no such entry.
    pub(crate) fn remove(&mut self, which: &str) -> Result<bool, Failure> {
        let Some(position) = self.position(which)? else { return Ok(false) };
        let entries = self.entries()?;
        let above = |table: &toml_edit::Table| {
            table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned()
        };
        // Comments above the entry may also concern what follows, so they stay.
        let kept = entries.get(position).map(above).unwrap_or_default();
        entries.remove(position);
        let kept = if kept.contains('#') { kept } else { String::new() };
        match entries.get_mut(position) {
            Some(next) => {
                let own = above(next);
                let own = if kept.is_empty() { own.as_str() } else { own.trim_start_matches('\n') };
                next.decor_mut().set_prefix(format!("{kept}{own}"));
            }
            None if !kept.is_empty() => {
                let trailing = self.document.trailing().as_str().unwrap_or_default().to_owned();
                self.document.set_trailing(format!("{}\n{trailing}", kept.trim_end_matches('\n')));
            }
            None => {}
        }
        Ok(true)
    }

    fn position(&mut self, which: &str) -> Result<Option<usize>, Failure> {
        let is = |item: Option<&Item>| item.and_then(Item::as_str) == Some(which);
        Ok(self.entries()?.iter().position(|table| is(table.get("path")) || is(table.get("name"))))
    }

    /// Atomic: the new file is written beside the old one, checked, and then renamed.
    pub(crate) fn save(self) -> Result<(), Failure> {
        let failed = |error: &std::io::Error| Failure::system(format_args!("writing {}", self.file.display()), error);
        // A symbolic link stays a link: dot files often are links.
        let file = std::fs::canonicalize(&self.file).unwrap_or_else(|_| self.file.clone());
        if let Some(folder) = file.parent() {
            crate::server::folder::create_private(folder).map_err(|error| failed(&error))?;
        }
        let beside = file.with_extension(format!("toml.{}", std::process::id()));
        let write = || -> std::io::Result<()> {
            use std::io::Write;
            let mut new = std::fs::OpenOptions::new().write(true).create_new(true).open(&beside)?;
            if let Ok(old) = std::fs::metadata(&file) {
                new.set_permissions(old.permissions())?;
            }
            new.write_all(self.document.to_string().as_bytes())?;
            new.sync_all()
        };
        let written = write()
            .map_err(|error| failed(&error))
            .and_then(|()| ClientConfig::load(&beside).map(drop))
            .and_then(|()| std::fs::rename(&beside, &file).map_err(|error| failed(&error)));
        if written.is_err() {
            // The old file is untouched; only our temporary file is removed.
            let _ = std::fs::remove_file(&beside);
        }
        written
    }
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

    #[test]
    fn comments_survive_an_edit() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("sub/config.toml");
        let mut editor = ConfigEditor::open(file.clone()).unwrap();
        assert!(editor.add(&NewEntry::Path { path: "/a/*.sock".into(), name: None }).unwrap());
        editor.save().unwrap();
        let text = "# mine\n[[coordinators]] # the first\npath = \"/a/*.sock\"\n\n# keep\n[defaults]\noutput_format = \"json\" # yes\n";
        std::fs::write(&file, text).unwrap();
        let mut editor = ConfigEditor::open(file.clone()).unwrap();
        assert!(!editor.add(&NewEntry::Path { path: "/a/*.sock".into(), name: None }).unwrap());
        let command = ["ssh", "h", "vtr", "dial-stdio"].map(str::to_owned).to_vec();
        assert!(editor.add(&NewEntry::Command { name: "h".into(), command }).unwrap());
        editor.save().unwrap();
        let after = std::fs::read_to_string(&file).unwrap();
        for kept in ["# mine", "# the first", "# keep", "# yes", r#"command = ["ssh", "h", "vtr", "dial-stdio"]"#] {
            assert!(after.contains(kept), "{kept} is missing in {after}");
        }
        let mut editor = ConfigEditor::open(file.clone()).unwrap();
        assert!(editor.remove("h").unwrap());
        assert!(!editor.remove("h").unwrap());
        editor.save().unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
    }
}
