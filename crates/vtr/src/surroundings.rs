//! What `vtr` finds in its surroundings, as plain data.
//!
//! `main.rs` is the only place that reads the environment, the home folder and the terminal; everything else gets this.

use std::{ffi::OsString, ops::Deref, path::PathBuf};

#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    pub(crate) process: program::Surroundings,
    /// `VTR_SOCKET`.
    pub(crate) socket: Option<PathBuf>,
    /// `VTR_SESSION`: the id of the session that we run in.
    pub(crate) own_session: Option<String>,
    /// `VTR_CONFIG`, instead of `config.toml`.
    pub(crate) client_config: Option<PathBuf>,
    /// `SHELL`.
    pub(crate) shell: Option<OsString>,
    /// `NO_COLOR` is set, or `TERM` is `dumb`.
    pub(crate) no_color: bool,
    /// `TERM` and `COLORTERM`, which say what the terminal can show.
    pub(crate) term: String,
    pub(crate) color_term: String,
    pub(crate) stdout_is_terminal: bool,
    /// The key in `VTR_PANIC_ON`, for testing how attach ends. Never set in a release build.
    pub(crate) panic_on: Option<vt::input::KeyEvent>,
}

impl Deref for Surroundings {
    type Target = program::Surroundings;

    fn deref(&self) -> &program::Surroundings {
        &self.process
    }
}

impl Surroundings {
    pub(crate) fn client_config_file(&self) -> PathBuf {
        self.client_config.clone().unwrap_or_else(|| self.config_dir.join("config.toml"))
    }

    pub(crate) fn server_config_file(&self) -> PathBuf {
        self.config_dir.join("server.toml")
    }

    /// Expands `~/x`, and resolves relative paths against the working folder.
    pub(crate) fn absolute(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => self.working_dir.join(path),
        }
    }
}
