//! How a text becomes a turn of an agent: the seam to whatever types it in.

use std::{future::Future, pin::Pin};

use agents::{Outcome, Ticket};
use engine::{Input, Origin, Session};
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

/// What became of a delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Receipt {
    pub state: DeliveryState,
    /// How it was verified, or why it waits or failed.
    pub detail: String,
}

impl From<&Outcome> for Receipt {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Queued(waiting) => Receipt { state: DeliveryState::Queued, detail: waiting.to_string() },
            Outcome::Submitted { verified_by } => {
                Receipt { state: DeliveryState::Submitted, detail: format!("verified by: {verified_by}") }
            }
            Outcome::Failed(why) => Receipt { state: DeliveryState::Failed, detail: why.to_string() },
        }
    }
}

/// A delivery under way. Dropping it does not stop it.
pub struct Delivery {
    /// Names the turn in later answers; empty when it was not even queued.
    pub turn_id: String,
    /// Where it stands at the end: never `Queued`.
    pub receipt: Pin<Box<dyn Future<Output = Receipt> + Send>>,
    /// Tells where it stands meanwhile, if anything does.
    pub ticket: Option<Ticket>,
}

impl Delivery {
    /// Where it stands now.
    pub fn now(&self) -> Receipt {
        match &self.ticket {
            Some(ticket) => Receipt::from(&ticket.receipt().outcome),
            None => Receipt { state: DeliveryState::Queued, detail: "it goes on in the background".to_owned() },
        }
    }
}

impl std::fmt::Debug for Delivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Delivery").field("turn_id", &self.turn_id).finish_non_exhaustive()
    }
}

/// Types texts into sessions, one after the other for each target, as turns of their own.
pub trait Deliver: Send + Sync {
    fn deliver(&self, target: &Session, text: String, origin: Origin) -> Delivery;
}

/// The plain way: typed at once, with Enter, verified by nothing. For programs without agents, and tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct TypeIn;

impl Deliver for TypeIn {
    fn deliver(&self, target: &Session, text: String, origin: Origin) -> Delivery {
        let sent = target.send(Input::Text(format!("{text}\n")), origin);
        let receipt = match sent {
            Ok(_) => Receipt { state: DeliveryState::Submitted, detail: "typed in, not verified".to_owned() },
            Err(error) => Receipt { state: DeliveryState::Failed, detail: error.to_string() },
        };
        let turn_id = crate::project::random_id("t_");
        Delivery { turn_id, receipt: Box::pin(async move { receipt }), ticket: None }
    }
}
