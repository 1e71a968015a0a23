//! The events of a recording.

use std::time::Duration;

/// An event and its time.
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
    /// A marker to stop at or jump to; its label may be empty.
    Marker(String),
    /// The program ended with this status. Only in version 3.
    Exit(i32),
    /// A code that this version of the format does not define. Players skip it.
    Other {
        code: String,
        data: String,
    },
}

/// Times in a file are whole microseconds.
pub(crate) fn micros(time: Duration) -> u64 {
    // Enough for half a million years.
    u64::try_from((time.as_nanos() + 500) / 1000).unwrap_or(u64::MAX)
}
