//! What happens in a recording.

use std::time::Duration;

/// Something that happened, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CastEvent {
    /// Since the start of the recording, in both versions of the format.
    pub time: Duration,
    pub data: EventData,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventData {
    Output(String),
    /// What was typed.
    Input(String),
    Resize {
        cols: u16,
        rows: u16,
    },
    /// A place to stop at or to jump to; may have no label.
    Marker(String),
    /// The program ended with this status. Only in version 3.
    Exit(i32),
    /// A code this version of the format does not know. Players pass over it.
    Other {
        code: String,
        data: String,
    },
}

/// Times in a file are whole microseconds.
pub(crate) fn micros(time: Duration) -> u64 {
    // Half a million years fit.
    u64::try_from((time.as_nanos() + 500) / 1000).unwrap_or(u64::MAX)
}
