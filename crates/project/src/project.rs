//! The project: the context of every operation of patterm.

use std::{
    collections::HashSet,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use agents::{Catalog, PresetFolders, PresetStore, report::Redaction, version::ProgramVersions};
use engine::{Engine, EngineEvent};
use notify::RecommendedWatcher;
use ops::{Context, Host, Recordings, Table};
use tokio::{
    sync::{
        broadcast::{self, error::RecvError},
        mpsc, watch,
    },
    task::AbortHandle,
};

use crate::{
    crew::Crew,
    delivery::Deliver,
    events::{EVENT_CAPACITY, ProjectEvent},
    identities::Identities,
    last_run::RunMemory,
    layout::{Layout, LayoutError},
    operations,
    permissions::ReadPrompts,
    recents::Recents,
    scratchpads::Scratchpads,
    settings::Settings,
    system_notices::SystemNotices,
    timers::Timers,
    trust::{Grants, ProjectTrust},
};

/// Parameters for opening a project. Times come from the engine's clock.
pub struct ProjectOptions {
    pub engine: Engine,
    /// The user's project folder, as given.
    pub project_dir: PathBuf,
    /// patterm's data folder: `$XDG_DATA_HOME/patterm`.
    pub data_dir: PathBuf,
    /// patterm's configuration folder: `$XDG_CONFIG_HOME/patterm`.
    pub config_dir: PathBuf,
    /// The folder of this run, 0700, removed by its creator: rendered files for agents go here.
    pub run_dir: PathBuf,
    pub settings: Settings,
    pub identities: Arc<dyn Identities>,
    /// `None` for verified delivery. Tests use another one.
    pub deliver: Option<Arc<dyn Deliver>>,
    /// This program's absolute path: agents run it as their MCP server and for their hooks.
    pub program: PathBuf,
    /// The user's home folder: presets may name folders below it.
    pub home: PathBuf,
    /// `PATH`, for finding agents' programs.
    pub search_path: OsString,
    /// The user's cache folder, which a CLI's preset may refer to.
    pub cache_dir: PathBuf,
    /// The default size of sessions: what fits into a pane.
    pub default_size: ops::Size,
    /// Texts that are masked in reports.
    pub redaction: Redaction,
    /// The program's version, for meta.json.
    pub version: String,
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
    pub(crate) crew: Crew,
    pub(crate) read_prompts: ReadPrompts,
    pub(crate) presets: PresetStore,
    pub(crate) program: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) search_path: OsString,
    pub(crate) redaction: Redaction,
    /// This program's path.
    pub(crate) version: String,
    pub(crate) program_versions: ProgramVersions,
    /// Version hints told in this run.
    pub(crate) noted_versions: Mutex<HashSet<String>>,
    pub(crate) cache_dir: PathBuf,
    pub(crate) run_dir: PathBuf,
    pub(crate) default_size: Mutex<ops::Size>,
    pub(crate) events: broadcast::Sender<ProjectEvent>,
    pub(crate) scratchpads: Scratchpads,
    pub(crate) trust: ProjectTrust,
    pub(crate) timers: Timers,
    pub(crate) run_memory: RunMemory,
    table: Table<Project>,
    recordings: Recordings,
    /// `None` once it is closed.
    background: Mutex<Option<Background>>,
}

/// Background tasks, ended on drop.
struct Background {
    _watchers: Vec<RecommendedWatcher>,
    _notices: SystemNotices,
    tasks: [AbortHandle; 2],
}

