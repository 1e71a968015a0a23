//! The face end to end: a real engine behind a real socket, and real processes.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]

mod attach;
mod calls;
mod connect;
mod errors;
mod faults;
mod parity;
mod services;
mod stage;
mod subscribe;
mod watch;
