//! The folder of a launch: private, and removed with the launch.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Mode 0700; removed with its content on drop.
#[derive(Debug)]
pub struct LaunchFolder {
    path: PathBuf,
}

impl LaunchFolder {
    /// Creates a folder with a random name in `run_folder`, which is created (0700) if it is missing.
    pub fn create_in(run_folder: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(run_folder)?;
        // Sixteen tries of 64 random bits fail only if the folder can't be written.
        for _ in 0..16 {
            let mut chance = [0; 8];
            getrandom::fill(&mut chance).map_err(io::Error::other)?;
            let path = run_folder.join(format!("launch-{:016x}", u64::from_be_bytes(chance)));
            match create_private(&path) {
                Ok(()) => return Ok(LaunchFolder { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("no free name for a launch's folder"))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a file (0600) with this name; an existing file is an error.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        if !is_plain_file_name(name) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("'{name}' is not a plain file name")));
        }
        let path = self.path.join(name);
        write_private(&path, bytes)?;
        Ok(path)
    }

    /// Removes it now, and returns an error if that fails.
    pub fn close(mut self) -> io::Result<()> {
        self.remove()
    }

    fn remove(&mut self) -> io::Result<()> {
        let path = std::mem::take(&mut self.path);
        if path.as_os_str().is_empty() {
            return Ok(());
        }
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl Drop for LaunchFolder {
    fn drop(&mut self) {
        if let Err(error) = self.remove() {
            tracing::warn!(%error, "a launch's folder could not be removed");
        }
    }
}

pub(super) fn create_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(folder)
}

pub(super) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)
}

/// A single path component: no separators, not `..`, not hidden.
pub fn is_plain_file_name(name: &str) -> bool {
    let allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
    !name.is_empty() && name.len() <= 128 && !name.starts_with('.') && name.chars().all(allowed)
}
