//! Files and folders that only their owner can open.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
};

/// Creates the missing parts of a path, each with mode 0700. Existing folders keep their mode.
pub(super) fn private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Opens a file for appending; a new one gets mode 0600. A symbolic link is not followed.
pub(super) fn append(file: &Path) -> io::Result<File> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    OpenOptions::new().create(true).append(true).mode(0o600).custom_flags(no_follow).open(file)
}

/// Writes a whole file with mode 0600, replacing the previous one.
pub(super) fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let opened =
        OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).custom_flags(no_follow).open(file);
    opened?.write_all(bytes)
}
