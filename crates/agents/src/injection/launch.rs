//! An agent preset, prepared for one start.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::folder::LaunchFolder;
use super::plan::LaunchPlan;
use super::write::write;
use crate::preset::{AgentPreset, ConversationId, TemplateError, TemplateValues, resolve_folder};

/// The parameters of a launch.
#[derive(Debug)]
pub struct LaunchRequest<'a> {
    pub preset: &'a AgentPreset,
    /// Our own program's absolute path: the CLI runs it as `mcp-stdio` and `hook`.
    pub program: &'a Path,
    /// Contains socket and token, mode 0600. It may be in `folder`, and is then removed with it.
    pub connect_file: &'a Path,
    /// The folder for rendered files. Some CLIs refuse files in a folder that other users can write to, such as the
    /// temporary folder.
    pub folder: LaunchFolder,
    pub project_root: &'a Path,
    pub home: &'a Path,
    /// The person's cache folder.
    pub cache: &'a Path,
    /// To be gone on with, if the preset knows how.
    pub conversation: Option<&'a ConversationId>,
}

/// Keep it while the agent runs, and across its restarts: its files are removed on drop.
pub struct AgentLaunch {
    pub argv: Vec<OsString>,
    pub env: Vec<(OsString, OsString)>,
    pub env_unset: Vec<OsString>,
    pub working_dir: PathBuf,
    pub folder: LaunchFolder,
}

impl fmt::Debug for AgentLaunch {
    /// Omits the values of the environment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("argv", &self.argv)
            .field("env", &self.env.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("working_dir", &self.working_dir)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Error)]
pub enum LaunchError {
    #[error("the path {} is not UTF-8, so the agent '{preset}' can't be told of it: use a folder with a plain name", path.display())]
    NotText { preset: String, path: PathBuf },
    #[error("preset '{preset}': {source}")]
    Template { preset: String, source: TemplateError },
    #[error("preset '{preset}': {} can't be copied: {reason}; fix the file, or change `mcp_injection`", path.display())]
    Config { preset: String, path: PathBuf, reason: String },
    #[error("preset '{preset}': the launch's files can't be written in {}: {source}; check free space and permissions", path.display())]
    Write { preset: String, path: PathBuf, source: std::io::Error },
}

impl AgentLaunch {
    /// Renders everything that the preset asks for into the launch's folder.
    pub fn prepare(request: LaunchRequest<'_>) -> Result<AgentLaunch, LaunchError> {
        let LaunchRequest { preset, program, connect_file, folder, project_root, home, cache, conversation } = request;
        let text = |path: &Path| match path.to_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(LaunchError::NotText { preset: preset.name.clone(), path: path.into() }),
        };
        let (command, connect, place) = (text(program)?, text(connect_file)?, text(folder.path())?);
        let (project, home_text, cache) = (text(project_root)?, text(home)?, text(cache)?);
        let values = TemplateValues {
            command: &command,
            connect: &connect,
            file: None,
            folder: &place,
            project: &project,
            home: &home_text,
            cache: &cache,
            conversation: conversation.map(ConversationId::as_str),
        };
        let LaunchPlan { argv, env, env_unset, files } = LaunchPlan::of(preset, values)?;
        for file in files {
            write(&preset.name, &folder, file)?;
        }
        let working_dir = resolve_folder(preset.working_dir.as_deref(), project_root, home);
        Ok(AgentLaunch {
            argv: argv.into_iter().map(OsString::from).collect(),
            env: env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            env_unset: env_unset.into_iter().map(OsString::from).collect(),
            working_dir,
            folder,
        })
    }

    /// Removes the launch's files now, and returns an error if that fails.
    pub fn close(self) -> std::io::Result<()> {
        self.folder.close()
    }
}
