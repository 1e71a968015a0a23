//! recent.json: what the person chose lately from the palette in this project, so that the next run lists it first.
//!
//! It is a convenience: an unreadable file counts as empty, and a failed write is ignored. An entry is an opaque
//! string.

use std::{path::PathBuf, time::Duration};

use crate::{
    file_lock_turn::in_turn,
    folder::{FolderError, ProjectFolder},
};

const NAME: &str = "recent.json";
/// Maximum entries, and maximum bytes of one.
const MAX_ENTRIES: usize = 64;
const MAX_ENTRY_BYTES: usize = 256;
/// All entries at full length, each byte of them escaped (`\u00XX`).
const MAX_BYTES: usize = MAX_ENTRIES * MAX_ENTRY_BYTES * 8;
/// If another process holds the folder's lock for longer than this, the change is dropped.
const PATIENCE: Duration = Duration::from_secs(5);

/// The file. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Recents {
    folder: PathBuf,
}

impl Recents {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Recents { folder }
    }

    /// Newest first. May block on the disk.
    pub fn list(&self) -> Vec<String> {
        ProjectFolder::open(&self.folder).map(|folder| listed(&folder)).unwrap_or_default()
    }

    /// Moves an entry to the front, outside of the async tasks. Changes that another patterm made meanwhile stay.
    pub async fn note(self, entry: String) {
        if entry.is_empty() || entry.len() > MAX_ENTRY_BYTES {
            return;
        }
        let noted = in_turn(PATIENCE, move |turn| -> Result<(), FolderError> {
            let folder = ProjectFolder::make(&self.folder)?;
            let held = folder.lock()?;
            if turn.begin().is_err() {
                return Ok(());
            }
            let mut entries = listed(&folder);
            entries.retain(|known| *known != entry);
            entries.insert(0, entry);
            entries.truncate(MAX_ENTRIES);
            let mut bytes = serde_json::to_vec_pretty(&entries).expect("strings are plain JSON");
            bytes.push(b'\n');
            folder.replace(NAME, &bytes, &held)
        });
        if let Some(Err(error)) = noted.await {
            tracing::warn!(%error, "recent.json was not written");
        }
    }
}

fn listed(folder: &ProjectFolder) -> Vec<String> {
    let Ok(Some((_, bytes))) = folder.read(NAME, MAX_BYTES) else { return Vec::new() };
    let mut entries: Vec<String> = serde_json::from_slice(&bytes).unwrap_or_default();
    entries.retain(|entry| !entry.is_empty() && entry.len() <= MAX_ENTRY_BYTES);
    entries.truncate(MAX_ENTRIES);
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_newest_comes_first_and_there_is_an_end() {
        let root = tempfile::tempdir().unwrap();
        let recents = Recents::new(root.path().join("project"));
        assert_eq!(recents.list(), [""; 0]);
        for entry in ["quit", "agent/claude", "quit", "", &"x".repeat(MAX_ENTRY_BYTES + 1)] {
            recents.clone().note(entry.to_owned()).await;
        }
        assert_eq!(recents.list(), ["quit", "agent/claude"]);
        // Control characters are the longest in JSON.
        let longest = |number: usize| format!("{number:0>4}{}", "\u{1}".repeat(MAX_ENTRY_BYTES - 4));
        for number in 0..MAX_ENTRIES + 3 {
            recents.clone().note(longest(number)).await;
        }
        let listed = recents.list();
        assert_eq!((listed.len(), &listed[0]), (MAX_ENTRIES, &longest(MAX_ENTRIES + 2)));
    }

    #[tokio::test]
    async fn a_file_of_anybody_s_is_nothing_and_a_link_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let recents = Recents::new(root.path().to_owned());
        let file = root.path().join(NAME);
        let big = format!("[{}\"a\"]", "\"a\",".repeat(MAX_BYTES));
        for hostile in ["", "{", "{\"a\": 1}", "[1, 2]", "\u{0}\u{1}", &big] {
            std::fs::write(&file, hostile).unwrap();
            assert_eq!(recents.list(), [""; 0], "{:.20}", hostile);
        }
        recents.clone().note("help".to_owned()).await;
        assert_eq!(recents.list(), ["help"], "it is written anew");
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(root.path().join("elsewhere"), &file).unwrap();
        recents.clone().note("help".to_owned()).await;
        assert!(!root.path().join("elsewhere").exists() && recents.list().is_empty());
    }
}
