//! patterm's own operations on real sessions and files, as a face calls them.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]
#![allow(clippy::print_stdout, reason = "a second process reports by lines")]

mod coordination;
mod help;
mod prompts;
mod scratchpads;
mod spawning;
mod stage;
mod table;
mod timers;
mod versions;
