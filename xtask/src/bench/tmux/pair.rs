//! One coordinator and one tmux server, started for one measurement and ended with it.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::Result;
use tempfile::TempDir;

use super::{coordinator::Coordinator, server::Server};

/// Of every session on both sides.
pub(super) const COLS: u16 = 120;
pub(super) const ROWS: u16 = 40;
/// Lines of history on both sides.
pub(super) const HISTORY: usize = 10_000;

pub(super) struct Pair {
    pub(super) ours: Coordinator,
    pub(super) theirs: Server,
    // Last: both have files in it until they end.
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

/// A process of ours, ended with TERM when it is dropped.
pub(super) struct Ended(pub(super) Child);

impl Ended {
    pub(super) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        let pid = i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = pid
            && matches!(self.0.try_wait(), Ok(None))
        {
            // Not waited for yet, so the number is still this process's.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
        let _ = self.0.wait();
    }
}

/// Both sides run in the same surroundings, with nothing of the user's.
pub(super) fn command(program: impl AsRef<std::ffi::OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", folder)
        .env("SHELL", "/bin/sh")
        .env("LANG", "C.UTF-8")
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}
