//! What the human judges: a preset, or a command that an agent has composed.

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
}

impl SubjectKind {
    pub fn as_str(self) -> &'static str {
        match self {
            SubjectKind::Agent => "agent",
            SubjectKind::Command => "command",
            SubjectKind::Program => "program",
        }
    }
}

/// As the human judges it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub kind: SubjectKind,
    /// Of the preset, or the program.
    pub name: String,
    /// It came with the project, not from the human's own folder.
    pub of_project: bool,
    /// It takes the place of the human's own preset of that name.
    pub overrides: bool,
    /// Of this very thing: a preset's content, or a whole command line. One start is allowed, or denied, by this.
    pub hash: String,
    /// What is allowed for longer is allowed by this: the same for a preset; a program, its variables and who leads the
    /// tab for a command line.
    pub standing: String,
    /// The tab that "in this run" is limited to; none for presets.
    pub tree: Option<SessionId>,
    /// The same for the same content; of the values of variables it holds only hashes.
    pub content: String,
    /// Everything that it would run, set, write or allow.
    pub facts: Vec<RunFact>,
}

impl Subject {
    /// For a sentence: `the command preset 'dev'`.
    pub fn described(&self) -> String {
        described(self.kind, &self.name)
    }
}

fn described(kind: SubjectKind, name: &str) -> String {
    let name = engine::shown_name(name);
    match kind {
        SubjectKind::Program => format!("the command '{name}'"),
        kind => format!("the {} preset '{name}'", kind.as_str()),
    }
}

/// What is remembered of a subject.
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

    /// The human's own agents are theirs to use, and what the human starts out of their own folder is their word.
    pub(super) fn needs_no_word(&self, asked_by: Option<SessionId>) -> bool {
        !self.of_project && (self.kind == SubjectKind::Agent || asked_by.is_none())
    }

    /// Allowed for longer together with the other.
    pub(super) fn stands_with(&self, other: &Key) -> bool {
        (self.kind, &self.name, &self.standing, self.tree) == (other.kind, &other.name, &other.standing, other.tree)
    }

    pub(super) fn described(&self) -> String {
        described(self.kind, &self.name)
    }
}
