//! The operations on real sessions, as a face calls them.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]

mod help;
mod input;
mod lifecycle;
mod reads;
mod records;
mod scope;
mod search;
mod stage;
mod table;
mod waits;
