//! A fake's start options.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use crate::make::AgentMake;

/// The process's environment, passed in by `main.rs`: this crate reads none of it itself.
#[derive(Clone)]
pub struct FakeOptions {
    pub make: AgentMake,
    /// The arguments after the make: the vendor's flags, and ours (`--script`, `--story`, `--fast`).
    pub arguments: Vec<OsString>,
    /// Read for the few variables that the real CLI reads, and passed on to MCP servers and hooks in the same way.
    pub environment: Vec<(OsString, OsString)>,
    pub working_dir: PathBuf,
    /// The script if the command line names none.
    pub script: Option<PathBuf>,
    /// The command line that starts this program again with the same arguments. A fake that ignores SIGTERM is
    /// restarted through a shell that ignores it: the disposition survives exec, and setting it here would take unsafe
    /// code.
    pub again: Vec<OsString>,
}

impl FakeOptions {
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        let found = self.environment.iter().rev().find(|(key, _)| key == name);
        found.and_then(|(_, value)| value.to_str())
    }
}

impl fmt::Debug for FakeOptions {
    /// Omits the values of the environment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeOptions")
            .field("make", &self.make)
            .field("arguments", &self.arguments)
            .field("working_dir", &self.working_dir)
            .field("script", &self.script)
            .finish_non_exhaustive()
    }
}
