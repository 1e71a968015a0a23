//! A file that is locked while a coordinator runs and holds its process id. Only the lock counts: the kernel releases
//! it however the process ends, while the file and the number in it may be left over.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// The longest content: a process id and a newline, in bytes.
const LONGEST: u64 = 32;

/// A lock held by this process. Dropping it removes the file.
#[derive(Debug)]
pub struct LockFile {
    path: PathBuf,
    _file: File,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds the lock; this is its id, if the file can be read.
    #[error("a running coordinator holds {}", path.display())]
    Held { path: PathBuf, pid: Option<u32> },
    /// The file existed, and no coordinator wrote it.
    #[error("{} exists, and holds something other than a process id", path.display())]
    NotOurs { path: PathBuf },
    #[error("{}: {error}", path.display())]
    System { path: PathBuf, error: io::Error },
}

impl LockFile {
    pub fn acquire(path: &Path) -> Result<Self, LockError> {
        let failed = |error| LockError::System { path: path.into(), error };
        loop {
            let mut file = open(path, true).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::Held { path: path.into(), pid: pid_in(&mut file) });
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
            // The previous holder may have removed the file after we opened it and before we locked it. Then we hold
            // the lock of a deleted file, which excludes nobody.
            if !is_at(&file, path) {
                continue;
            }
            if !is_empty_or_pid(&mut file).map_err(failed)? {
                return Err(LockError::NotOurs { path: path.into() });
            }
            file.rewind().and_then(|()| file.set_len(0)).map_err(failed)?;
            writeln!(file, "{}", std::process::id()).map_err(failed)?;
            return Ok(LockFile { path: path.into(), _file: file });
        }
    }

    /// The id of the process that holds the lock, if any.
    pub fn holder(path: &Path) -> io::Result<Option<u32>> {
        let mut file = match open(path, false) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => Ok(pid_in(&mut file)),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // Still locked, so no other process can have taken the file over. If removal fails, an unlocked file remains,
        // which is harmless.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn open(path: &Path, create: bool) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(create)
        .mode(0o600)
        .custom_flags((rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits().cast_signed())
        .open(path)
}

fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Whether the content is what a coordinator leaves behind. Any other file belongs to somebody else and is not touched.
fn is_empty_or_pid(file: &mut File) -> io::Result<bool> {
    let found = file.metadata()?;
    Ok(found.is_file() && (found.len() == 0 || (found.len() <= LONGEST && pid_in(file).is_some())))
}

fn pid_in(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time_and_nothing_left() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.lock");
        assert_eq!(LockFile::holder(&path).unwrap(), None);
        let first = LockFile::acquire(&path).unwrap();
        assert_eq!(LockFile::holder(&path).unwrap(), Some(std::process::id()));
        assert!(matches!(LockFile::acquire(&path), Err(LockError::Held { pid: Some(_), .. })));
        drop(first);
        assert!(!path.exists());
    }

    #[test]
    fn a_file_left_over_is_taken() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.lock");
        std::fs::write(&path, "99999999\n").unwrap();
        assert_eq!(LockFile::holder(&path).unwrap(), None);
        LockFile::acquire(&path).unwrap();
    }

    #[test]
    fn a_file_that_holds_anything_else_is_left_as_it_is() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("notes.txt");
        for text in ["my notes\n", "4711 4712\n", &"1".repeat(40)] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(LockFile::acquire(&path), Err(LockError::NotOurs { .. })), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::write(&path, "").unwrap();
        LockFile::acquire(&path).unwrap();
    }

    #[test]
    fn a_link_is_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("precious");
        std::fs::write(&target, "data").unwrap();
        std::os::unix::fs::symlink(&target, root.path().join("x.lock")).unwrap();
        assert!(matches!(LockFile::acquire(&root.path().join("x.lock")), Err(LockError::System { .. })));
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "data");
    }
}
