//! Recordings of sessions: under way, and how the last one of each session ended.

use engine::Session;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Call, Context, ErrorKind, OpError};

/// Version of the asciicast format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordingFormat {
    V2,
    #[default]
    V3,
}

/// Where a recording stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecordingStatus {
    /// It is under way.
    pub recording: bool,
    /// Of the one under way, or else of the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// When it was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// How often the session printed faster than the file could be written. Each gap is marked in the file, and the
    /// screen is right again after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gaps: Option<u64>,
    /// Why it ended early: the file could not be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// One recording at a time for each session.
#[derive(Debug, Default)]
pub struct Recordings {}

impl Recordings {
    pub(crate) async fn start<C: Context>(
        &self,
        _call: &Call<C>,
        session: &Session,
        _file: Option<String>,
        _format: RecordingFormat,
        _input: bool,
    ) -> Result<RecordingStatus, OpError> {
        Err(OpError::new(ErrorKind::NotReady, format!("session {} can't be recorded yet", session.id())))
    }

    pub(crate) async fn stop(&self, session: &Session) -> Result<RecordingStatus, OpError> {
        Ok(self.status(session))
    }

    pub(crate) fn status(&self, _session: &Session) -> RecordingStatus {
        RecordingStatus::default()
    }

    /// Ends all that are under way and returns when their files are whole.
    pub async fn close(&self) {}
}
