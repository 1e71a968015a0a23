//! Writes the record of this run while it goes on: after each change that matters, gathered for half a second, and once a
//! minute while there are tabs, as nothing tells where a shell has gone.

use std::time::Duration;

use engine::{EngineEvent, SessionId};
use tokio::{
    sync::{
        broadcast::{self, error::RecvError},
        oneshot, watch,
    },
    task::JoinHandle,
    time::{Instant, sleep, sleep_until, timeout},
};

use super::{
    run_folders::{HeldRun, RunFolders},
    run_layout::RunLayout,
    survey::TabSurvey,
};
use crate::events::ProjectEvent;

const GATHER: Duration = Duration::from_millis(500);
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// For the last record to be written: a disk that hangs must not keep the run from ending.
const LAST_WORDS: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct RunRecorder {
    stop: oneshot::Sender<()>,
    /// Whether the run had tabs.
    task: JoinHandle<bool>,
}

impl RunRecorder {
    pub(super) fn start(
        folders: RunFolders,
        survey: TabSurvey,
        project: broadcast::Receiver<ProjectEvent>,
        layout: watch::Receiver<RunLayout<SessionId>>,
    ) -> Self {
        let (stop, stopped) = oneshot::channel();
        let sessions = survey.events();
        let file = RecordFile { folders, survey, layout: layout.clone(), own: None, written: Vec::new() };
        RunRecorder { stop, task: tokio::spawn(follow(file, sessions, project, layout, stopped)) }
    }

    /// Whether the run has a record.
    pub(super) async fn finish(self) -> bool {
        let RunRecorder { stop, mut task } = self;
        let _ = stop.send(());
        match timeout(LAST_WORDS, &mut task).await {
            Ok(has_tabs) => has_tabs.unwrap_or(false),
            Err(_) => {
                task.abort();
                tracing::warn!("the record of this run could not be written in time");
                false
            }
        }
    }
}

async fn follow(
    mut file: RecordFile,
    mut sessions: broadcast::Receiver<EngineEvent>,
    mut project: broadcast::Receiver<ProjectEvent>,
    mut layout: watch::Receiver<RunLayout<SessionId>>,
    mut stopped: oneshot::Receiver<()>,
) -> bool {
    let mut looked = Instant::now();
    loop {
        let matters = tokio::select! {
            // Also when it is dropped: nobody waits for the record any more.
            _ = &mut stopped => break,
            event = sessions.recv() => match event {
                Ok(event) => matters(&event),
                Err(RecvError::Lagged(_)) => true,
                Err(RecvError::Closed) => break,
            },
            event = project.recv() => match event {
                // It may be in another conversation now.
                Ok(event) => matches!(event, ProjectEvent::HookReported { .. }),
                Err(RecvError::Lagged(_)) => true,
                Err(RecvError::Closed) => break,
            },
            changed = layout.changed() => match changed {
                Ok(()) => true,
                Err(_) => break,
            },
            () = sleep_until(looked + LOOK_AGAIN), if file.has_tabs() => true,
        };
        if !matters {
            continue;
        }
        tokio::select! {
            _ = &mut stopped => break,
            () = sleep(GATHER) => {}
        }
        match file.update().await {
            Some(updated) => (file, looked) = (updated, Instant::now()),
            None => return false,
        }
    }
    // The lock goes with the file: from here on the run counts as ended.
    file.update().await.is_some_and(|file| file.has_tabs())
}

fn matters(event: &EngineEvent) -> bool {
    match event {
        EngineEvent::Added(_) | EngineEvent::Status(..) | EngineEvent::Renamed(_) | EngineEvent::Removed(_) => true,
        EngineEvent::Owner(..) | EngineEvent::Reported(_) => false,
    }
}

struct RecordFile {
    folders: RunFolders,
    survey: TabSurvey,
    /// How the interface has arranged the tabs.
    layout: watch::Receiver<RunLayout<SessionId>>,
    /// Made with the first tab: a run that opens nothing leaves nothing.
    own: Option<HeldRun>,
    written: Vec<u8>,
}

impl RecordFile {
    fn has_tabs(&self) -> bool {
        self.own.is_some()
    }

    /// Looks and writes, outside of the async tasks; `None` if the runtime is ending.
    async fn update(mut self) -> Option<Self> {
        let work = move || {
            self.write();
            self
        };
        tokio::task::spawn_blocking(work).await.ok()
    }

    fn write(&mut self) {
        let layout = self.layout.borrow().clone();
        let record = self.survey.look(&layout);
        if record.tabs.is_empty() {
            if let Some(own) = self.own.take() {
                own.remove();
            }
            self.written.clear();
            return;
        }
        let bytes = record.to_bytes();
        if bytes == self.written {
            return;
        }
        let written = match self.own.take() {
            Some(own) => Ok(own),
            None => self.folders.create(),
        };
        let written = written.and_then(|own| {
            let done = own.write(&bytes);
            self.own = Some(own);
            done
        });
        match written {
            Ok(()) => self.written = bytes,
            Err(error) => tracing::warn!(%error, "the tabs of this run were not written down"),
        }
    }
}
