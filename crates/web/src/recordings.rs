//! The recordings that can be played: asciicast files of one folder, by their bare names.

use std::{
    fs::File,
    io::{self, BufReader},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use serde::Serialize;

use crate::replay::{Recording, ReplayError};

/// Files that are listed: the newest.
const MAX_LISTED: usize = 500;
const ENDING: &str = ".cast";

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Listed {
    name: String,
    bytes: u64,
    /// Seconds since 1970.
    changed: u64,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("there is no recording {0:?} in the folder of recordings")]
    NotFound(String),
    #[error("the recording can't be opened: {0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

/// Newest first. A folder that is not there holds nothing.
pub(crate) fn list(folder: &Path) -> Vec<Listed> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut found: Vec<Listed> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok().filter(|name| name.ends_with(ENDING))?;
            // Of the entry itself: a link may lead anywhere.
            let about = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
            let changed = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_secs();
            Some(Listed { name, bytes: about.len(), changed })
        })
        .collect();
    found.sort_by(|one, other| (other.changed, &other.name).cmp(&(one.changed, &one.name)));
    found.truncate(MAX_LISTED);
    found
}

/// A recording by its bare name: one that the list could show, and nothing else.
pub(crate) fn open(folder: &Path, name: &str) -> Result<Recording, OpenError> {
    let not_found = || OpenError::NotFound(name.to_owned());
    if !name.ends_with(ENDING) || Path::new(name).file_name().is_none_or(|bare| bare != name) {
        return Err(not_found());
    }
    let path: PathBuf = folder.join(name);
    if !path.symlink_metadata().is_ok_and(|about| about.is_file()) {
        return Err(not_found());
    }
    Ok(Recording::read(BufReader::new(File::open(path)?))?)
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
        std::os::unix::fs::symlink(folder.path().join("outside.cast"), inner.join("link.cast")).unwrap();
        let names: Vec<String> = list(&inner).into_iter().map(|listed| listed.name).collect();
        assert_eq!(names, ["a.cast"]);
        open(&inner, "a.cast").unwrap();
        for wrong in ["../outside.cast", "link.cast", "b.txt", "", "/etc/passwd", "./a.cast", "a.cast/", "no.cast"] {
            assert!(matches!(open(&inner, wrong), Err(OpenError::NotFound(_))), "{wrong}");
        }
        assert!(list(&folder.path().join("none")).is_empty());
    }
}
