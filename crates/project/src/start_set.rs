//! Start sets: `.patterm/start.json` of a project lists presets that are opened together.
//!
//! The file comes with the project, so it is hostile until the human has allowed it, and with it exactly those presets of
//! the project that it names: the question shows all of them, and an edit of any of them asks again.

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
};

use agents::{
    Catalog, RunFact,
    preset::{PresetContent, plain_json},
};
use ops::{ErrorKind, OpError};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{
    folder::ProjectFolder,
    last_run::{OpeningReason, RecordedProgram, RecordedTab, TabOutcome},
    presets,
    project::Project,
    trust::{Subject, SubjectKind},
};

/// The file, in the project's folder `.patterm`, and what a question calls it.
pub const START_SET: &str = "start.json";
const MAX_BYTES: usize = 64 << 10;
/// Maximum entries: each may start a program.
const MAX_ENTRIES: usize = 32;

/// Presets that are opened together. Comments are welcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartSet {
    /// In the order of their tabs, at most 32.
    pub open: Vec<StartEntry>,
}

/// One tab: an agent, a process or a terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartEntry {
    /// Name of an agent preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Name of a process preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
    /// A shell.
    #[serde(default)]
    pub terminal: bool,
    /// The tab's name. Default: made from the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it starts: a folder of the project, relative to it. Default: the preset's, or the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum StartSetError {
    #[error(
        "there is no .patterm/start.json in this project: write one, for example {{ \"open\": [{{ \"agent\": \"claude\" }}] }}"
    )]
    Missing,
    #[error(".patterm/start.json can't be read ({reason}): correct that")]
    Unreadable { reason: String },
    #[error(".patterm/start.json, line {line}, column {column}: {message}: correct it")]
    Wrong { line: usize, column: usize, message: String },
    #[error(".patterm/start.json, entry {number}: {message}")]
    WrongEntry { number: usize, message: String },
}

impl From<StartSetError> for OpError {
    fn from(error: StartSetError) -> Self {
        let kind = match &error {
            StartSetError::Missing => ErrorKind::NotFound,
            _ => ErrorKind::InvalidArgs,
        };
        OpError::from_text(kind, error.to_string())
    }
}

impl StartSet {
    /// Reads the file of a project: not for the interface's loop.
    pub fn read(project_dir: &Path) -> Result<Self, StartSetError> {
        let unreadable = |reason: String| StartSetError::Unreadable { reason };
        let folder = project_dir.join(".patterm");
        let folder = match ProjectFolder::open(&folder) {
            Ok(folder) => folder,
            Err(_) if !folder.exists() => return Err(StartSetError::Missing),
            Err(error) => return Err(unreadable(error.to_string())),
        };
        let read = folder.read(START_SET, MAX_BYTES).map_err(|error| unreadable(error.to_string()))?;
        let (_, bytes) = read.ok_or(StartSetError::Missing)?;
        StartSet::parse(&String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?)
    }

    fn parse(text: &str) -> Result<Self, StartSetError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let plain = plain_json(text).map_err(|error| StartSetError::Wrong {
            line: error.line_display(),
            column: error.column_display(),
            message: error.kind().to_string(),
        })?;
        let set: StartSet = serde_json::from_str(&plain).map_err(|error| {
            let message = error.to_string();
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message).to_owned();
            StartSetError::Wrong { line: error.line(), column: error.column(), message }
        })?;
        if set.open.len() > MAX_ENTRIES {
            let message = format!("a start set has at most {MAX_ENTRIES} entries: remove the rest");
            return Err(StartSetError::WrongEntry { number: MAX_ENTRIES + 1, message });
        }
        for (index, entry) in set.open.iter().enumerate() {
            entry.check().map_err(|message| StartSetError::WrongEntry { number: index + 1, message })?;
        }
        Ok(set)
    }
}

