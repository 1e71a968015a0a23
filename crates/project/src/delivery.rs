//! How a text becomes a turn of an agent: the seam to whatever types it in.

use std::{future::Future, pin::Pin};

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

/// A delivery under way. Dropping it does not stop it.
pub struct Delivery {
    /// Names the turn in later answers.
    pub turn_id: String,
    /// Where it stands at the end: never `Queued`.
    pub receipt: Pin<Box<dyn Future<Output = Receipt> + Send>>,
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

/// The plain way: pasted at once, then Enter. For programs without agents' rules, and tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct TypeIn;

impl Deliver for TypeIn {
    fn deliver(&self, target: &Session, text: String, origin: Origin) -> Delivery {
        let sent = target.send(Input::Text(format!("{text}\n")), origin);
        let receipt = match sent {
            Ok(_) => Receipt { state: DeliveryState::Submitted, detail: "typed in, not verified".to_owned() },
            Err(error) => Receipt { state: DeliveryState::Failed, detail: error.to_string() },
        };
        Delivery { turn_id: turn_id(), receipt: Box::pin(async move { receipt }) }
    }
}

/// `t_` and eight hex digits.
pub(crate) fn turn_id() -> String {
    crate::project::random_id("t_")
}
