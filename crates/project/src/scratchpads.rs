//! Scratchpads: the project's shared texts, one file each.
//!
//! Several patterms on one project, and any editor, may work on them at once: reads see complete files, writes and
//! appends are serialised by a lock file, and a watch tells of changes by others. Functions here may block on the disk
//! and on that lock; the operations call them outside of the async tasks.

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

use notify::RecommendedWatcher;
use sha2::{Digest, Sha256};

use crate::{
    file_lock_turn::{FileLockTurn, GivenUp, in_turn},
    folder::{self, FileFacts, FolderError, FolderLock, ProjectFolder},
    layout::hex,
};

/// The scratchpads of one project. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Scratchpads {
    folder: PathBuf,
}

/// A scratchpad's name: `[A-Za-z0-9][A-Za-z0-9._ -]{0,127}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PadName(String);

/// Identifies a content: another content has another revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision(String);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PadInfo {
    pub name: PadName,
    pub size: u64,
    pub modified_at: SystemTime,
    /// `None` for a file that is too big to be read.
    pub revision: Option<Revision>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScratchpadText {
    pub content: String,
    pub revision: Revision,
}

/// The result of a write that expected a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    Yes(Revision),
    /// Nothing was written: this is the present revision, or there is no scratchpad.
    Changed(Option<Revision>),
}

#[derive(Debug, thiserror::Error)]
pub enum PadError {
    #[error(
        "'{name}' can't be the name of a scratchpad: use 1 to 128 of A-Z a-z 0-9 . _ - and space, the first a letter or digit",
        name = .name.escape_debug()
    )]
    Name { name: String },
    #[error("there is no scratchpad '{0}': list them to see their names", .name.as_str())]
    NotFound { name: PadName },
    #[error("scratchpad '{0}' is a link or no regular file: nothing was touched; remove it by hand", .name.as_str())]
    NotAFile { name: PadName },
    #[error("scratchpad '{0}' is not UTF-8 text: open it with another program", .name.as_str())]
    NotText { name: PadName },
    #[error("scratchpad '{0}' would have {size} bytes and {limit} is the limit: split it, or use a file", .name.as_str())]
    TooBig { name: PadName, size: u64, limit: usize },
    #[error("there are {limit} scratchpads already: delete some")]
    TooMany { limit: usize },
    #[error("the disk is full, scratchpad '{0}' is as it was: make room and write again", .name.as_str())]
    NoSpace { name: PadName },
    #[error("another process holds the scratchpads' lock for {seconds} s, nothing was written: try again")]
    Locked { seconds: u64 },
    #[error(
        "the scratchpads can't be reached ({source}), nothing was written: check their folder's permissions and free space"
    )]
    Io { source: std::io::Error },
}

/// Maximum bytes of a scratchpad. A longer text is not a note any more, and every append rewrites all of it.
pub const MAX_PAD_BYTES: usize = 4 << 20;
const MAX_PADS: usize = 1000;
/// A writer holds the lock for a read, a write and two fsyncs.
const PATIENCE: Duration = Duration::from_secs(10);

type Result<T> = std::result::Result<T, PadError>;

impl Scratchpads {
    /// In this folder, which is created on demand.
    pub fn new(folder: PathBuf) -> Self {
        Scratchpads { folder }
    }

