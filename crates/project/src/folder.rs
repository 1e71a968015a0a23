//! A folder of our own on disk: its files are addressed by plain names, never reached through links, and replaced
//! atomically.
//!
//! Other writers may be another patterm, an editor, or someone who wants us to write elsewhere. So every file is opened
//! relative to the folder without following links, has to be a regular file, and is read up to a limit. This module
//! does not know what the files contain.

use std::{
    ffi::OsStr,
    fs::{DirBuilder, File, TryLockError},
    io::{self, Read, Write},
    os::{fd::OwnedFd, unix::fs::DirBuilderExt},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rustix::{
    fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, fsync, openat, renameat, statat, unlinkat},
    io::Errno,
};

/// An open folder.
#[derive(Debug)]
pub(crate) struct ProjectFolder {
    fd: OwnedFd,
}

/// Identifies a file's content: files are replaced, not changed, so another content has another identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileFacts {
    pub(crate) size: u64,
    pub(crate) modified: SystemTime,
    inode: u64,
    changed_nanos: i128,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum FolderError {
    #[error("it is a link or no regular file")]
    NotAFile,
    #[error("it has {size} bytes, and {limit} is the limit")]
    TooBig { size: u64, limit: usize },
    #[error("there is no room left on the disk")]
    NoSpace,
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<Errno> for FolderError {
    fn from(errno: Errno) -> Self {
        match errno {
            // The errors of O_NOFOLLOW for a link, and of opening a folder for writing.
            Errno::LOOP | Errno::ISDIR | Errno::NXIO => FolderError::NotAFile,
            Errno::NOSPC | Errno::DQUOT => FolderError::NoSpace,
            other => FolderError::Io(other.into()),
        }
    }
}

fn write_error(error: io::Error) -> FolderError {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(errno) => errno.into(),
        None => FolderError::Io(error),
    }
}

type Result<T> = std::result::Result<T, FolderError>;

/// Held until dropped; excludes every process that takes it.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _file: File,
}

const LOCK: &str = ".lock";
/// Names that start with a dot are never shown to others.
const TEMPORARY: &str = ".new-";
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: Mode = Mode::from_raw_mode(0o600);

