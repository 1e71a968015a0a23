//! The folder of one run, beside its socket: connect files, and the files rendered for agents. It is removed with the
//! run.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

#[derive(Debug)]
pub(crate) struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// `PID/` for the socket `PID.sock`. Whoever holds the socket owns the name, so an existing folder was left by a
    /// run that was killed.
    pub(crate) fn beside(socket: &Path) -> io::Result<Self> {
        let path = socket.with_extension("");
        remove(&path)?;
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(RunFolder { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.path) {
            tracing::warn!(folder = %self.path.display(), %error, "the folder of this run could not be removed");
        }
    }
}

/// Removes the folders that killed runs left beside their sockets.
pub(crate) fn remove_left_over(sockets: &[PathBuf]) {
    for socket in sockets {
        if let Err(error) = remove(&socket.with_extension("")) {
            tracing::warn!(socket = %socket.display(), %error, "the folder of an earlier run could not be removed");
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
