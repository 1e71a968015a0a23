//! What the human judges: a preset, or a command composed by an agent.

use agents::RunFact;
use engine::SessionId;
use serde::{Deserialize, Serialize};

/// What trust is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubjectKind {
    /// An agent preset.
    Agent,
    /// A process preset.
    Command,
    /// A program that an agent starts with a command line of its own.
    Program,
    /// The project's start set, with those presets of the project that it opens.
    StartSet,
}

impl SubjectKind {
    pub fn as_str(self) -> &'static str {
        match self {
            SubjectKind::Agent => "agent",
            SubjectKind::Command => "command",
            SubjectKind::Program => "program",
            SubjectKind::StartSet => "start set",
        }
    }
}

/// In the form that the human judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub kind: SubjectKind,
    /// The preset's name, or the program's.
    pub name: String,
    /// It comes with the project, not from the human's own folder.
    pub of_project: bool,
    /// It overrides the human's own preset of that name.
    pub overrides: bool,
    /// The hash of exactly this: a preset's content, or a whole command line. Permission or denial of a single start
    /// refers to it.
    pub hash: String,
    /// The key of longer permissions: for a preset the same; for a command line its program, its variables and the
    /// tab's lead.
    pub standing: String,
    /// The tab to which "in this run" is limited; `None` for presets.
    pub tree: Option<SessionId>,
    /// Identical for identical content; of the values of variables it contains only hashes.
    pub content: String,
    /// Everything that it would run, set, write or allow.
    pub facts: Vec<RunFact>,
}

impl Subject {
    /// For use in a sentence: `the command preset 'dev'`.
    pub fn described(&self) -> String {
        described(self.kind, &self.name)
    }
}

fn described(kind: SubjectKind, name: &str) -> String {
    let name = engine::shown_name(name);
    match kind {
        SubjectKind::Program => format!("the command '{name}'"),
        SubjectKind::StartSet => format!("the start set '{name}'"),
        kind => format!("the {} preset '{name}'", kind.as_str()),
    }
}

/// What is remembered about a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) kind: SubjectKind,
    pub(crate) name: String,
    pub(crate) hash: String,
    pub(crate) standing: String,
    pub(crate) tree: Option<SessionId>,
    pub(crate) of_project: bool,
}

impl Key {
    pub(crate) fn of(subject: &Subject) -> Self {
        Key {
            kind: subject.kind,
            name: subject.name.clone(),
            hash: subject.hash.clone(),
            standing: subject.standing.clone(),
            tree: subject.tree,
            of_project: subject.of_project,
        }
    }

    /// The human may use their own agents, and what the human starts from their own folder is their decision.
    pub(super) fn needs_no_word(&self, asked_by: Option<SessionId>) -> bool {
        !self.of_project && (self.kind == SubjectKind::Agent || asked_by.is_none())
    }

    /// Covered by the same longer permission.
    pub(super) fn stands_with(&self, other: &Key) -> bool {
        (self.kind, &self.name, &self.standing, self.tree) == (other.kind, &other.name, &other.standing, other.tree)
    }

    pub(super) fn described(&self) -> String {
        described(self.kind, &self.name)
    }
}
