//! The settings of the status line: its parts by name, in their order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The line at the bottom: the parts at its left end and those at its right end, each in their order. A part that is
/// listed twice counts once. What needs you (`waiting`) is always in sight, also where it is not listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StatusLine {
    /// Any of control (who drives), recording, notes, session, project, branch, clock, counts, size, folder, program,
    /// waiting and keys.
    pub left: Vec<StatusPart>,
    /// Of the same parts.
    pub right: Vec<StatusPart>,
}

/// One part of the status line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatusPart {
    Control,
    Recording,
    Notes,
    Session,
    Project,
    Branch,
    Clock,
    Counts,
    Size,
    Folder,
    Program,
    Waiting,
    Keys,
}

impl Default for StatusLine {
    fn default() -> Self {
        use StatusPart::{Control, Keys, Notes, Recording, Session, Waiting};
        StatusLine { left: vec![Control, Recording, Notes], right: vec![Session, Waiting, Keys] }
    }
}

impl StatusLine {
    /// Whether a part is listed at either end.
    pub fn has(&self, part: StatusPart) -> bool {
        self.left.contains(&part) || self.right.contains(&part)
    }
}
