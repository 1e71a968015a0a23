//! Recordings of sessions: those in progress, and the result of each session's last one.
//!
//! A program keeps one registry in its context. Each recording has its own thread, which takes events from a tap of the
//! session and writes them: a slow disk costs gaps in that file, but delays nothing else.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use engine::{Session, SessionId, TapOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, watch};

use crate::{Call, Context, ErrorKind, OpError, rfc3339};

mod file;
mod prompt_marks;
mod recorder;

use recorder::{Recorder, RecordingProgress, RecordingStart};

/// Version of the asciicast format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordingFormat {
    V2,
    #[default]
    V3,
}

impl From<RecordingFormat> for cast::AsciicastVersion {
    fn from(format: RecordingFormat) -> Self {
        match format {
            RecordingFormat::V2 => cast::AsciicastVersion::V2,
            RecordingFormat::V3 => cast::AsciicastVersion::V3,
        }
    }
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

/// The parameters of a new recording.
#[derive(Clone, Debug, Default)]
pub struct NewRecording {
    /// An absolute path, or a name in the program's folder.
    pub file: Option<String>,
    /// `None`: as the program's rules say.
    pub format: Option<RecordingFormat>,
    pub input: bool,
}

/// The program's rules for recordings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingRules {
    /// Every session is recorded from its start.
    pub always: bool,
    /// Maximum size: the recording ends when it is reached.
    pub max_bytes: Option<u64>,
    /// How many recordings to keep in the program's folder; the oldest are removed.
    pub keep: Option<usize>,
    pub format: RecordingFormat,
}

/// Whether to record a session that has ended by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Refused,
    /// It was to be recorded from its start, and its output is still available.
    Written,
}

/// A change of a recording. Only a hint: after a lag, query the status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordingEvent {
    Started {
        session: SessionId,
        file: String,
    },
    /// With an error if it ended early.
    Ended {
        session: SessionId,
        file: String,
        error: Option<String>,
    },
}

/// Events queued for a slow listener.
const EVENT_CAPACITY: usize = 256;
/// How long a start waits for the first bytes to reach the file, so that a full disk is reported to the caller. A
/// slower disk is no reason to keep the caller waiting.
const FIRST_WRITE: Duration = Duration::from_secs(1);

/// The registry: at most one recording in progress per session. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Recordings {
    of: Arc<Mutex<HashMap<SessionId, Arc<RunningRecording>>>>,
    events: broadcast::Sender<RecordingEvent>,
}

impl Default for Recordings {
    fn default() -> Self {
        Recordings { of: Arc::default(), events: broadcast::Sender::new(EVENT_CAPACITY) }
    }
}

#[derive(Debug)]
struct RunningRecording {
    file: String,
    since: String,
    /// Setting it to `true` ends the recording, as does dropping it.
    stop: watch::Sender<bool>,
    tally: watch::Receiver<RecordingProgress>,
}

impl RunningRecording {
    fn status(&self) -> RecordingStatus {
        let tally = self.tally.borrow();
        RecordingStatus {
            recording: !tally.over,
            file: Some(self.file.clone()),
            bytes: Some(tally.bytes),
            events: Some(tally.events),
            since: Some(self.since.clone()),
            gaps: Some(tally.gaps),
            error: tally.error.clone(),
        }
    }

    fn is_over(&self) -> bool {
        self.tally.borrow().over
    }

    async fn end(&self) {
        self.stop.send_replace(true);
        // A recorder that disappeared without a result counts as over.
        let _ = self.tally.clone().wait_for(|tally| tally.over).await;
    }
}

impl Recordings {
    pub(crate) async fn start<C: Context>(
        &self,
        call: &Call<C>,
        session: &Session,
        new: NewRecording,
    ) -> Result<RecordingStatus, OpError> {
        self.begin(call, session, new, Ended::Refused).await
    }

    /// Records a session that was just started, even if it has ended already.
    pub async fn start_new<C: Context>(
        &self,
        call: &Call<C>,
        session: &Session,
        new: NewRecording,
    ) -> Result<RecordingStatus, OpError> {
        self.begin(call, session, new, Ended::Written).await
    }

