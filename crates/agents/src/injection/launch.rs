//! An agent preset, made ready to be started once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::folder::LaunchFolder;
use crate::preset::{AgentPreset, TemplateError};

/// What one launch needs to know.
#[derive(Debug)]
pub struct LaunchRequest<'a> {
    pub preset: &'a AgentPreset,
    /// Our own program, absolute: the CLI runs it as `mcp-stdio` and `hook`.
    pub program: &'a Path,
    /// Holds socket and token, 0600. It may lie in `folder`, and then goes with it.
    pub connect_file: &'a Path,
    /// Takes the rendered files. Some CLIs refuse files under a folder that others can write to, as
    /// the temporary folder is.
    pub folder: LaunchFolder,
    pub project_root: &'a Path,
    pub home: &'a Path,
}

/// Keep it for as long as the agent runs, and across its restarts: its files go when it is dropped.
#[derive(Debug)]
pub struct Launch {
    pub argv: Vec<OsString>,
    pub env: Vec<(OsString, OsString)>,
    pub env_unset: Vec<OsString>,
    pub working_dir: PathBuf,
    pub folder: LaunchFolder,
}

#[derive(Debug, Error)]
pub enum LaunchError {
    #[error("the path {} is not UTF-8, so the agent '{preset}' can't be told of it: use a folder with a plain name", path.display())]
    NotText { preset: String, path: PathBuf },
    #[error("preset '{preset}': {source}")]
    Template { preset: String, source: TemplateError },
    #[error("preset '{preset}': {} can't be copied: {reason}; mend the file, or change `mcp_injection`", path.display())]
    Config { preset: String, path: PathBuf, reason: String },
    #[error("preset '{preset}': the launch's files can't be written in {}: {source}; check free space and permissions", path.display())]
    Write { preset: String, path: PathBuf, source: std::io::Error },
}

impl Launch {
    /// Renders everything the preset asks for into the launch's folder.
    pub fn prepare(request: LaunchRequest<'_>) -> Result<Launch, LaunchError> {
        let _ = &request;
        unimplemented!("follows")
    }

    /// Removes the launch's files now, and says so if it can't.
    pub fn close(self) -> std::io::Result<()> {
        self.folder.close()
    }
}
