//! Text that a session shows or has printed: patterns, searches, output without control sequences.

pub(crate) mod pattern;
pub(crate) mod plain_output;
pub(crate) mod search;
