//! Tiny values that say "something changed". Readers that are woken read the state themselves.

use crate::session::status::Status;

/// Coalescing: a busy reader sees only the newest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pulse {
    /// The screen's version.
    pub version: u64,
    /// Raw bytes printed so far.
    pub output_offset: u64,
    pub status: Status,
    /// The session was removed from its engine; nothing will change any more.
    pub removed: bool,
}

/// A session's lifecycle without its output, so that waits for an end are not woken by every byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LifePulse {
    pub(crate) status: Status,
    /// Counts the starts: tells "still running" from "running again".
    pub(crate) run: u64,
    pub(crate) removed: bool,
}
