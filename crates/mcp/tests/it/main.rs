//! The server, the pump, the relay, HTTP and the sniffing, over real streams and with a real engine behind the table.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails, also outside its own function")]

mod admission;
mod calls;
mod endings;
mod eras;
mod http;
mod listing;
mod malformed;
mod pumping;
mod relaying;
mod sniffing;
mod stage;
mod test_ops;
