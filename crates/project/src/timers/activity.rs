//! Whether sessions are at work: what idle timers wait for.

/// A session's place between work and rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest {
    pub phase: Phase,
    /// Counts the changes, so that an infrequent reader can tell "at rest again" from "still at rest".
    pub changes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Working,
    /// Waits for a prompt or a decision.
    Resting,
    /// Its program has ended, or the session is gone.
    Ended,
}
