//! Requests and reports of the child that concern the world beyond its screen. `vt` never acts on them: the caller
//! decides.
//!
//! Every string is bounded and free of control characters.

use crate::program_status::StatusChange;

/// One request or report, in the order the child made them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// An answer to the child's query. It is sent after input that is already queued.
    Reply(Vec<u8>),
    Title(String),
    IconName(String),
    /// OSC 7: the working directory as the child reports it (host and path, unchecked).
    WorkingDirectory(String),
    Bell,
    Notification(DesktopNotification),
    Progress(ProgressReport),
    /// OSC 7501: what the program says of its own work has changed.
    ProgramStatus(StatusChange),
    /// OSC 52 write; `data` is decoded. Reads are never answered.
    Clipboard {
        selection: String,
        data: Vec<u8>,
    },
    /// OSC 133.
    Prompt(PromptMark),
    /// CSI 8 t and DECCOLM: the child requests this size. Zero means "unchanged".
    ResizeRequest {
        cols: u16,
        rows: u16,
    },
    /// An OSC without a meaning to us, passed on for rules to match.
    UnknownOsc {
        number: u32,
        body: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesktopNotification {
    /// Empty when the child gave only a body (OSC 9).
    pub title: String,
    pub body: String,
}

/// OSC 9;4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressReport {
    Clear,
    Percent(u8),
    Error(Option<u8>),
    Indeterminate,
    Paused(Option<u8>),
}

/// Where a shell's prompt, the typed command and the output begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptMark {
    PromptStart,
    InputStart,
    OutputStart,
    Finished { exit_code: Option<i32> },
}
