//! The MCP face: turns a table of operations into a server on any byte stream.
//!
//! A program gives [`serve()`] a connection, a context with its table, and the caller behind the connection; everything
//! else here is the protocol, in all its published revisions (see `era`). The same socket may carry gRPC: [`sniff()`]
//! tells the two apart by their first bytes. [`pump()`] is the client's side: it joins a child process's standard input
//! and output to that socket.
//!
//! A program with several callers calls [`admit()`] first: it reads a line with a token, which the program accepts or
//! refuses. [`serve_http()`] is the same server for clients that speak Streamable HTTP.
//!
//! It must not know what any tool does, what a token stands for, or where a socket lies.

mod admission;
mod connection;
mod era;
mod http;
mod id_scan;
mod lines;
mod message;
mod outbox;
mod progress;
mod pump;
mod relay;
mod running;
mod schema;
mod serve;
mod sniff;
mod tell_apart;
mod tools;

pub use admission::{AdmissionError, AdmittedClient, OneCall, admit, greeting, greeting_with_call};
pub use http::serve_http;
pub use pump::{PumpEnd, PumpError, pump};
pub use relay::relay;
pub use serve::{ServeError, ServerInfo, serve};
pub use sniff::{ReplayedStream, SniffError, WireProtocol, sniff};
pub use tell_apart::tell_apart;

/// The longest message read or sent, in bytes.
pub const MESSAGE_LIMIT: usize = 16 * 1024 * 1024;
