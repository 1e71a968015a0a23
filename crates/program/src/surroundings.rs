//! What a process finds in its surroundings, as plain data. `main.rs` reads it once and passes it to everything else.

use std::{
    env,
    ffi::{OsStr, OsString},
    fmt, io,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy;

#[derive(Clone)]
pub struct Surroundings {
    /// The path of this program, for starting it again.
    pub program: PathBuf,
    pub working_dir: PathBuf,
    pub home: PathBuf,
    /// For this program.
    pub config_dir: PathBuf,
    pub data_dir: PathBuf,
    pub state_dir: PathBuf,
    /// For all programs.
    pub cache_dir: PathBuf,
    /// The user's runtime folder, if the system has one.
    pub runtime_dir: Option<PathBuf>,
    pub temp_dir: PathBuf,
    /// What sessions inherit. Never printed.
    pub environment: Vec<(OsString, OsString)>,
    pub user: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum SurroundingsError {
    #[error("no home folder: set HOME")]
    NoHome,
    #[error("finding {what}: {error}")]
    System { what: &'static str, error: io::Error },
}

impl Surroundings {
    /// For the program of this name.
    pub fn look_around(name: &str) -> Result<Self, SurroundingsError> {
        let folders = etcetera::choose_base_strategy().map_err(|_| SurroundingsError::NoHome)?;
        let system = |what| move |error| SurroundingsError::System { what, error };
        let home = folders.home_dir().to_owned();
        let runtime_dir = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        Ok(Surroundings {
            program: env::current_exe().map_err(system("this program"))?,
            working_dir: env::current_dir().map_err(system("the working folder"))?,
            config_dir: folders.config_dir().join(name),
            data_dir: folders.data_dir().join(name),
            state_dir: folders.state_dir().unwrap_or_else(|| home.join(".local/state")).join(name),
            cache_dir: folders.cache_dir(),
            runtime_dir: runtime_dir.filter(|path| path.is_absolute()),
            temp_dir: env::temp_dir(),
            environment: env::vars_os().collect(),
            user: rustix::process::geteuid().as_raw(),
            home,
        })
    }

    /// Surroundings for tests: all folders below `root`, and no environment.
    #[doc(hidden)]
    pub fn nowhere(program: &Path, root: &Path) -> Self {
        Surroundings {
            program: program.into(),
            working_dir: root.into(),
            home: root.join("home"),
            config_dir: root.join("config"),
            data_dir: root.join("data"),
            state_dir: root.join("state"),
            cache_dir: root.join("cache"),
            runtime_dir: None,
            temp_dir: root.join("tmp"),
            environment: Vec::new(),
            user: rustix::process::geteuid().as_raw(),
        }
    }

    /// An environment variable; an empty one counts as unset.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.environment.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
    }

    /// The default folder for the sockets of a program: the user's runtime folder, or a folder of our own in the folder
    /// for temporary files.
    pub fn socket_folder(&self, name: &str) -> PathBuf {
        match &self.runtime_dir {
            Some(folder) => folder.join(name),
            None => self.temp_dir.join(format!("{name}-{}", self.user)),
        }
    }
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").field("home", &self.home).finish_non_exhaustive()
    }
}