    pub fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// By name. Files without a valid name and irregular files are left out.
    pub fn list(&self) -> Result<Vec<PadInfo>> {
        let folder = match ProjectFolder::open(&self.folder) {
            Err(FolderError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            folder => folder.map_err(io)?,
        };
        let mut names: Vec<PadName> =
            folder.names().map_err(io)?.into_iter().filter_map(|n| PadName::new(n).ok()).collect();
        names.sort();
        names.truncate(MAX_PADS);
        let mut pads = Vec::with_capacity(names.len());
        for name in names {
            let info = |facts: FileFacts, revision| PadInfo {
                name: name.clone(),
                size: facts.size,
                modified_at: facts.modified,
                revision,
            };
            match folder.read(name.as_str(), MAX_PAD_BYTES) {
                Ok(Some((facts, bytes))) => pads.push(info(facts, Some(Revision::of(&bytes)))),
                // Removed since the folder was read.
                Ok(None) | Err(FolderError::NotAFile) => {}
                Err(FolderError::TooBig { .. }) => {
                    if let Ok(Some(facts)) = folder.facts(name.as_str()) {
                        pads.push(info(facts, None));
                    }
                }
                Err(error) => return Err(of_pad(&name, error)),
            }
        }
        Ok(pads)
    }

    pub fn read(&self, name: &PadName) -> Result<ScratchpadText> {
        let not_found = || PadError::NotFound { name: name.clone() };
        let folder = match ProjectFolder::open(&self.folder) {
            Err(FolderError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => return Err(not_found()),
            folder => folder.map_err(io)?,
        };
        let (_, bytes) =
            folder.read(name.as_str(), MAX_PAD_BYTES).map_err(|error| of_pad(name, error))?.ok_or_else(not_found)?;
        let revision = Revision::of(&bytes);
        let content = String::from_utf8(bytes).map_err(|_| PadError::NotText { name: name.clone() })?;
        Ok(ScratchpadText { content, revision })
    }

    /// Runs `work`, which may block, outside of the async tasks; a change is given up if another process does not
    /// release the lock.
    pub async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Scratchpads, &FileLockTurn) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let pads = self.clone();
        in_turn(PATIENCE, move |turn| work(&pads, turn)).await.unwrap_or_else(|| Err(given_up(GivenUp)))
    }

    /// Writes the whole content. With `expected`, only if that is the present revision.
    pub fn write(
        &self,
        turn: &FileLockTurn,
        name: &PadName,
        content: &str,
        expected: Option<&str>,
    ) -> Result<WriteOutcome> {
        self.change(turn, name, |old| {
            let current = old.map(Revision::of);
            match expected {
                Some(expected) if current.as_ref().map(Revision::as_str) != Some(expected) => Err(current),
                _ => Ok(content.as_bytes().to_vec()),
            }
        })
    }

    /// Appends to the end, or to a new scratchpad. Text that other processes append is never lost.
    pub fn append(&self, turn: &FileLockTurn, name: &PadName, content: &str) -> Result<Revision> {
        let written = self.change(turn, name, |old| Ok([old.unwrap_or_default(), content.as_bytes()].concat()))?;
        match written {
            WriteOutcome::Yes(revision) => Ok(revision),
            WriteOutcome::Changed(_) => unreachable!("an append expects nothing"),
        }
    }

    pub fn delete(&self, turn: &FileLockTurn, name: &PadName) -> Result<()> {
        let (folder, lock) = self.locked(turn, name)?;
        match folder.remove(name.as_str(), &lock).map_err(|error| of_pad(name, error))? {
            true => Ok(()),
            false => Err(PadError::NotFound { name: name.clone() }),
        }
    }

    fn locked(&self, turn: &FileLockTurn, name: &PadName) -> Result<(ProjectFolder, FolderLock)> {
        let no_way_in = |error| match error {
            FolderError::NoSpace => PadError::NoSpace { name: name.clone() },
            error => io(error),
        };
        let folder = ProjectFolder::make(&self.folder).map_err(no_way_in)?;
        let lock = folder.lock().map_err(no_way_in)?;
        turn.begin().map_err(given_up)?;
        Ok((folder, lock))
    }

