//! Presets, launches, states and deliveries with real files and real programs.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]

mod deliveries;
mod launches;
mod more_prompts;
mod presets;
mod recordings;
mod reports;
mod stage;
mod starts;
mod states;
