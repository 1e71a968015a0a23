//! The server over real sockets, real coordinators and real children.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]

mod budgets;
mod live;
mod refusals;
mod stage;
