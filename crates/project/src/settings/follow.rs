//! Follows a settings file while it is edited.

use std::{ffi::OsStr, path::Path};

/// Reports changes of one file until it is dropped.
#[derive(Debug)]
pub struct FileWatch {
    _watcher: notify::RecommendedWatcher,
}

impl FileWatch {
    /// Calls `tell` from a thread of its own whenever the file may have changed. `None` if its folder can't be watched.
    pub fn start(file: &Path, tell: impl Fn() + Send + 'static) -> Option<Self> {
        let name = file.file_name()?.to_owned();
        let heard = move |changed: &OsStr| {
            // Without a name: events may have been missed.
            if changed.is_empty() || changed == name {
                tell();
            }
        };
        crate::folder::watch(file.parent()?, heard).ok().map(|watcher| FileWatch { _watcher: watcher })
    }
}
