//! The tiny values that say "something moved". Whoever wakes up looks for itself.

use crate::session::status::Status;

/// Coalesces: a reader that was busy sees only the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pulse {
    /// Of the screen.
    pub version: u64,
    /// Raw bytes printed so far.
    pub output_offset: u64,
    pub status: Status,
    /// The session is gone from its engine; nothing will move any more.
    pub removed: bool,
}

/// Where a session stands, without its output: waits for an end are not woken by every byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LifePulse {
    pub(crate) status: Status,
    /// Counts the starts: tells "still running" from "running again".
    pub(crate) run: u64,
    pub(crate) removed: bool,
}
