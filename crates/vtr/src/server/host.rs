//! What a coordinator adds to the operations: defaults for new sessions, and a folder for recordings.

use std::path::PathBuf;

#[derive(Debug)]
pub(crate) struct CoordinatorHost {
    pub(crate) size: vt::Size,
    pub(crate) home: PathBuf,
    pub(crate) recordings: PathBuf,
}

impl ops::Host for CoordinatorHost {
    fn default_size(&self) -> vt::Size {
        self.size
    }

    fn default_working_dir(&self) -> Option<PathBuf> {
        Some(self.home.clone())
    }

    fn recording_folder(&self) -> Option<PathBuf> {
        Some(self.recordings.clone())
    }
}
