//! The project: the context of every operation of patterm.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use engine::Engine;
use ops::{Context, Host, Recordings, Table};
use tokio::sync::broadcast;

use crate::{
    delivery::Deliver,
    events::{EVENT_CAPACITY, ProjectEvent},
    identities::Identities,
    layout::{Layout, LayoutError},
    operations,
    scratchpads::Scratchpads,
    settings::Settings,
    timers::Timers,
    trust::Trust,
};

/// What a project is opened with. Times come from the engine's clock.
pub struct ProjectOptions {
    pub engine: Engine,
    /// The user's project, as given.
    pub project_dir: PathBuf,
    /// patterm's own folder for data: `$XDG_DATA_HOME/patterm`.
    pub data_dir: PathBuf,
    /// patterm's own folder for configuration: `$XDG_CONFIG_HOME/patterm`.
    pub config_dir: PathBuf,
    /// Of this run alone, 0700, removed by who made it: rendered files for agents go here.
    pub run_dir: PathBuf,
    pub settings: Settings,
    pub identities: Arc<dyn Identities>,
    pub deliver: Arc<dyn Deliver>,
    /// Of sessions that name no size: what a pane has room for.
    pub default_size: ops::Size,
}

impl std::fmt::Debug for ProjectOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProjectOptions").field("project_dir", &self.project_dir).finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Project {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) engine: Engine,
    pub(crate) layout: Layout,
    pub(crate) settings: Settings,
    pub(crate) identities: Arc<dyn Identities>,
    pub(crate) deliver: Arc<dyn Deliver>,
    pub(crate) default_size: std::sync::Mutex<ops::Size>,
    pub(crate) events: broadcast::Sender<ProjectEvent>,
    pub(crate) scratchpads: Scratchpads,
    pub(crate) trust: Trust,
    pub(crate) timers: Timers,
    table: Table<Project>,
    recordings: Recordings,
}

impl Project {
    /// Needs a tokio runtime around it. Makes the project's folders.
    pub fn open(options: ProjectOptions) -> Result<Self, ProjectError> {
        let layout = Layout::new(&options.project_dir, &options.data_dir)?;
        let inner = Inner {
            engine: options.engine,
            layout,
            settings: options.settings,
            identities: options.identities,
            deliver: options.deliver,
            default_size: std::sync::Mutex::new(options.default_size),
            events: broadcast::Sender::new(EVENT_CAPACITY),
            scratchpads: Scratchpads::default(),
            trust: Trust::default(),
            timers: Timers::default(),
            table: Table::new(operations::entries()),
            recordings: Recordings::default(),
        };
        Ok(Project { inner: Arc::new(inner) })
    }

    /// Ends the project's own work: timers, notices, watches. Sessions are the engine's to end.
    pub async fn close(&self) {
        self.inner.recordings.close().await;
    }

    /// From now on.
    pub fn events(&self) -> broadcast::Receiver<ProjectEvent> {
        self.inner.events.subscribe()
    }

    /// Nobody listening is no error.
    pub(crate) fn tell(&self, event: ProjectEvent) {
        let _ = self.inner.events.send(event);
    }

    pub fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub fn scratchpads(&self) -> &Scratchpads {
        &self.inner.scratchpads
    }

    pub fn trust(&self) -> &Trust {
        &self.inner.trust
    }

    pub fn timers(&self) -> &Timers {
        &self.inner.timers
    }

    pub fn deliver(&self) -> &dyn Deliver {
        &*self.inner.deliver
    }

    /// The size of sessions started from now on that name none.
    pub fn set_default_size(&self, size: ops::Size) {
        *lock(&self.inner.default_size) = size;
    }

    pub fn project_dir(&self) -> &Path {
        &self.inner.layout.project_dir
    }
}

impl Context for Project {
    fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    fn host(&self) -> &dyn Host {
        &*self.inner
    }

    fn table(&self) -> &Table<Self> {
        &self.inner.table
    }

    fn recordings(&self) -> &Recordings {
        &self.inner.recordings
    }
}

impl std::fmt::Debug for Project {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Project").field("layout", &self.inner.layout).finish_non_exhaustive()
    }
}

/// A panic of another holder leaves values that are whole: each critical section here replaces or inserts.
pub(crate) fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// `prefix` and eight hex digits, by chance.
pub(crate) fn random_id(prefix: &str) -> String {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).expect("the system gives random bytes once it has booted");
    format!("{prefix}{}", crate::layout::hex(&bytes))
}
