//! Timers: a text that comes back later, or when others have come to rest.

/// The timers of one project.
#[derive(Debug, Default)]
pub struct Timers {}
