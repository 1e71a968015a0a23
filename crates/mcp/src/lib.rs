//! The MCP face: turns a table of operations into a server on any byte stream.
//!
//! A program gives [`serve()`] a connection, itself with its table, and the caller behind the connection;
//! everything else here is the protocol, in all its published revisions at once (see `era`). The
//! same socket may carry gRPC: [`sniff()`] tells the two apart by their first bytes. [`pump()`] is the other
//! end: standard input and output of a client's child process, joined to that socket.
//!
//! It must not know what any tool does, who may connect, or where a socket lies.

mod connection;
mod era;
mod id_scan;
mod lines;
mod message;
mod outbox;
mod progress;
mod pump;
mod running;
mod schema;
mod serve;
mod sniff;
mod tools;

pub use pump::{PumpEnd, PumpError, pump};
pub use serve::{ServeError, ServerInfo, serve};
pub use sniff::{Protocol, Replay, SniffError, sniff};

/// The longest message taken or sent, in bytes.
pub const MESSAGE_LIMIT: usize = 16 * 1024 * 1024;
