//! The operations: what can be done with sessions, each in one file, all in one table.
//!
//! An operation has arguments and a reply (types, from which the schemas come), a doc comment (from
//! which every face takes its help), the roles that may call it and the faces that offer it. MCP,
//! gRPC, the command line and the palette only convert: to arguments, and from replies or an
//! [`OpError`]. A program adds itself through [`Host`], and its own operations through a table of its
//! own on the same [`Operation`] trait.
//!
//! Nothing here knows JSON-RPC, tonic or clap, or how a caller reached us.

mod call;
mod caller;
mod error;
mod host;
mod operation;
pub mod operations;
mod table;

pub use call::{Call, Context, Progress};
pub use caller::{Caller, Role, Roles};
pub use error::{ErrorKind, OpError};
pub use host::{CallerEvent, Host, InputGuard, NoHost, SessionNotes, StartRequest};
pub use operation::{Effects, Faces, Operation, Traits, run};
pub use table::{Entry, Table};
