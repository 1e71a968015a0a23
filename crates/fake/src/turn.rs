//! A turn under way: the steps still to come, and what the current one waits for.

use std::collections::VecDeque;
use std::time::Instant;

use serde_json::Value;

use crate::script::{AskPermission, CallStep, ScriptStep};

#[derive(Debug)]
pub(crate) struct FakeTurn {
    pub(crate) steps: VecDeque<ScriptStep>,
    pub(crate) wait: TurnWait,
    /// The prompt it answers; `None` at the start, when nothing was asked.
    pub(crate) prompt: Option<String>,
    pub(crate) last_answer: String,
}

#[derive(Debug)]
pub(crate) enum TurnWait {
    Nothing,
    Until(Instant),
    /// An interruption, or the end.
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
    /// For the server to be connected.
    Connection(Vec<CallStep>),
    Replies(Vec<PlannedCall>),
    /// For the answer to a permission prompt of the script; the entry that shows it.
    Permission {
        asked: Box<AskPermission>,
        entry: usize,
    },
    /// For a choice; the variable that takes it.
    Choice {
        bind: Option<String>,
    },
}

/// A tool call: asked about if need be, sent, answered.
#[derive(Debug)]
pub(crate) struct PlannedCall {
    pub(crate) server: usize,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) bind: Option<String>,
    /// Which entry shows it.
    pub(crate) entry: usize,
    pub(crate) stage: CallStage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallStage {
    /// The question is yet to be put.
    Unasked,
    Asked,
    Allowed,
    /// With this id.
    Sent(u64),
    Over,
}

impl FakeTurn {
    pub(crate) fn new(steps: &[ScriptStep], prompt: Option<String>) -> Self {
        FakeTurn { steps: steps.iter().cloned().collect(), wait: TurnWait::Nothing, prompt, last_answer: String::new() }
    }

    /// These come before what is left.
    pub(crate) fn insert(&mut self, steps: &[ScriptStep]) {
        for step in steps.iter().rev() {
            self.steps.push_front(step.clone());
        }
    }
}