    /// Records a session that was just started, if the program records all sessions. A failure does not affect the
    /// session: it is returned as a warning for the caller, and the program is told.
    pub(crate) async fn start_always<C: Context>(&self, call: &Call<C>, session: &Session) -> Option<String> {
        if !call.host().recording_rules().always {
            return None;
        }
        let error = self.start_new(call, session, NewRecording::default()).await.err()?;
        call.host().recording_failed(session, &error);
        Some(format!("the session is not recorded: {}", error.message))
    }

    async fn begin<C: Context>(
        &self,
        call: &Call<C>,
        session: &Session,
        new: NewRecording,
        ended: Ended,
    ) -> Result<RecordingStatus, OpError> {
        let (recordings, call, session) = (self.clone(), call.clone(), session.clone());
        // If the caller goes away meanwhile, the program must still learn of the recording.
        engine::to_the_end(async move { recordings.begin_now(&call, &session, new, ended).await }).await
    }

    async fn begin_now<C: Context>(
        &self,
        call: &Call<C>,
        session: &Session,
        new: NewRecording,
        ended: Ended,
    ) -> Result<RecordingStatus, OpError> {
        if let Some(running) = self.running(session.id()) {
            let message = format!("session {} is being recorded to {}", session.id(), running.file);
            return Err(OpError::new(ErrorKind::AlreadyExists, message).with_hint("stop that recording first"));
        }
        let began = call.engine().clock().system_now();
        let folder = call.host().recording_folder();
        let rules = call.host().recording_rules();
        let format = new.format.unwrap_or(rules.format).into();
        let name = session.name().map_or_else(|| session.id().to_string(), |name| name.to_string());
        let path = file::choose(new.file.as_deref(), folder.as_deref(), &name, began)?;
        let in_folder = folder.filter(|folder| path.parent() == Some(folder));
        let in_use = self.files_in_use();
        let file = blocking({
            let path = path.clone();
            move || {
                let file = file::create(&path, in_folder.as_deref())?;
                if let (Some(folder), Some(keep)) = (in_folder, rules.keep) {
                    file::prune(&folder, keep, &path, &in_use);
                }
                Ok(file)
            }
        })
        .await?;
        // The tap is opened last: from here on the session's output waits for the writer.
        let tap = session.tap(TapOptions { input: new.input, ..TapOptions::default() });
        let (stop, stopped) = watch::channel(false);
        let shown = path.to_string_lossy().into_owned();
        let tap = match tap {
            Err(engine::Error::NotRunning { .. }) if ended == Ended::Written => {
                let header = recorder::header(session, session.with_screen(|screen| screen.size()), began);
                let written = recorder::write_ended(session, file, format, &header);
                let tally = written.map_err(|error| discard(&path, file::refused(&path, &error)))?;
                let (_, tally) = watch::channel(tally);
                let recording = Arc::new(RunningRecording { file: shown, since: rfc3339(began), stop, tally });
                self.enter(call, session.id(), &recording);
                return Ok(recording.status());
            }
            tap => tap.map_err(|error| discard(&path, error.into()))?,
        };
        let header = recorder::header(session, tap.start.size, began);
        let beginning = match ended {
            Ended::Refused => RecordingStart::picture(&tap.start),
            Ended::Written => RecordingStart::of_the_run(session, &tap.start),
        };
        let (recorder, tally) = Recorder::new(tap, beginning, file, format, rules.max_bytes, stopped);
        let recording = Arc::new(RunningRecording { file: shown, since: rfc3339(began), stop, tally });
        if !self.enter(call, session.id(), &recording) {
            let message = format!("session {} is being recorded already", session.id());
            let error = OpError::new(ErrorKind::AlreadyExists, message).with_hint("stop that recording first");
            return Err(discard(&path, error));
        }
        if let Err(error) = recorder.run(session.id(), header) {
            self.of().remove(&session.id());
            let error = OpError::new(ErrorKind::LimitExceeded, format!("no thread for the recording: {error}"));
            return Err(discard(&path, error.with_hint("end something and try again")));
        }
        let mut tally = recording.tally.clone();
        let begun = tokio::time::timeout(FIRST_WRITE, tally.wait_for(|tally| tally.bytes > 0 || tally.over)).await;
        if let Ok(Ok(tally)) = begun
            && let (0, Some(error)) = (tally.bytes, &tally.error)
        {
            self.of().remove(&session.id());
            return Err(discard(&path, file::unwritten(&path, error)));
        }
        self.tell_of(session.id(), &recording);
        Ok(recording.status())
    }

