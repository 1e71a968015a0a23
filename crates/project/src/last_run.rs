//! Coming back: what the tabs of a run were is written down as it goes, and a later run can open them again.
//!
//! Each run with a screen has a record of its own ([`RunRecord`]), locked for as long as the run goes on, so that several
//! runs of one project don't take each other's. A run that starts takes the newest record that no other run holds: the
//! *last run*. Only tabs are recorded, with how they were arranged ([`RunLayout`]): what an agent had started is the agent's
//! to start again.

mod layout_reader;
mod record;
mod recorder;
mod reopen;
mod run_folders;
mod run_layout;
mod survey;

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use engine::SessionId;
use ops::OpError;
use tokio::sync::watch;

pub use record::{RecordedProgram, RecordedTab};
pub(crate) use reopen::OpeningReason;
pub use reopen::ReopenedTab;
pub use run_layout::{LayoutAxis, PaneLayout, PanesLayout, RunLayout, SplitLayout, TabLayout, WHOLE_SHARE};

use self::{
    record::RunRecord,
    recorder::RunRecorder,
    run_folders::{HeldRun, RunFolders},
    survey::TabSurvey,
};
use crate::{
    file_lock_turn::in_turn,
    project::{Project, lock},
};

/// Another process that holds the folder of the records for longer than this keeps them from us.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a run has to do with records: its own, and that of the last run.
#[derive(Debug, Default)]
pub(crate) struct RunMemory {
    recorder: Mutex<Option<RunRecorder>>,
    last: Mutex<Option<LastRun>>,
    /// Sessions that are of no use in a later run.
    left_out: Arc<Mutex<HashSet<SessionId>>>,
    /// How the interface has arranged the tabs of this run.
    layout: watch::Sender<RunLayout<SessionId>>,
}

/// The last run of the project, held by this one.
#[derive(Debug)]
struct LastRun {
    held: HeldRun,
    record: RunRecord,
}

/// One tab of the last run, or of a start set, opened or not.
#[derive(Debug)]
pub struct TabOutcome {
    pub tab: RecordedTab,
    pub outcome: Result<ReopenedTab, OpError>,
}

/// What became of the tabs of the last run, in their order.
#[derive(Debug, Default)]
pub struct OpenedTabs {
    pub tabs: Vec<TabOutcome>,
    /// How those that are open were arranged.
    pub layout: RunLayout<SessionId>,
}

impl Project {
    /// From now on this run's tabs are written down, until [`Project::finish_run_record`]. Returns what is wrong with the
    /// record of the last run, for the person.
    pub async fn record_run(&self) -> Vec<String> {
        let folders = RunFolders::new(self.layout().runs());
        let claimed = in_turn(PATIENCE, {
            let folders = folders.clone();
            move |_| folders.claim_newest()
        });
        let mut faults = Vec::new();
        match claimed.await {
            Some(Ok(Some(held))) => {
                let read = held.read();
                faults = read.faults;
                *lock(&self.inner.run_memory.last) = Some(LastRun { held, record: read.record });
            }
            Some(Ok(None)) => {}
            Some(Err(error)) => faults.push(format!("the tabs of the last run can't be looked up: {error}")),
            None => faults.push("the tabs of the last run can't be looked up: another patterm holds them".to_owned()),
        }
        let inner = &self.inner;
        let survey = TabSurvey::new(
            inner.engine.clone(),
            inner.crew.clone(),
            inner.trust.clone(),
            inner.run_memory.left_out.clone(),
        );
        let layout = inner.run_memory.layout.subscribe();
        *lock(&inner.run_memory.recorder) = Some(RunRecorder::start(folders, survey, self.events(), layout));
        faults
    }

    /// Writes the last state of the tabs. Called before the sessions are ended: what ends with the run was there until
    /// its end.
    pub async fn finish_run_record(&self) {
        let recorder = lock(&self.inner.run_memory.recorder).take();
        let Some(recorder) = recorder else { return };
        let has_tabs = recorder.finish().await;
        // With tabs of its own this run is the last one, for the next.
        let last = lock(&self.inner.run_memory.last).take().filter(|_| has_tabs);
        if let Some(last) = last {
            in_turn(PATIENCE, move |_| last.held.remove()).await;
        }
    }

    /// A session that a later run has no use for: an editor with a temporary file, for one.
    pub fn leave_out_of_record(&self, session: SessionId) {
        lock(&self.inner.run_memory.left_out).insert(session);
    }

    /// How the tabs of this run are arranged now: written down with them.
    pub fn note_layout(&self, layout: RunLayout<SessionId>) {
        self.inner.run_memory.layout.send_if_modified(|noted| {
            let changed = *noted != layout;
            *noted = layout;
            changed
        });
    }

    /// The tabs of the last run that were not opened again.
    pub fn last_tabs(&self) -> Vec<RecordedTab> {
        lock(&self.inner.run_memory.last).as_ref().map(|last| last.record.tabs.clone()).unwrap_or_default()
    }

    /// Opens the tabs of the last run, in their order. What could not be opened can be tried again.
    pub async fn open_last_tabs(&self) -> OpenedTabs {
        // Taken while they are opened: asked for twice, they are opened once.
        let Some(LastRun { held, record }) = lock(&self.inner.run_memory.last).take() else {
            return OpenedTabs::default();
        };
        let catalog = self.presets().current();
        let mut tabs = Vec::new();
        for tab in record.tabs {
            let outcome = self.open_tab(&tab, &catalog, OpeningReason::LastRun).await;
            tabs.push(TabOutcome { tab, outcome });
        }
        let opened = |place: usize| Some(tabs.get(place)?.outcome.as_ref().ok()?.session);
        let layout = record.layout.mapped(opened);
        // The rest is arranged among itself: what is open may be elsewhere by then.
        let left: Vec<usize> = (0..tabs.len()).filter(|place| tabs[*place].outcome.is_err()).collect();
        let rest = RunRecord {
            tabs: left.iter().map(|place| tabs[*place].tab.clone()).collect(),
            layout: record.layout.mapped(|place| left.binary_search(&place).ok()),
        };
        if rest.tabs.is_empty() {
            in_turn(PATIENCE, move |_| held.remove()).await;
            return OpenedTabs { tabs, layout };
        }
        let bytes = rest.to_bytes();
        let written = in_turn(PATIENCE, move |_| {
            if let Err(error) = held.write(&bytes) {
                tracing::warn!(%error, "tabs that were opened again stay in the last run's record");
            }
            held
        });
        *lock(&self.inner.run_memory.last) = written.await.map(|held| LastRun { held, record: rest });
        OpenedTabs { tabs, layout }
    }
}