    /// Under the lock, from the old content to the new one; if `change` returns an error, nothing is written.
    fn change(
        &self,
        turn: &FileLockTurn,
        name: &PadName,
        change: impl FnOnce(Option<&[u8]>) -> std::result::Result<Vec<u8>, Option<Revision>>,
    ) -> Result<WriteOutcome> {
        let (folder, lock) = self.locked(turn, name)?;
        let old = folder.read(name.as_str(), MAX_PAD_BYTES).map_err(|error| of_pad(name, error))?;
        if old.is_none() && folder.names().map_err(io)?.len() > MAX_PADS {
            return Err(PadError::TooMany { limit: MAX_PADS });
        }
        let new = match change(old.as_ref().map(|(_, bytes)| bytes.as_slice())) {
            Ok(new) => new,
            Err(current) => return Ok(WriteOutcome::Changed(current)),
        };
        if new.len() > MAX_PAD_BYTES {
            return Err(PadError::TooBig { name: name.clone(), size: new.len() as u64, limit: MAX_PAD_BYTES });
        }
        folder.replace(name.as_str(), &new, &lock).map_err(|error| of_pad(name, error))?;
        Ok(WriteOutcome::Yes(Revision::of(&new)))
    }

    /// Removes temporary files of killed writers, unless someone is writing now.
    pub(crate) fn sweep(&self) -> Result<()> {
        let folder = ProjectFolder::make(&self.folder).map_err(io)?;
        match folder.try_lock().map_err(io)? {
            Some(lock) => folder.sweep(&lock).map_err(io),
            None => Ok(()),
        }
    }

    /// Calls `tell` after each change, including ours.
    pub(crate) fn watch(&self, tell: impl Fn() + Send + 'static) -> notify::Result<RecommendedWatcher> {
        folder::watch(&self.folder, move |name| {
            if name.is_empty() || name.to_str().is_some_and(|name| PadName::new(name).is_ok()) {
                tell();
            }
        })
    }
}

fn given_up(_: GivenUp) -> PadError {
    PadError::Locked { seconds: PATIENCE.as_secs() }
}

fn io(error: FolderError) -> PadError {
    let source = match error {
        FolderError::Io(source) => source,
        other => std::io::Error::other(other.to_string()),
    };
    PadError::Io { source }
}

fn of_pad(name: &PadName, error: FolderError) -> PadError {
    let name = name.clone();
    match error {
        FolderError::NotAFile => PadError::NotAFile { name },
        FolderError::TooBig { size, limit } => PadError::TooBig { name, size, limit },
        FolderError::NoSpace => PadError::NoSpace { name },
        FolderError::Io(source) => PadError::Io { source },
    }
}

impl PadName {
    pub const MAX_LENGTH: usize = 128;

