//! The face end to end: a real engine behind a real socket, and real processes.
#![allow(clippy::unwrap_used, reason = "a test that can't go on should panic")]

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
