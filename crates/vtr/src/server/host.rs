//! What a coordinator adds to the operations: defaults for new sessions, and a folder for recordings.

use std::path::PathBuf;

use super::lost::LostSessions;

#[derive(Debug)]
pub(crate) struct CoordinatorHost {
    pub(crate) size: vt::Size,
    pub(crate) home: PathBuf,
    pub(crate) recordings: PathBuf,
    pub(crate) recording_rules: ops::RecordingRules,
    /// The sessions lost with the previous coordinator.
    pub(crate) lost: Option<LostSessions>,
}

impl ops::Host for CoordinatorHost {
    fn default_size(&self) -> vt::Size {
        self.size
    }

    fn default_working_dir(&self) -> Option<PathBuf> {
        Some(self.home.clone())
    }

    fn recording_folder(&self) -> Option<PathBuf> {
        Some(self.recordings.clone())
    }

    fn recording_rules(&self) -> ops::RecordingRules {
        self.recording_rules.clone()
    }

    fn missing_session(&self, id_or_name: &str) -> Option<ops::OpError> {
        self.lost.as_ref()?.missing(id_or_name)
    }

    fn notice(&self) -> Option<String> {
        self.lost.as_ref()?.notice()
    }

    fn recording_failed(&self, session: &engine::Session, error: &ops::OpError) {
        tracing::warn!(session = %session.id(), error = %error.message, "a session is not recorded");
    }
}
