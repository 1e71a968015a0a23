//! The program as people, scripts and agents meet it: real processes, sockets and folders of their own.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]

mod agent_failures;
mod agents;
mod client;
mod command_line;
mod failures;
mod headless;
mod http;
mod identity;
mod observing;
mod other_users;
mod protocol;
mod proxy;
mod stage;
mod states;
mod stories;
