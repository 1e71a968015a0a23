//! Prompts that arrive once, whole and submitted.
//!
//! Each session has one [`PromptQueue`]: a queue, and a task that waits until the agent can take a
//! prompt, pastes it, presses Enter and looks for proof. Nothing is ever typed into a permission
//! prompt or a dialog, and nothing over what a person has begun to type.

mod body;
mod courier;
mod look_alike;
mod queue;
mod receipt;

pub use body::{MAX_BODY_BYTES, PREFACE, Tag, clean_body, compose};
pub use queue::{PromptMessage, PromptQueue, QueueFacts, QueueRefusal};
pub use receipt::{
    DeliveryFailure, DeliveryHold, DeliveryOutcome, DeliveryReceipt, DeliveryTicket, TurnId, TurnIdError,
};
