//! Folders and files that only their owner can open.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

pub(crate) use program::create_private;

/// Opens a log for appending; a new one gets mode 0600.
pub(crate) fn open_log(file: &Path) -> io::Result<File> {
    if let Some(folder) = file.parent() {
        create_private(folder)?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(file)
}
