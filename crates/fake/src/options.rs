//! What a fake is started with.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use crate::make::AgentMake;

/// The process's own surroundings, handed in by `main.rs`: this crate reads none of them itself.
#[derive(Clone)]
pub struct FakeOptions {
    pub make: AgentMake,
    /// What follows the make on the command line: the vendor's flags, and ours (`--script`, `--story`, `--fast`).
    pub arguments: Vec<OsString>,
    /// Read for the few variables the real CLI reads, and passed on to MCP servers and hooks as it passes it on.
    pub environment: Vec<(OsString, OsString)>,
    pub working_dir: PathBuf,
    /// The script when the command line names none.
    pub script: Option<PathBuf>,
    /// The command line that starts this very program again with the same arguments. A fake that ignores SIGTERM
    /// goes through a shell that ignores it, because dispositions pass through exec and setting one here would take
    /// unsafe code.
    pub again: Vec<OsString>,
}

impl FakeOptions {
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        let found = self.environment.iter().rev().find(|(key, _)| key == name);
        found.and_then(|(_, value)| value.to_str())
    }
}

impl fmt::Debug for FakeOptions {
    /// Without the values of the environment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeOptions")
            .field("make", &self.make)
            .field("arguments", &self.arguments)
            .field("working_dir", &self.working_dir)
            .field("script", &self.script)
            .finish_non_exhaustive()
    }
}
