//! What the process finds around itself, as plain data.
//!
//! `main.rs` is the only place that reads the environment and the home folder; everything else gets this.

use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
};

#[derive(Clone)]
pub(crate) struct Surroundings {
    /// This program, which agents start again as their proxy.
    pub(crate) program: PathBuf,
    /// The project, unless it is named.
    pub(crate) working_dir: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) cache_dir: PathBuf,
    /// Holds `config.json` and `presets/`.
    pub(crate) config_dir: PathBuf,
    /// Holds `projects/`.
    pub(crate) data_dir: PathBuf,
    /// Holds what `--debug` and `--profile` write.
    pub(crate) state_dir: PathBuf,
    /// The user's runtime folder, where the system has one.
    pub(crate) runtime_dir: Option<PathBuf>,
    pub(crate) temp_dir: PathBuf,
    /// `SHELL`.
    pub(crate) shell: OsString,
    /// We run in a pane of another patterm.
    pub(crate) inside_patterm: bool,
    /// The interface panics at this key: for tests of how it ends. Never set in a release.
    pub(crate) panic_on: Option<vt::input::KeyEvent>,
    /// What sessions inherit. Never printed.
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) user: u32,
}

impl Surroundings {
    /// A variable of the environment we were started with; empty when it is not set.
    pub(crate) fn variable(&self, name: &str) -> &OsStr {
        self.environment.iter().find(|(known, _)| known == name).map_or(OsStr::new(""), |(_, value)| value)
    }

    /// Where sockets lie: the user's runtime folder, or a folder of our own where everybody may have one.
    pub(crate) fn socket_folder(&self) -> PathBuf {
        match &self.runtime_dir {
            Some(folder) => folder.join("patterm"),
            None => self.temp_dir.join(format!("patterm-{}", self.user)),
        }
    }
}

impl std::fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings").field("home", &self.home).finish_non_exhaustive()
    }
}