impl Drop for Background {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl Project {
    /// Must be called in a tokio runtime. Creates the project's folders.
    pub fn open(options: ProjectOptions) -> Result<Self, ProjectError> {
        let ProjectOptions { engine, settings, identities, program, home, cache_dir, run_dir, .. } = options;
        let layout = Layout::new(&options.project_dir, &options.data_dir)?;
        layout.prepare(engine.clock().system_now(), &options.version)?;
        let events = broadcast::Sender::new(EVENT_CAPACITY);
        let scratchpads = Scratchpads::new(layout.scratchpads());
        if let Err(error) = scratchpads.sweep() {
            tracing::warn!(%error, "leftovers among the scratchpads stay");
        }
        let (teller, answers) = mpsc::unbounded_channel();
        let trust =
            ProjectTrust::new(Grants::new(layout.folder.clone()), events.clone(), teller, engine.clock().clone());
        let crew = Crew::new(Duration::from_millis(settings.agents.idle_ms), events.clone());
        let read_prompts = ReadPrompts::default();
        let deliver = options.deliver.unwrap_or_else(|| Arc::new(crew.clone()));
        let presets = PresetStore::open(PresetFolders {
            global: options.config_dir.join("presets"),
            project: Some(layout.project_dir.join(".patterm").join("presets")),
        });
        let background = Background {
            _watchers: watch_files(&scratchpads, &trust, &events),
            _notices: SystemNotices::new(engine.clone(), deliver.clone(), settings.notices.clone(), answers),
            tasks: [
                tokio::spawn(forget_removed(
                    engine.events(),
                    trust.clone(),
                    identities.clone(),
                    crew.clone(),
                    read_prompts.clone(),
                ))
                .abort_handle(),
                tokio::spawn(tell_of_presets(presets.subscribe(), events.clone())).abort_handle(),
            ],
        };
        let inner = Inner {
            timers: Timers::new(engine.clone(), crew.clone(), deliver.clone()),
            table: Table::new(operations::entries_for_depth(settings.max_depth)),
            engine,
            layout,
            settings,
            identities,
            deliver,
            crew,
            read_prompts,
            presets,
            program,
            home,
            search_path: options.search_path,
            redaction: options.redaction,
            version: options.version,
            program_versions: ProgramVersions::default(),
            noted_versions: Mutex::default(),
            cache_dir,
            run_dir,
            default_size: Mutex::new(options.default_size),
            events,
            scratchpads,
            trust,
            run_memory: RunMemory::default(),
            recordings: Recordings::default(),
            background: Mutex::new(Some(background)),
        };
        Ok(Project { inner: Arc::new(inner) })
    }

    /// Ends the project's own work: timers, notices, watches. Sessions are ended by the engine.
    pub async fn close(&self) {
        self.inner.timers.close();
        let background = lock(&self.inner.background).take();
        drop(background);
        self.inner.crew.dismiss_all();
        self.inner.recordings.close().await;
    }

    /// Events from now on.
    pub fn events(&self) -> broadcast::Receiver<ProjectEvent> {
        self.inner.events.subscribe()
    }

    /// Having no listener is no error.
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

    /// Recent entries of the palette.
    pub fn recents(&self) -> Recents {
        Recents::new(self.inner.layout.folder.clone())
    }

    pub fn trust(&self) -> &ProjectTrust {
        &self.inner.trust
    }

    pub fn presets(&self) -> &PresetStore {
        &self.inner.presets
    }

    /// The crew of the sessions.
    pub fn crew(&self) -> &Crew {
        &self.inner.crew
    }

    pub fn timers(&self) -> &Timers {
        &self.inner.timers
    }

    pub fn deliver(&self) -> &dyn Deliver {
        &*self.inner.deliver
    }

    /// Sets the default size of sessions started from now on.
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

/// Watches for changes by other processes. Without watches everything works, only later: files are checked when used.
fn watch_files(
    scratchpads: &Scratchpads,
    trust: &ProjectTrust,
    events: &broadcast::Sender<ProjectEvent>,
) -> Vec<RecommendedWatcher> {
    let events = events.clone();
    let pads = scratchpads.watch(move || {
        let _ = events.send(ProjectEvent::ScratchpadsChanged);
    });
    let watchers = [pads, trust.watch()];
    let told = |watcher: notify::Result<RecommendedWatcher>| {
        watcher.inspect_err(|error| tracing::warn!(%error, "edits by other programs are not noticed at once")).ok()
    };
    watchers.into_iter().filter_map(told).collect()
}

/// What is kept for a session is dropped with it.
async fn forget_removed(
    mut events: broadcast::Receiver<EngineEvent>,
    trust: ProjectTrust,
    identities: Arc<dyn Identities>,
    crew: Crew,
    read_prompts: ReadPrompts,
) {
    loop {
        match events.recv().await {
            Ok(EngineEvent::Removed(session)) => {
                trust.forget(session);
                identities.forget(session);
                crew.leave(session);
                read_prompts.forget(session);
            }
            // An event missed in a flood costs a few bytes until the end.
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

async fn tell_of_presets(mut catalog: watch::Receiver<Arc<Catalog>>, events: broadcast::Sender<ProjectEvent>) {
    while catalog.changed().await.is_ok() {
        let _ = events.send(ProjectEvent::PresetsChanged);
    }
}

impl std::fmt::Debug for Project {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Project").field("layout", &self.inner.layout).finish_non_exhaustive()
    }
}

/// A panic of another holder leaves valid values: each critical section here replaces or inserts.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// `prefix` and eight random hex digits.
pub(crate) fn random_id(prefix: &str) -> String {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).expect("the system gives random bytes once it has booted");
    format!("{prefix}{}", crate::layout::hex(&bytes))
}
