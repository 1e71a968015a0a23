//! The program as people, scripts and agents use it: real processes, and sockets and folders of their own.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]

mod agent_failures;
mod agents;
mod broken_output;
mod client;
mod command_line;
mod face_attention;
mod face_endings;
mod face_finding;
mod face_last_run;
mod face_recordings;
mod face_reports;
mod face_scratchpads;
mod face_start_set;
mod face_trust;
mod face_windows;
mod failures;
mod hands;
mod headless;
mod http;
mod identity;
mod looks;
mod observing;
mod other_users;
mod permissions;
mod programs;
mod protocol;
mod proxy;
mod screen_stage;
mod share;
mod stage;
mod states;
mod stories;
mod tab;
