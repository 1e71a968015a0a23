//! What the shared operations ask of patterm.

use std::path::PathBuf;

use ops::{Caller, Host};

use crate::project::{Inner, lock};

impl Host for Inner {
    fn resolve(&self, token: &str) -> Option<Caller> {
        self.identities.resolve(token)
    }

    fn default_size(&self) -> ops::Size {
        *lock(&self.default_size)
    }

    fn default_working_dir(&self) -> Option<PathBuf> {
        Some(self.layout.project_dir.clone())
    }
}
