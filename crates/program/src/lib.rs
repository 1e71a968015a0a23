//! What both programs do around the engine: the sockets they listen on and who may connect, signals and exit codes,
//! what they find in their surroundings, their manual pages, and what their doctors find.
//!
//! Both programs call it. It knows no sessions and no operations, nor what is spoken on a connection: the caller serves
//! each connection that is let in.

mod admission;
mod clean_text;
pub mod doctor;
mod end_requests;
mod end_signals;
mod failure;
mod folder;
mod gate;
mod lock_file;
mod locked_socket;
mod log_stream;
#[cfg(feature = "manual")]
mod manual;
mod open_files;
mod origin_guard;
mod process_socket;
mod socket;
#[cfg(feature = "manual")]
mod status_command;
mod surroundings;

pub use self::{
    admission::AdmissionRule,
    clean_text::{CleanText, escape_json, is_clean, printable, set_in},
    end_requests::{EndRequests, EndWatch},
    end_signals::{EndSignal, EndSignals},
    failure::{Exit, Failure, Outcome, exit_of},
    folder::{FolderError, create_private, private_folder},
    gate::{ClosingSignal, ConnectionGate, OpenConnections},
    lock_file::{LockError, LockFile},
    locked_socket::LockedSocket,
    log_stream::LogStream,
    open_files::allow_many_files,
    origin_guard::{HttpScheme, OriginGuard, OriginRefusal},
    process_socket::ProcessSocket,
    socket::{SocketError, SocketPermissions},
    surroundings::{Surroundings, SurroundingsError},
};
#[cfg(feature = "manual")]
pub use self::{manual::write_manual, status_command::StatusCommand};
