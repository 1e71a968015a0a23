//! Text in what a session shows and has printed: patterns, searches, output without control sequences.

pub(crate) mod pattern;
pub(crate) mod plain_output;
pub(crate) mod search;
