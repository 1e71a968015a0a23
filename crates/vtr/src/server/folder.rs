//! Folders and files that are nobody else's business.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
};

/// Creates what is missing of a path, each folder 0700. What exists is left as it is.
pub(crate) fn create_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Opens a log to be added to, 0600 when it is new.
pub(crate) fn open_log(file: &Path) -> io::Result<File> {
    if let Some(folder) = file.parent() {
        create_private(folder)?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(file)
}
