//! Where a server listens: its socket, who may connect, and the connections until their end.
//!
//! It does not know what is spoken on a connection: the program that listens hands each to whom it concerns.

mod admission;
mod gate;
mod lock_file;
mod socket;

use std::{fs::DirBuilder, io, os::unix::fs::DirBuilderExt, path::Path};

pub use self::{
    admission::Admission,
    gate::{Closing, Connections, Gate},
    lock_file::{LockError, LockFile},
    socket::{Permissions, Socket, SocketError},
};

/// Creates what is missing of a path, each folder 0700. What exists is left as it is.
pub fn create_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