impl StartEntry {
    fn check(&self) -> Result<(), String> {
        let programs = [self.agent.is_some(), self.process.is_some(), self.terminal];
        if programs.into_iter().filter(|given| *given).count() != 1 {
            return Err("give one of agent, process and terminal".to_owned());
        }
        if let Some(name) = &self.name {
            engine::SessionName::new(name.as_str()).map_err(|error| error.to_string())?;
        }
        let stays = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        match &self.folder {
            Some(folder) if !PathBuf::from(folder).components().all(stays) => {
                Err("`folder` leads out of the project: give a path below it, without `..`".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// `agent claude`, for people.
    fn described(&self) -> String {
        match (&self.agent, &self.process) {
            (Some(name), _) => format!("agent {name}"),
            (None, Some(name)) => format!("process {name}"),
            (None, None) => "terminal".to_owned(),
        }
    }

    /// What the human has to judge of the preset, if it comes with the project.
    fn subject(&self, catalog: &Catalog) -> Option<Subject> {
        let agent = self.agent.as_ref().and_then(|name| presets::subject(catalog, SubjectKind::Agent, name));
        let process = self.process.as_ref().and_then(|name| presets::subject(catalog, SubjectKind::Command, name));
        agent.or(process).filter(|subject| subject.of_project)
    }
}

impl Project {
    /// Whether the project has a start set, be it right or wrong.
    pub fn has_start_set(&self) -> bool {
        self.project_dir().join(".patterm").join(START_SET).exists()
    }

    /// Opens all of the start set, as the person, in its order. What the human has not allowed yet is asked for, and
    /// nothing is opened.
    pub async fn open_start_set(&self) -> Result<Vec<TabOutcome>, OpError> {
        let project = self.clone();
        let read = tokio::task::spawn_blocking(move || StartSet::read(project.project_dir())).await;
        let set =
            read.map_err(|error| OpError::new(ErrorKind::Internal, format!("reading the start set: {error}")))??;
        // What is started is what was judged, whatever is edited meanwhile.
        let catalog = self.presets().current();
        self.trust().authorise(&subject(&set, &catalog), None)?;
        let mut opened = Vec::new();
        for entry in &set.open {
            let tab = self.tab_of(entry);
            let outcome = match &tab.folder {
                Some(folder) if !self.is_below_project(folder) => {
                    let message =
                        format!("{} is no folder of the project", engine::shown_name(&folder.to_string_lossy()));
                    Err(OpError::invalid_args(message).with_hint("correct `folder` in .patterm/start.json"))
                }
                _ => self.open_tab(&tab, &catalog, OpeningReason::StartSet).await,
            };
            opened.push(TabOutcome { tab, outcome });
        }
        Ok(opened)
    }

    fn tab_of(&self, entry: &StartEntry) -> RecordedTab {
        let program = match (&entry.agent, &entry.process) {
            (Some(preset), _) => RecordedProgram::Agent { preset: preset.clone(), conversation: None },
            (None, Some(name)) => RecordedProgram::Preset { name: name.clone() },
            (None, None) => RecordedProgram::Terminal,
        };
        let folder = entry.folder.as_ref().map(|folder| self.project_dir().join(folder));
        RecordedTab { name: entry.name.clone().unwrap_or_default(), folder, program }
    }

    /// Links may lead anywhere.
    fn is_below_project(&self, folder: &Path) -> bool {
        folder.canonicalize().is_ok_and(|real| real.is_dir() && real.starts_with(self.project_dir()))
    }
}

/// The set in the form that the human judges: its entries, and everything that presets of the project would do.
fn subject(set: &StartSet, catalog: &Catalog) -> Subject {
    let mut facts = Vec::new();
    let mut hashes = BTreeMap::new();
    for entry in &set.open {
        let mut line = entry.described();
        if let Some(name) = &entry.name {
            line += &format!(", called {name}");
        }
        if let Some(folder) = &entry.folder {
            line += &format!(", in {folder}");
        }
        facts.push(RunFact { label: "opens".to_owned(), lines: line.split('\n').map(str::to_owned).collect() });
    }
    for entry in &set.open {
        let Some(preset) = entry.subject(catalog) else { continue };
        let name = entry.described();
        if hashes.insert(name.clone(), preset.hash).is_some() {
            continue;
        }
        let told = preset.facts.into_iter().map(|fact| RunFact { label: format!("{name}: {}", fact.label), ..fact });
        facts.extend(told);
    }
    let content = json!({ "open": set.open, "presets_of_the_project": hashes }).to_string();
    let content = PresetContent::from_canonical(&content).map(|content| content.canonical()).unwrap_or(content);
    let hash = crate::layout::hex(&Sha256::digest(&content));
    Subject {
        kind: SubjectKind::StartSet,
        name: START_SET.to_owned(),
        of_project: true,
        overrides: false,
        standing: hash.clone(),
        hash,
        tree: None,
        content,
        facts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_read_with_comments() {
        let text = r#"{
            // Everything for a day.
            "open": [
                { "agent": "claude", "name": "lead", "folder": "backend/api" },
                { "process": "dev" },
                { "terminal": true, "folder": "." },
            ],
        }"#;
        let set = StartSet::parse(text).unwrap();
        let described: Vec<String> = set.open.iter().map(StartEntry::described).collect();
        assert_eq!(described, ["agent claude", "process dev", "terminal"]);
    }

    #[test]
    fn mistakes_have_a_place_and_a_way_out() {
        let many = format!("{{\"open\": [{}]}}", vec![r#"{"terminal": true}"#; MAX_ENTRIES + 1].join(","));
        for (text, why) in [
            ("", "line 1"),
            ("[]", "line 1"),
            ("{\n \"opne\": [] }", "line 2, column 7: unknown field `opne`"),
            ("{\"open\": [{}]}", "entry 1: give one of agent, process and terminal"),
            (r#"{"open": [{"agent": "a", "terminal": true}]}"#, "entry 1: give one of"),
            (r#"{"open": [{"terminal": true}, {"agent": "a", "folder": "../x"}]}"#, "entry 2: `folder` leads out"),
            (r#"{"open": [{"agent": "a", "folder": "/etc"}]}"#, "entry 1: `folder` leads out"),
            (r#"{"open": [{"agent": "a", "name": "a b"}]}"#, "entry 1: "),
            (r#"{"open": [{"agent": "a", "argv": ["rm"]}]}"#, "unknown field `argv`"),
            (&many, "at most 32"),
        ] {
            let error = StartSet::parse(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
