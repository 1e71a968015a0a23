//! The recordings in a folder: asciicast files, named by their file names.

use std::{
    fs::File,
    io::{self, BufReader},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::tape::{Tape, TapeError, TapeLimits};

/// Maximum files listed: the newest ones.
const MAX_LISTED: usize = 500;
const ENDING: &str = ".cast";

/// A recording in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingFile {
    pub name: String,
    pub bytes: u64,
    pub changed: SystemTime,
}

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("there is no recording {0:?} in the folder of recordings")]
    NotListed(String),
    #[error("the recording can't be opened: {0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Tape(#[from] TapeError),
}

/// Lists them, newest first. A missing folder is empty.
pub fn list(folder: &Path) -> Vec<RecordingFile> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut found: Vec<RecordingFile> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok().filter(|name| name.ends_with(ENDING))?;
            // Of the entry itself: links are not followed, since they may lead anywhere.
            let about = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some(RecordingFile { name, bytes: about.len(), changed: about.modified().ok()? })
        })
        .collect();
    found.sort_by(|one, other| (other.changed, &other.name).cmp(&(one.changed, &one.name)));
    found.truncate(MAX_LISTED);
    found
}

impl RecordingFile {
    /// Time since its last write.
    pub fn age(&self, now: SystemTime) -> Duration {
        now.duration_since(self.changed).unwrap_or_default()
    }
}

/// Opens a recording by its file name. Only names that the list can show are accepted.
pub fn open(folder: &Path, name: &str, limits: TapeLimits) -> Result<Tape, FileError> {
    read_file(&find(folder, name)?, limits)
}

/// The path of the recording with this file name.
pub fn find(folder: &Path, name: &str) -> Result<PathBuf, FileError> {
    let not_listed = || FileError::NotListed(name.to_owned());
    if !name.ends_with(ENDING) || Path::new(name).file_name().is_none_or(|bare| bare != name) {
        return Err(not_listed());
    }
    let path = folder.join(name);
    if !path.symlink_metadata().is_ok_and(|about| about.is_file()) {
        return Err(not_listed());
    }
    Ok(path)
}

/// Opens any file that the user chose, a pipe included.
pub fn read_file(path: &Path, limits: TapeLimits) -> Result<Tape, FileError> {
    Ok(Tape::read(BufReader::new(File::open(path)?), limits)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_recordings_of_the_folder_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("recordings");
        std::fs::create_dir(&inner).unwrap();
        let cast = "{\"version\":2,\"width\":9,\"height\":1}\n[1,\"o\",\"a\"]\n";
        std::fs::write(folder.path().join("outside.cast"), cast).unwrap();
        std::fs::write(inner.join("a.cast"), cast).unwrap();
        std::fs::write(inner.join("b.txt"), cast).unwrap();
        std::fs::create_dir(inner.join("folder.cast")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("outside.cast"), inner.join("link.cast")).unwrap();
        let names: Vec<String> = list(&inner).into_iter().map(|listed| listed.name).collect();
        assert_eq!(names, ["a.cast"]);
        open(&inner, "a.cast", TapeLimits::default()).unwrap();
        let wrong = [
            "../outside.cast",
            "link.cast",
            "b.txt",
            "",
            "/etc/passwd",
            "./a.cast",
            "a.cast/",
            "no.cast",
            "folder.cast",
        ];
        for wrong in wrong {
            let opened = open(&inner, wrong, TapeLimits::default());
            assert!(matches!(opened, Err(FileError::NotListed(_))), "{wrong}");
        }
        assert!(list(&folder.path().join("none")).is_empty());
    }
}
