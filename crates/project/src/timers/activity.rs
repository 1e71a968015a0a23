//! Whether sessions are at work: what idle timers wait for.

use agents::TurnId;
use engine::Session;
use tokio::sync::watch;

/// Where a session stands between work and rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest {
    pub phase: Phase,
    /// Counts the changes, so that who looks seldom can tell "at rest again" from "still at rest".
    pub changes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Working,
    /// Waits: for a prompt, or for somebody's decision.
    Resting,
    /// Its program has ended, or the session is gone.
    Ended,
}

/// Knows whether sessions are at work.
pub trait Activity: Send + Sync {
    /// The present, and every change as long as somebody listens. The sender is dropped when the session is gone. With a
    /// turn, only the end of that one is rest.
    fn watch(&self, session: &Session, turn: Option<TurnId>) -> watch::Receiver<Rest>;
}