impl ProjectFolder {
    /// Creates the folder and its ancestors if they are missing, for their owner only.
    pub(crate) fn make(path: &Path) -> Result<Self> {
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path).map_err(write_error)?;
        Self::open(path)
    }

    pub(crate) fn open(path: &Path) -> Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(CWD, path, flags, Mode::empty()) {
            Ok(fd) => Ok(ProjectFolder { fd }),
            Err(Errno::LOOP | Errno::NOTDIR) => Err(FolderError::NotAFile),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Waits for the current holder.
    pub(crate) fn lock(&self) -> Result<FolderLock> {
        let file = self.lock_file()?;
        file.lock()?;
        Ok(FolderLock { _file: file })
    }

    /// `None` while another process holds it.
    pub(crate) fn try_lock(&self) -> Result<Option<FolderLock>> {
        let file = self.lock_file()?;
        match file.try_lock() {
            Ok(()) => Ok(Some(FolderLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    fn lock_file(&self) -> Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = openat(&self.fd, LOCK, flags, FILE_MODE)?;
        regular(&fstat(&fd)?)?;
        Ok(File::from(fd))
    }

    /// `None` if there is no such file.
    pub(crate) fn read(&self, name: &str, limit: usize) -> Result<Option<(FileFacts, Vec<u8>)>> {
        // NONBLOCK: opening a pipe put in place of a file would block for ever.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = match openat(&self.fd, name, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            fd => fd?,
        };
        let facts = regular(&fstat(&fd)?)?;
        let too_big = |size| FolderError::TooBig { size, limit };
        if facts.size > limit as u64 {
            return Err(too_big(facts.size));
        }
        let mut bytes = Vec::with_capacity(facts.size as usize);
        // It may have grown meanwhile.
        File::from(fd).take(limit as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > limit { Err(too_big(bytes.len() as u64)) } else { Ok(Some((facts, bytes))) }
    }

    /// `None` if there is no such file.
    pub(crate) fn facts(&self, name: &str) -> Result<Option<FileFacts>> {
        match statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(None),
            stat => Ok(Some(regular(&stat?)?)),
        }
    }

    /// Atomic: the file has either the old content or all of the new one. Only the holder of [`Self::lock`] may write.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8], _lock: &FolderLock) -> Result<()> {
        // A link or a pipe with that name must not be removed by us.
        self.facts(name)?;
        let temporary = crate::project::random_id(TEMPORARY);
        let written = self.write_new(&temporary, bytes).and_then(|()| {
            renameat(&self.fd, &temporary, &self.fd, name)?;
            Ok(())
        });
        if written.is_err() {
            let _ = unlinkat(&self.fd, &temporary, AtFlags::empty());
            return written;
        }
        // The new name reaches the disk with the folder.
        fsync(&self.fd)?;
        Ok(())
    }

    fn write_new(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.fd, name, flags, FILE_MODE)?);
        file.write_all(bytes).map_err(write_error)?;
        file.sync_all().map_err(write_error)
    }

    /// `false` if there was none.
    pub(crate) fn remove(&self, name: &str, _lock: &FolderLock) -> Result<bool> {
        if self.facts(name)?.is_none() {
            return Ok(false);
        }
        unlinkat(&self.fd, name, AtFlags::empty())?;
        fsync(&self.fd)?;
        Ok(true)
    }

    /// Removes temporary files of killed writers. Nobody else writes while the lock is held, so every temporary file is
    /// one.
    pub(crate) fn sweep(&self, _lock: &FolderLock) -> Result<()> {
        for name in self.names()?.iter().filter(|name| name.starts_with(TEMPORARY)) {
            match unlinkat(&self.fd, name.as_str(), AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT | Errno::ISDIR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    /// All entries with valid names, in no order.
    pub(crate) fn names(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd)? {
            if let Ok(name) = entry?.file_name().to_str() {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }
}

fn regular(stat: &Stat) -> Result<FileFacts> {
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(FolderError::NotAFile);
    }
    let since = Duration::new(stat.st_mtime.try_into().unwrap_or(0), stat.st_mtime_nsec.try_into().unwrap_or(0));
    Ok(FileFacts {
        size: stat.st_size.try_into().unwrap_or(0),
        modified: SystemTime::UNIX_EPOCH + since,
        inode: stat.st_ino,
        changed_nanos: i128::from(stat.st_ctime) * 1_000_000_000 + i128::from(stat.st_ctime_nsec),
    })
}

/// Calls `tell` with the name of each file in `path` that was written, moved or removed, from a thread of the watcher.
pub(crate) fn watch(path: &Path, tell: impl Fn(&OsStr) + Send + 'static) -> notify::Result<notify::RecommendedWatcher> {
    use notify::{EventKind, RecursiveMode, Watcher};
    let heard = move |event: notify::Result<notify::Event>| {
        // An unspecific event: any file may have changed.
        let Ok(event) = event else { return tell(OsStr::new("")) };
        // Reading a file is an event too, and a reader that reacts to every event would loop.
        if matches!(event.kind, EventKind::Access(kind) if !is_write_end(kind)) {
            return;
        }
        if event.need_rescan() {
            return tell(OsStr::new(""));
        }
        for name in event.paths.iter().filter_map(|path: &PathBuf| path.file_name()) {
            tell(name);
        }
    };
    let mut watcher = notify::recommended_watcher(heard)?;
    watcher.watch(path, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

fn is_write_end(kind: notify::event::AccessKind) -> bool {
    use notify::event::{AccessKind, AccessMode};
    kind == AccessKind::Close(AccessMode::Write)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_is_made_is_for_its_owner_alone() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a/b");
        let folder = ProjectFolder::make(&path).unwrap();
        folder.replace("x", b"1", &folder.lock().unwrap()).unwrap();
        assert_eq!((mode(&root.path().join("a")), mode(&path)), (0o700, 0o700));
        assert_eq!((mode(&path.join("x")), mode(&path.join(LOCK))), (0o600, 0o600));
    }

    #[test]
    fn a_replaced_file_is_another_and_whole() {
        let root = tempfile::tempdir().unwrap();
        let folder = ProjectFolder::make(root.path()).unwrap();
        let lock = folder.lock().unwrap();
        assert!(folder.read("x", 10).unwrap().is_none() && folder.facts("x").unwrap().is_none());
        folder.replace("x", b"one", &lock).unwrap();
        let (first, bytes) = folder.read("x", 10).unwrap().unwrap();
        assert_eq!((bytes.as_slice(), first.size), (b"one".as_slice(), 3));
        folder.replace("x", b"two", &lock).unwrap();
        assert_ne!(folder.facts("x").unwrap().unwrap(), first);
        assert!(matches!(folder.read("x", 2), Err(FolderError::TooBig { size: 3, limit: 2 })));
        let mut names = folder.names().unwrap();
        names.retain(|name| !matches!(name.as_str(), "." | ".."));
        names.sort();
        assert_eq!(names, [LOCK, "x"]);
        assert!(folder.remove("x", &lock).unwrap() && !folder.remove("x", &lock).unwrap());
    }

    #[test]
    fn links_pipes_and_folders_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("own");
        let folder = ProjectFolder::make(&path).unwrap();
        let lock = folder.lock().unwrap();
        let outside = root.path().join("outside");
        std::fs::write(&outside, "secret").unwrap();
        symlink(&outside, path.join("link")).unwrap();
        symlink(root.path().join("nowhere"), path.join("dangling")).unwrap();
        std::fs::create_dir(path.join("folder")).unwrap();
        rustix::fs::mknodat(CWD, path.join("pipe"), FileType::Fifo, FILE_MODE, 0).unwrap();
        for name in ["link", "dangling", "folder", "pipe"] {
            assert!(matches!(folder.read(name, 10), Err(FolderError::NotAFile)), "read {name}");
            assert!(matches!(folder.facts(name), Err(FolderError::NotAFile)), "facts {name}");
            assert!(matches!(folder.replace(name, b"x", &lock), Err(FolderError::NotAFile)), "replace {name}");
            assert!(matches!(folder.remove(name, &lock), Err(FolderError::NotAFile)), "remove {name}");
        }
        assert_eq!(std::fs::read(&outside).unwrap(), b"secret");
        symlink(root.path(), root.path().join("way")).unwrap();
        assert!(matches!(ProjectFolder::open(&root.path().join("way")), Err(FolderError::NotAFile)));
        assert!(folder.try_lock().unwrap().is_none(), "it is held");
        // The lock itself is not reached through a link either.
        drop(lock);
        std::fs::remove_file(path.join(LOCK)).unwrap();
        symlink(&outside, path.join(LOCK)).unwrap();
        assert!(matches!(folder.lock(), Err(FolderError::NotAFile)));
    }

    #[test]
    fn leftovers_are_swept_and_the_rest_stays() {
        let root = tempfile::tempdir().unwrap();
        let folder = ProjectFolder::make(root.path()).unwrap();
        std::fs::write(root.path().join(".new-12345678"), "half").unwrap();
        std::fs::write(root.path().join("whole"), "whole").unwrap();
        folder.sweep(&folder.lock().unwrap()).unwrap();
        assert!(!root.path().join(".new-12345678").exists() && root.path().join("whole").exists());
    }

    #[test]
    fn writes_are_seen_and_reads_are_not() {
        let root = tempfile::tempdir().unwrap();
        let folder = ProjectFolder::make(root.path()).unwrap();
        let (told, heard) = std::sync::mpsc::channel();
        let _watcher = watch(root.path(), move |name| {
            let _ = told.send(name.to_owned());
        })
        .unwrap();
        let until = |wanted: &str| {
            let next = || heard.recv_timeout(testkit::DEADLINE).expect("the watcher tells of a write");
            std::iter::repeat_with(next).take_while(|name| name != wanted).collect::<Vec<_>>()
        };
        folder.replace("x", b"1", &folder.lock().unwrap()).unwrap();
        until("x");
        // Events come in order: after this one, none of the write of x is left.
        std::fs::write(root.path().join("mark"), "").unwrap();
        until("mark");
        folder.read("x", 10).unwrap().unwrap();
        std::fs::write(root.path().join("y"), "2").unwrap();
        assert!(!until("y").iter().any(|name| name == "x"), "a read was heard");
    }
}