    pub fn new(name: impl Into<String>) -> Result<Self> {
        let name = name.into();
        let good = name.len() <= Self::MAX_LENGTH
            && name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '.' | '_' | ' ' | '-'));
        if good { Ok(PadName(name)) } else { Err(PadError::Name { name: name.chars().take(64).collect() }) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Revision {
    fn of(content: &[u8]) -> Self {
        Revision(hex(&Sha256::digest(content)[..8]))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> PadName {
        PadName::new(text).unwrap()
    }

    fn now() -> FileLockTurn {
        FileLockTurn::default()
    }

    #[test]
    fn the_rule_for_names() {
        for good in ["a", "notes.md", "A b-c_d.e", "9", &"x".repeat(128)] {
            assert!(PadName::new(good).is_ok(), "{good}");
        }
        let bad =
            ["", ".", "..", ".x", "-x", " x", "_x", "a/b", "../a", "a\0b", "a\n", "é", "a~", "a:b", &"x".repeat(129)];
        for bad in bad {
            assert!(matches!(PadName::new(bad), Err(PadError::Name { .. })), "{bad:?}");
        }
    }

    #[test]
    fn a_write_that_expects_another_revision_writes_nothing() {
        let root = tempfile::tempdir().unwrap();
        let pads = Scratchpads::new(root.path().join("pads"));
        let notes = name("notes.md");
        assert!(matches!(pads.read(&notes), Err(PadError::NotFound { .. })));
        assert_eq!(pads.write(&now(), &notes, "a", Some("0123456789abcdef")).unwrap(), WriteOutcome::Changed(None));
        let WriteOutcome::Yes(first) = pads.write(&now(), &notes, "one", None).unwrap() else {
            panic!("nothing was expected")
        };
        assert_eq!(pads.read(&notes).unwrap(), ScratchpadText { content: "one".into(), revision: first.clone() });
        let WriteOutcome::Yes(second) = pads.write(&now(), &notes, "two", Some(first.as_str())).unwrap() else {
            panic!("{first:?}")
        };
        assert_eq!(
            pads.write(&now(), &notes, "three", Some(first.as_str())).unwrap(),
            WriteOutcome::Changed(Some(second))
        );
        assert_eq!(pads.read(&notes).unwrap().content, "two");
    }

    #[test]
    fn appends_make_the_scratchpad_and_add_to_it() {
        let root = tempfile::tempdir().unwrap();
        let pads = Scratchpads::new(root.path().join("pads"));
        pads.append(&now(), &name("log"), "a\n").unwrap();
        let revision = pads.append(&now(), &name("log"), "b\n").unwrap();
        assert_eq!(pads.read(&name("log")).unwrap(), ScratchpadText { content: "a\nb\n".into(), revision });
        pads.delete(&now(), &name("log")).unwrap();
        assert!(matches!(pads.delete(&now(), &name("log")), Err(PadError::NotFound { .. })));
    }

    #[test]
    fn a_list_shows_what_is_a_scratchpad() {
        let root = tempfile::tempdir().unwrap();
        let pads = Scratchpads::new(root.path().join("pads"));
        assert_eq!(pads.list().unwrap(), []);
        pads.write(&now(), &name("b.md"), "bb", None).unwrap();
        pads.write(&now(), &name("a.md"), "a", None).unwrap();
        for other in [".hidden", "a~", ".new-00000000"] {
            std::fs::write(pads.folder().join(other), "x").unwrap();
        }
        std::fs::create_dir(pads.folder().join("folder")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", pads.folder().join("link.md")).unwrap();
        let big = std::fs::File::create(pads.folder().join("big")).unwrap();
        big.set_len(MAX_PAD_BYTES as u64 + 1).unwrap();
        let listed = pads.list().unwrap();
        let names: Vec<(&str, u64, bool)> =
            listed.iter().map(|pad| (pad.name.as_str(), pad.size, pad.revision.is_some())).collect();
        assert_eq!(names, [("a.md", 1, true), ("b.md", 2, true), ("big", MAX_PAD_BYTES as u64 + 1, false)]);
        pads.sweep().unwrap();
        assert!(!pads.folder().join(".new-00000000").exists() && pads.folder().join(".hidden").exists());
    }

    #[test]
    fn limits_leave_the_old_content() {
        let root = tempfile::tempdir().unwrap();
        let pads = Scratchpads::new(root.path().join("pads"));
        pads.write(&now(), &name("x"), "old", None).unwrap();
        let much = "y".repeat(MAX_PAD_BYTES);
        assert!(matches!(pads.append(&now(), &name("x"), &much), Err(PadError::TooBig { .. })));
        assert!(matches!(pads.write(&now(), &name("x"), &(much + "y"), None), Err(PadError::TooBig { .. })));
        assert_eq!(pads.read(&name("x")).unwrap().content, "old");
        std::fs::write(pads.folder().join("raw"), [0xff]).unwrap();
        assert!(matches!(pads.read(&name("raw")), Err(PadError::NotText { .. })));
    }

    #[tokio::test]
    async fn what_was_given_up_for_a_lock_is_never_written() {
        let root = tempfile::tempdir().unwrap();
        let pads = Scratchpads::new(root.path().join("pads"));
        pads.write(&now(), &name("x"), "old", None).unwrap();
        let lock = std::fs::File::options().write(true).open(pads.folder().join(".lock")).unwrap();
        lock.lock().unwrap();
        let (held, (told, result)) = (pads.clone(), std::sync::mpsc::channel());
        let given_up = in_turn(Duration::ZERO, move |turn| {
            let _ = told.send(held.write(turn, &name("x"), "new", None));
        });
        assert_eq!(given_up.await, None);
        lock.unlock().unwrap();
        assert!(matches!(result.recv().unwrap(), Err(PadError::Locked { .. })));
        assert_eq!(pads.read(&name("x")).unwrap().content, "old");
    }
}
