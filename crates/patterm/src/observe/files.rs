//! Files and folders that are nobody else's business.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
};

/// Creates what is missing of a path, each folder 0700. What exists is left as it is.
pub(super) fn private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// A file to be added to, 0600 when it is new. A link is not followed.
pub(super) fn append(file: &Path) -> io::Result<File> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    OpenOptions::new().create(true).append(true).mode(0o600).custom_flags(no_follow).open(file)
}

/// A whole file, 0600, in place of what was there.
pub(super) fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let opened =
        OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).custom_flags(no_follow).open(file);
    opened?.write_all(bytes)
}
