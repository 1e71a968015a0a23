//! The real program on sockets of its own: every command, as a person or an agent runs it.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]

mod access;
mod addressing;
mod attach;
mod attach_bounds;
mod attach_slow;
mod broken_output;
mod commands;
mod completions;
mod config;
mod crashes;
mod daemon;
mod doctor;
mod endings;
mod errors;
mod faces;
mod faults;
mod hostile;
mod output;
mod programs;
mod recordings;
mod reports;
mod serve;
mod stage;
mod versions;
mod vitals;
mod waits;
mod web;
