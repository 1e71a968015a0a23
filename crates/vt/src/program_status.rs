//! The Program Status Protocol (OSC 7501, revision 0.4): what a program says of its own work.
//!
//! A terminal keeps a table of records by id. A report replaces its record whole; `clear` removes one and those below
//! it. Everything in a record is the program's word: bounded and cleaned here, never to be trusted.

mod report;
mod table;

use std::{cmp::Reverse, sync::Arc};

pub use report::{StatusError, status_text};
pub(crate) use report::{StatusMessage, parse};
pub(crate) use table::StatusTable;

/// Bytes of a whole sequence, introducer and terminator included.
const MAX_SEQUENCE: usize = 4096;
const MAX_KEY: usize = 16;
const MAX_APP: usize = 32;
const MAX_ID: usize = 128;
const MAX_ID_PART: usize = 32;
const MAX_ID_DEPTH: usize = 8;

/// What a program is doing, in its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgramState {
    /// Waits for the next instruction.
    Idle,
    Working,
    /// Has finished something that nobody has looked at yet.
    Done,
    /// Can't go on without the user.
    Blocked,
    /// Has failed and stopped.
    Error,
}

/// What a blocked program needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockedKind {
    Permission,
    /// An answer that has to be typed.
    Question,
    /// A login or another credential.
    Auth,
}

/// The last report for one id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusRecord {
    /// Parts joined by `/`; a record is below those whose ids its own begins with. Empty: the program as a whole.
    pub id: String,
    pub state: ProgramState,
    /// Of a blocked program only.
    pub kind: Option<BlockedKind>,
    /// Percent; only where something works or is blocked.
    pub progress: Option<u8>,
    /// What machines know the program by. See [`inherited_app`].
    pub app: Option<String>,
    /// What people know the record by.
    pub title: Option<String>,
    /// One line on what it does, waits for or has done. Characters that nobody sees are replaced by U+FFFD.
    pub msg: Option<String>,
}

/// A change of the table, in the order in which they happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatusChange {
    /// Made or replaced.
    Set(Arc<StatusRecord>),
    /// The record with this id is gone.
    Removed(String),
}

impl ProgramState {
    /// In the order of the protocol's text.
    pub const ALL: [ProgramState; 5] =
        [ProgramState::Idle, ProgramState::Working, ProgramState::Done, ProgramState::Blocked, ProgramState::Error];

    pub fn as_str(self) -> &'static str {
        match self {
            ProgramState::Idle => "idle",
            ProgramState::Working => "working",
            ProgramState::Done => "done",
            ProgramState::Blocked => "blocked",
            ProgramState::Error => "error",
        }
    }

    /// How much a person wants to know of it, among the records of one program: what waits for them comes first.
    pub fn urgency(self) -> u8 {
        match self {
            ProgramState::Blocked => 4,
            ProgramState::Working => 3,
            ProgramState::Error => 2,
            ProgramState::Done => 1,
            ProgramState::Idle => 0,
        }
    }

    /// It tells of a result, which stays true when the program has ended.
    pub fn outlives_program(self) -> bool {
        matches!(self, ProgramState::Done | ProgramState::Error)
    }

    fn has_progress(self) -> bool {
        matches!(self, ProgramState::Working | ProgramState::Blocked)
    }
}

impl BlockedKind {
    pub const ALL: [BlockedKind; 3] = [BlockedKind::Permission, BlockedKind::Question, BlockedKind::Auth];

    pub fn as_str(self) -> &'static str {
        match self {
            BlockedKind::Permission => "permission",
            BlockedKind::Question => "question",
            BlockedKind::Auth => "auth",
        }
    }
}

impl StatusRecord {
    /// Longest title and message, in bytes.
    pub const MAX_TITLE: usize = 192;
    pub const MAX_MSG: usize = 2048;
    /// Records of one terminal.
    pub const MAX_RECORDS: usize = 256;

    pub fn new(state: ProgramState) -> Self {
        StatusRecord { id: String::new(), state, kind: None, progress: None, app: None, title: None, msg: None }
    }

    /// Of a program's records the one with the highest rank stands for it: what matters most to a person, and of that what
    /// is nearest to the whole.
    pub fn rank(&self) -> (u8, Reverse<usize>) {
        let depth = if self.id.is_empty() { 0 } else { 1 + self.id.matches('/').count() };
        (self.state.urgency(), Reverse(depth))
    }

    /// Whether this record has the id, or one below it. Everything is below the empty id.
    pub fn is_within(&self, id: &str) -> bool {
        id.is_empty() || self.id.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// What a record without an app of its own goes by: the app of the nearest record above it that has one.
pub fn inherited_app<'a>(records: impl Iterator<Item = &'a StatusRecord>, of: &StatusRecord) -> Option<&'a str> {
    let above = records.filter(|record| of.is_within(&record.id));
    above.filter(|record| record.app.is_some()).max_by_key(|record| record.id.len())?.app.as_deref()
}
