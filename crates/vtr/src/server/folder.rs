//! Folders and files that are nobody else's business.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

pub(crate) use program::create_private;

/// Opens a log to be added to, 0600 when it is new.
pub(crate) fn open_log(file: &Path) -> io::Result<File> {
    if let Some(folder) = file.parent() {
        create_private(folder)?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(file)
}
