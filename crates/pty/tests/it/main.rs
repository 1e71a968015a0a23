//! Real programs in real terminals.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]

mod ending;
mod exits;
mod host_death;
mod leaks;
mod processes;
mod session;
mod start;
mod surroundings;
mod terminal;
