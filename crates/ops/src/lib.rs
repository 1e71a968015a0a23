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
mod entry;
mod error;
mod host;
mod operation;
pub mod operations;
mod output;
mod parity;
mod program_report;
mod recordings;
mod table;
mod vocabulary;

pub use call::{Call, Context, Progress, SessionContext};
pub use caller::{Caller, Role, Roles};
pub use entry::{IDLE_AFTER, IdleState, ProcessEntry, ProcessStatus, exit_code, signal_name};
pub use error::{ErrorKind, OpError};
pub use host::{CallerEvent, HelpTopic, Host, InputGuard, NoHost, Preset, SessionNotes, StartRequest};
pub use operation::{CallEffects, Faces, Operation, OperationTraits, run};
pub use output::{ChangedRow, OutputMode, ProcessOutput};
pub use parity::ParityError;
pub use program_report::ProgramReport;
pub use recordings::{NewRecording, RecordingEvent, RecordingFormat, RecordingRules, RecordingStatus, Recordings};
pub use table::{Entry, Table};
pub use vocabulary::{ActiveScreen, CursorPosition, ProcessKind, ProcessLife, ProcessOwner, SignalArg, rfc3339};
/// Used by [`Host`], so that programs need no dependency on `vt` for it.
pub use vt::Size;
