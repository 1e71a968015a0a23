//! What `vtr` finds in its surroundings, as plain data.
//!
//! `main.rs` is the only place that reads the environment, the home folder and the terminal; everything else gets this.

use std::{ffi::OsString, ops::Deref, path::PathBuf};

use fleet::ClientSurroundings;

#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    pub(crate) client: ClientSurroundings,
    /// `SHELL`.
    pub(crate) shell: Option<OsString>,
    /// `NO_COLOR` is set, or `TERM` is `dumb`.
    pub(crate) no_color: bool,
    /// `TERM` and `COLORTERM`, which say what the terminal can show.
    pub(crate) term: String,
    pub(crate) color_term: String,
    pub(crate) stdout_is_terminal: bool,
}

impl Deref for Surroundings {
    type Target = ClientSurroundings;

    fn deref(&self) -> &ClientSurroundings {
        &self.client
    }
}

impl Surroundings {
    pub(crate) fn server_config_file(&self) -> PathBuf {
        self.config_dir.join("server.toml")
    }
}

#[cfg(test)]
impl Surroundings {
    /// For tests: all folders below `root`, and no environment.
    pub(crate) fn nowhere(root: &std::path::Path) -> Self {
        Surroundings {
            client: ClientSurroundings::of(&program::Surroundings::nowhere("vtr".as_ref(), root)),
            shell: None,
            no_color: true,
            term: String::new(),
            color_term: String::new(),
            stdout_is_terminal: false,
        }
    }
}
