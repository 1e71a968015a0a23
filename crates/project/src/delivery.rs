//! How a text becomes a turn of an agent, and what callers are told of that.

use agents::delivery::{DeliveryOutcome, DeliveryTicket, QueueRefusal};
use engine::{Origin, Session};
use ops::{ErrorKind, OpError};
use schemars::JsonSchema;
use serde::Serialize;

/// Where a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// Typed in, and taken.
    Submitted,
    /// Waits until the target can take it.
    Queued,
    /// Not typed in, and it will not be.
    Failed,
}

/// What became of a delivery, as callers are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeliveryFacts {
    pub state: DeliveryState,
    /// How it was verified, or why it waits or failed.
    pub detail: String,
}

impl From<&DeliveryOutcome> for DeliveryFacts {
    fn from(outcome: &DeliveryOutcome) -> Self {
        match outcome {
            DeliveryOutcome::Queued(hold) => DeliveryFacts { state: DeliveryState::Queued, detail: hold.to_string() },
            DeliveryOutcome::Submitted { verified_by } => {
                DeliveryFacts { state: DeliveryState::Submitted, detail: format!("verified by: {verified_by}") }
            }
            DeliveryOutcome::Failed(why) => DeliveryFacts { state: DeliveryState::Failed, detail: why.to_string() },
        }
    }
}

/// Types texts into sessions, one after the other for each target, as turns of their own. The crew does; tests put in their
/// own, to see what was sent without waiting for anybody to take it.
pub trait Deliver: Send + Sync {
    fn deliver(&self, target: &Session, text: String, origin: Origin) -> Result<DeliveryTicket, QueueRefusal>;
}

/// A prompt that was not even queued.
pub(crate) fn refused(target: &Session, refusal: QueueRefusal) -> OpError {
    let kind = match refusal {
        QueueRefusal::QueueFull | QueueRefusal::TooLong { .. } => ErrorKind::LimitExceeded,
        QueueRefusal::Empty => ErrorKind::InvalidArgs,
    };
    OpError::new(kind, format!("session {}: {refusal}", target.id()))
        .with_hint("see what it waits for with explain_state")
}
