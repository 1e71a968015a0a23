//! Sessions with real programs in real terminals.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]

mod cascade;
mod crowd;
mod endings;
mod environment;
mod input;
mod lifecycle;
mod memory;
mod names;
mod orphans;
mod ports;
mod reads;
mod runtime;
mod shutdown;
mod stage;
mod synchronized;
mod taps;
mod waits;
