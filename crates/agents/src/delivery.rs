//! Delivers prompts exactly once, complete and submitted.
//!
//! Each session has one [`PromptQueue`]: a queue, and a task that waits until the agent can take a prompt, pastes it,
//! presses Enter and looks for proof. Nothing is ever typed into a permission prompt or a dialog, and nothing over a
//! person's half-typed draft.

mod body;
mod courier;
mod look_alike;
mod queue;
mod receipt;

pub use body::{BodyTag, MAX_BODY_BYTES, PREFACE, clean_body, compose};
pub use queue::{PromptMessage, PromptQueue, QueueFacts, QueueRefusal};
pub use receipt::{
    DeliveryFailure, DeliveryHold, DeliveryOutcome, DeliveryReceipt, DeliveryTicket, TurnId, TurnIdError,
};
