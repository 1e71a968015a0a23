//! The content to draw: the conversation so far, the prompt box, and dialogs that replace it. No styles here.

use std::time::{Duration, Instant};

use vt::Size;

use crate::draft::PromptDraft;

#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) size: Size,
    pub(crate) folder: String,
    /// The last part of the folder.
    pub(crate) project: String,
    /// When the fake was started: animations outside of a turn are timed from here.
    pub(crate) started: Instant,
    /// The header and the box are drawn.
    pub(crate) is_open: bool,
    /// The start is over: the state is reported from now on.
    pub(crate) is_up: bool,
    /// MCP servers are being connected.
    pub(crate) booting: bool,
    pub(crate) connected_servers: usize,
    /// The conversation's topic; empty before the first prompt.
    pub(crate) topic: String,
    pub(crate) entries: Vec<SceneEntry>,
    pub(crate) draft: PromptDraft,
    /// Shown in the empty box instead of the CLI's own placeholder, unless it is empty.
    pub(crate) ghost_text: String,
    /// Prompts submitted during a turn.
    pub(crate) queued: Vec<String>,
    pub(crate) work: Option<TurnInProgress>,
    pub(crate) front: SceneFront,
    /// The last turn has ended, and no key was pressed since.
    pub(crate) unseen_end: bool,
    /// Ctrl-C was pressed once, where two are needed to exit.
    pub(crate) leaving: bool,
    /// Escape was pressed once, where two are needed to interrupt.
    pub(crate) interrupting: bool,
}

/// A turn under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnInProgress {
    pub(crate) since: Instant,
    /// Text is being streamed.
    pub(crate) streaming: bool,
}

/// What receives keys.
#[derive(Clone, Debug)]
pub(crate) enum SceneFront {
    PromptBox,
    Question(PermissionQuestion),
    Dialog(ChoiceDialog),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SceneEntry {
    Prompt {
        /// As displayed in the box: with labels for large pastes.
        shown: String,
        text: String,
    },
    Answer(String),
    Call {
        server: String,
        tool: String,
        state: CallState,
    },
    Shell {
        command: String,
        state: ShellState,
    },
    Write {
        file: String,
        state: ShellState,
    },
    Finished {
        took: Duration,
        /// Hour and minute of the day, UTC.
        at: (u64, u64),
    },
    Interrupted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallState {
    Running,
    Done(String),
    Failed(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ShellState {
    Waiting,
    /// The command's output.
    Done(String),
    /// The same, for a command that had to be allowed.
    Approved(String),
    Refused,
}

/// A permission prompt.
#[derive(Clone, Debug)]
pub(crate) struct PermissionQuestion {
    pub(crate) about: QuestionSubject,
    pub(crate) reason: String,
    /// Index of the selected choice.
    pub(crate) marked: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QuestionSubject {
    Command(String),
    File(String),
    Tool { server: String, tool: String, description: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuestionAnswer {
    Once,
    Always,
    Refuse,
}

/// Any other dialog with choices.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChoiceDialog {
    pub(crate) text: Vec<String>,
    pub(crate) options: Vec<String>,
    pub(crate) hint: String,
    pub(crate) marked: usize,
    /// Columns that the vendor leaves empty at the left.
    pub(crate) indent: usize,
    /// Choosing this option (counted from 1), or Escape, exits the program.
    pub(crate) exits: Option<usize>,
}

impl Scene {
    pub(crate) fn cols(&self) -> usize {
        usize::from(self.size.cols)
    }

    pub(crate) fn rows(&self) -> usize {
        usize::from(self.size.rows)
    }

    /// The text of an empty box.
    pub(crate) fn placeholder<'a>(&'a self, own: &'a str) -> &'a str {
        if self.ghost_text.is_empty() { own } else { &self.ghost_text }
    }

    /// Entries from this one on may still change.
    pub(crate) fn first_unsettled(&self) -> usize {
        let settled = self.entries.iter().take_while(|entry| entry.is_settled()).count();
        // An answer grows while it streams.
        let grows = self.work.is_some_and(|work| work.streaming);
        if grows { settled.min(self.entries.len().saturating_sub(1)) } else { settled }
    }

    /// Seconds of the turn so far.
    pub(crate) fn seconds(&self, now: Instant) -> u64 {
        self.work.map_or(0, |work| now.saturating_duration_since(work.since).as_secs())
    }

    /// The current frame of an animation with `count` frames that changes every `step`.
    pub(crate) fn animation(&self, now: Instant, step: Duration, count: usize) -> usize {
        let since = self.work.map_or(self.started, |work| work.since);
        let steps = now.saturating_duration_since(since).as_millis() / step.as_millis().max(1);
        (steps % count as u128) as usize
    }
}

impl SceneEntry {
    fn is_settled(&self) -> bool {
        !matches!(
            self,
            SceneEntry::Call { state: CallState::Running, .. }
                | SceneEntry::Shell { state: ShellState::Waiting, .. }
                | SceneEntry::Write { state: ShellState::Waiting, .. }
        )
    }
}
