//! What a client of coordinators finds in its surroundings, as plain data.

use std::{ops::Deref, path::PathBuf};

#[derive(Clone, Debug)]
pub struct ClientSurroundings {
    /// With the folders of `vtr`, whichever program asks.
    pub process: program::Surroundings,
    /// `VTR_SOCKET`.
    pub socket: Option<PathBuf>,
    /// `VTR_SESSION`: the id of the session that we run in.
    pub own_session: Option<String>,
    /// `VTR_CONFIG`, instead of `config.toml`.
    pub client_config: Option<PathBuf>,
}

impl Deref for ClientSurroundings {
    type Target = program::Surroundings;

    fn deref(&self) -> &program::Surroundings {
        &self.process
    }
}

impl ClientSurroundings {
    /// For `vtr` itself, and for another program that talks to its coordinators.
    pub fn of(process: &program::Surroundings) -> Self {
        let variable = |name| process.variable(name);
        ClientSurroundings {
            socket: variable("VTR_SOCKET").map(PathBuf::from),
            own_session: variable("VTR_SESSION").map(|id| id.to_string_lossy().into_owned()),
            client_config: variable("VTR_CONFIG").map(PathBuf::from),
            process: program::Surroundings { config_dir: process.config_dir.with_file_name("vtr"), ..process.clone() },
        }
    }

    pub fn client_config_file(&self) -> PathBuf {
        self.client_config.clone().unwrap_or_else(|| self.config_dir.join("config.toml"))
    }

    /// Expands `~/x`, and resolves relative paths against the working folder.
    pub fn absolute(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => self.working_dir.join(path),
        }
    }
}
