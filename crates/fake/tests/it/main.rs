//! The fakes in real terminals: what they draw, what keys do to them, and what they ask of their MCP servers.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]

mod endings;
mod hooks;
mod questions;
mod screens;
mod stage;
mod start;
mod stories;
mod submitting;
mod tools;
mod vendor_rules;
