//! A turn in progress: its remaining steps, and what the current one waits for.

use std::collections::VecDeque;
use std::time::Instant;

use serde_json::Value;

use crate::script::{AskPermission, CallStep, ScriptStep};

#[derive(Debug)]
pub(crate) struct FakeTurn {
    pub(crate) steps: VecDeque<ScriptStep>,
    pub(crate) wait: TurnWait,
    /// The prompt it answers; `None` for the start.
    pub(crate) prompt: Option<String>,
    pub(crate) last_answer: String,
}

#[derive(Debug)]
pub(crate) enum TurnWait {
    Nothing,
    Until(Instant),
    /// Until an interruption, or the end.
    Forever,
    /// The next word of an answer is due.
    Words {
        rest: VecDeque<String>,
        due: Instant,
    },
    /// Bytes of a flood still to be written.
    Flood {
        left: u64,
        line: u64,
    },
    /// Waits for the server to be connected.
    Connection(Vec<CallStep>),
    Replies(Vec<PlannedCall>),
    /// Waits for the answer to a permission prompt of the script, shown by this entry.
    Permission {
        asked: Box<AskPermission>,
        entry: usize,
    },
    /// Waits for a choice, stored in this variable.
    Choice {
        bind: Option<String>,
    },
}

/// A tool call: asked about if necessary, then sent, then answered.
#[derive(Debug)]
pub(crate) struct PlannedCall {
    pub(crate) server: usize,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) bind: Option<String>,
    /// The entry that shows it.
    pub(crate) entry: usize,
    pub(crate) stage: CallStage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallStage {
    /// Permission has not been asked for yet.
    Unasked,
    Asked,
    Allowed,
    /// Sent with this id.
    Sent(u64),
    Over,
}

impl FakeTurn {
    pub(crate) fn new(steps: &[ScriptStep], prompt: Option<String>) -> Self {
        FakeTurn { steps: steps.iter().cloned().collect(), wait: TurnWait::Nothing, prompt, last_answer: String::new() }
    }

    /// Puts these steps before the remaining ones.
    pub(crate) fn insert(&mut self, steps: &[ScriptStep]) {
        for step in steps.iter().rev() {
            self.steps.push_front(step.clone());
        }
    }
}
