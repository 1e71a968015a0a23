//! A file of settings, followed while it is edited.

use std::{ffi::OsStr, path::Path};

/// Tells of changes of one file until it is dropped.
#[derive(Debug)]
pub struct FileWatch {
    _watcher: notify::RecommendedWatcher,
}

impl FileWatch {
    /// Calls `tell` from a thread of its own whenever the file may be another. None where its folder can't be watched.
    pub fn start(file: &Path, tell: impl Fn() + Send + 'static) -> Option<Self> {
        let name = file.file_name()?.to_owned();
        let heard = move |changed: &OsStr| {
            // Nameless: nobody knows what was missed.
            if changed.is_empty() || changed == name {
                tell();
            }
        };
        crate::folder::watch(file.parent()?, heard).ok().map(|watcher| FileWatch { _watcher: watcher })
    }
}
