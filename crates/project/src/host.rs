//! What the shared operations ask of patterm.

use std::path::PathBuf;

use engine::Session;
use ops::{Caller, HelpTopic, Host, Role, SessionNotes};

use crate::{
    help_topics,
    project::{Inner, lock},
};

impl Host for Inner {
    fn resolve(&self, token: &str) -> Option<Caller> {
        self.identities.resolve(token)
    }

    fn help_topics(&self, role: Role) -> Vec<HelpTopic> {
        help_topics::for_role(role)
    }

    fn annotate(&self, session: &Session) -> SessionNotes {
        SessionNotes { trusted: self.trust.of_session(session.id()), ..SessionNotes::default() }
    }

    fn default_size(&self) -> ops::Size {
        *lock(&self.default_size)
    }

    fn default_working_dir(&self) -> Option<PathBuf> {
        Some(self.layout.project_dir.clone())
    }
}
