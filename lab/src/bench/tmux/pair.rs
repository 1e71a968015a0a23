//! One coordinator and one tmux server, started for one measurement and ended with it.

use std::path::Path;

use anyhow::Result;
use tempfile::TempDir;

use super::{coordinator::Coordinator, server::Server};

/// The size of every session on both sides.
pub(super) const COLS: u16 = 120;
pub(super) const ROWS: u16 = 40;
/// Lines of history on both sides.
pub(super) const HISTORY: usize = 10_000;

pub(super) struct Pair {
    pub(super) ours: Coordinator,
    pub(super) theirs: Server,
    // Declared last: both have files in it until they end.
    folder: TempDir,
}

impl Pair {
    pub(super) fn start(vtr: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let ours = Coordinator::start(vtr, folder.path())?;
        let theirs = Server::start(folder.path())?;
        Ok(Pair { ours, theirs, folder })
    }

    /// A file for children to print.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<String> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes)?;
        Ok(path.to_string_lossy().into_owned())
    }
}
