//! The turns of one agent: the result of each prompt that was sent to it, with times.
//!
//! A turn is over when the agent is at rest after it has accepted the prompt, or has ended. Nothing here waits: the
//! member's own task reports every change.

use std::{collections::VecDeque, sync::Mutex, time::SystemTime};

use agents::{
    DeliveryOutcome, State,
    delivery::{DeliveryTicket, TurnId},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{delivery::DeliveryFacts, project::lock};

/// How many turns are remembered.
const MAX_TURNS: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct TurnLog {
    turns: Mutex<VecDeque<PromptTurn>>,
}

/// A prompt and the agent's work on it.
#[derive(Clone, Debug)]
pub(crate) struct PromptTurn {
    ticket: DeliveryTicket,
    working_at: Option<SystemTime>,
    blocked_at: Option<SystemTime>,
    over: Option<(SystemTime, TurnEnd)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TurnEnd {
    Settled,
    Exited,
}

/// How far a turn has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnStage {
    /// The prompt has not been accepted yet.
    Queued,
    /// It was not accepted, and will not be.
    Failed,
    UnderWay,
    /// The agent has come to rest after it.
    Settled,
    /// The agent's program ended first.
    Exited,
}

/// The turn of one prompt. A time that is absent has not come, or was not observed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TurnFacts {
    pub turn_id: String,
    pub queued_at: String,
    /// The text was in the agent's prompt box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_at: Option<String>,
    /// There was proof that the agent accepted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted_at: Option<String>,
    /// First seen at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_at: Option<String>,
    /// First seen with a pending decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_at: Option<String>,
    /// The agent has come to rest, or its program has ended: the turn is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<String>,
}

impl TurnLog {
    pub(super) fn add(&self, ticket: DeliveryTicket) {
        let mut turns = lock(&self.turns);
        if turns.len() == MAX_TURNS {
            turns.pop_front();
        }
        turns.push_back(PromptTurn { ticket, working_at: None, blocked_at: None, over: None });
    }

    pub(crate) fn get(&self, id: TurnId) -> Option<PromptTurn> {
        lock(&self.turns).iter().find(|turn| turn.id() == id).cloned()
    }

    /// The latest turn whose prompt was accepted, or the next one.
    pub(crate) fn current(&self) -> Option<PromptTurn> {
        let turns = lock(&self.turns);
        let taken = turns.iter().rfind(|turn| matches!(turn.stage(), TurnStage::UnderWay | TurnStage::Settled));
        taken.or_else(|| turns.back()).cloned()
    }

    /// Turns that are accepted and not over. Read before the agent's state: what it showed before it accepted a prompt
    /// says nothing about that turn.
    pub(super) fn under_way(&self) -> Vec<TurnId> {
        lock(&self.turns).iter().filter(|turn| turn.stage() == TurnStage::UnderWay).map(PromptTurn::id).collect()
    }

    /// Records what the agent does now; `true` if that changed one of the turns.
    pub(super) fn note(&self, under_way: &[TurnId], state: State, now: SystemTime) -> bool {
        let mut turns = lock(&self.turns);
        let mut changed = false;
        for turn in turns.iter_mut().filter(|turn| under_way.contains(&turn.id())) {
            let known = (turn.working_at, turn.blocked_at, turn.over);
            match state {
                State::Working => _ = turn.working_at.get_or_insert(now),
                State::Blocked => _ = turn.blocked_at.get_or_insert(now),
                State::Idle => turn.over = turn.over.or(Some((now, TurnEnd::Settled))),
                State::Exited => turn.over = turn.over.or(Some((now, TurnEnd::Exited))),
                State::Starting | State::Unknown => {}
            }
            changed |= known != (turn.working_at, turn.blocked_at, turn.over);
        }
        changed
    }
}

impl PromptTurn {
    pub(crate) fn id(&self) -> TurnId {
        self.ticket.turn_id()
    }

    pub(crate) fn delivery(&self) -> DeliveryFacts {
        DeliveryFacts::from(&self.ticket.receipt().outcome)
    }

    pub(crate) fn stage(&self) -> TurnStage {
        match (self.over, self.ticket.receipt().outcome) {
            (Some((_, TurnEnd::Settled)), _) => TurnStage::Settled,
            (Some((_, TurnEnd::Exited)), _) => TurnStage::Exited,
            (None, DeliveryOutcome::Submitted { .. }) => TurnStage::UnderWay,
            (None, DeliveryOutcome::Queued(_)) => TurnStage::Queued,
            (None, DeliveryOutcome::Failed(_)) => TurnStage::Failed,
        }
    }

    pub(crate) fn has_worked(&self) -> bool {
        self.working_at.is_some()
    }

    pub(crate) fn facts(&self) -> TurnFacts {
        let receipt = self.ticket.receipt();
        let text = |at: Option<SystemTime>| at.map(ops::rfc3339);
        TurnFacts {
            turn_id: receipt.turn_id.to_string(),
            queued_at: ops::rfc3339(receipt.queued_at),
            written_at: text(receipt.written_at),
            accepted_at: text(receipt.accepted_at),
            working_at: text(self.working_at),
            blocked_at: text(self.blocked_at),
            settled_at: text(self.over.map(|(at, _)| at)),
        }
    }
}
