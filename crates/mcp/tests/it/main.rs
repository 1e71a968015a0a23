//! The server, the pump and the sniffing, over real streams and with a real engine behind the table.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]

mod calls;
mod endings;
mod eras;
mod listing;
mod malformed;
mod pumping;
mod sniffing;
mod stage;
mod test_ops;