    /// Announces its start, and later its end. Having no listener is no error.
    fn tell_of(&self, session: SessionId, recording: &RunningRecording) {
        let (file, events, mut tally) = (recording.file.clone(), self.events.clone(), recording.tally.clone());
        let _ = events.send(RecordingEvent::Started { session, file: file.clone() });
        tokio::spawn(async move {
            let over = tally.wait_for(|tally| tally.over).await;
            let error = over.ok().and_then(|tally| tally.error.clone());
            let _ = events.send(RecordingEvent::Ended { session, file, error });
        });
    }

    /// Events from now on.
    pub fn events(&self) -> broadcast::Receiver<RecordingEvent> {
        self.events.subscribe()
    }

    /// The files of the recordings in progress.
    pub fn under_way(&self) -> HashMap<SessionId, String> {
        let of = self.of();
        of.iter().filter(|(_, one)| !one.is_over()).map(|(id, one)| (*id, one.file.clone())).collect()
    }

    /// Ends the recording in progress, and returns when its file is complete.
    pub(crate) async fn stop(&self, session: &Session) -> Result<RecordingStatus, OpError> {
        let known = self.of().get(&session.id()).cloned();
        let Some(recording) = known.filter(|recording| !recording.is_over()) else {
            let message = format!("session {} is not being recorded", session.id());
            let hint = "ask for the status to see the file of the last recording";
            return Err(OpError::new(ErrorKind::NotFound, message).with_hint(hint));
        };
        recording.end().await;
        Ok(recording.status())
    }

    pub fn status(&self, session: &Session) -> RecordingStatus {
        let known = self.of().get(&session.id()).cloned();
        known.map_or_else(RecordingStatus::default, |recording| recording.status())
    }

    /// Whether a recording is in progress.
    pub fn is_recording(&self, session: &Session) -> bool {
        self.running(session.id()).is_some()
    }

    /// Ends all recordings in progress, and returns when their files are complete.
    pub async fn close(&self) {
        let all: Vec<Arc<RunningRecording>> = self.of().values().cloned().collect();
        for recording in &all {
            recording.stop.send_replace(true);
        }
        for recording in all {
            recording.end().await;
        }
    }

    fn files_in_use(&self) -> Vec<PathBuf> {
        self.of().values().filter(|recording| !recording.is_over()).map(|one| PathBuf::from(&one.file)).collect()
    }

    fn running(&self, id: SessionId) -> Option<Arc<RunningRecording>> {
        self.of().get(&id).filter(|recording| !recording.is_over()).cloned()
    }

    /// `false` if another start was faster.
    fn enter<C: Context>(&self, call: &Call<C>, id: SessionId, recording: &Arc<RunningRecording>) -> bool {
        let kept: Vec<SessionId> = call.engine().list().iter().map(Session::id).collect();
        let mut of = self.of();
        if of.get(&id).is_some_and(|other| !other.is_over()) {
            return false;
        }
        // Results of sessions that are gone are dropped: nobody can ask for them.
        of.retain(|id, recording| !recording.is_over() || kept.contains(id));
        of.insert(id, recording.clone());
        true
    }

    fn of(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<RunningRecording>>> {
        // No code panics while holding the lock, and the map would be valid anyway.
        self.of.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A recording that failed to start leaves no file.
fn discard(path: &Path, error: OpError) -> OpError {
    let _ = std::fs::remove_file(path);
    error
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, OpError> + Send + 'static) -> Result<T, OpError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(OpError::new(ErrorKind::Internal, "the file was not made").with_hint("try again")))
}
