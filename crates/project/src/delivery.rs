//! How a text becomes a turn of an agent, and what callers are told about it.

use agents::delivery::{DeliveryOutcome, DeliveryTicket, QueueRefusal};
use engine::{Origin, Session};
use ops::{ErrorKind, OpError};
use schemars::JsonSchema;
use serde::Serialize;

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// Typed, and accepted by the agent.
    Submitted,
    /// Waits until the target can take it.
    Queued,
    /// Not typed, and it will not be.
    Failed,
}

/// The result of a delivery, as callers are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeliveryFacts {
    pub state: DeliveryState,
    /// How delivery was verified, or why it waits or failed.
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

/// Types texts into sessions as turns of their own, one after the other for each target. Implemented by the crew; tests
/// use their own, to see what was sent without an agent.
pub trait Deliver: Send + Sync {
    fn deliver(&self, target: &Session, text: String, origin: Origin) -> Result<DeliveryTicket, QueueRefusal>;
}

/// A prompt that was not queued.
pub(crate) fn refused(target: &Session, refusal: QueueRefusal) -> OpError {
    let kind = match refusal {
        QueueRefusal::QueueFull | QueueRefusal::TooLong { .. } => ErrorKind::LimitExceeded,
        QueueRefusal::Empty => ErrorKind::InvalidArgs,
    };
    OpError::new(kind, format!("session {}: {refusal}", target.id()))
        .with_hint("see what it waits for with explain_state")
}
