//! The project: the context of every operation of patterm.

use std::{
    collections::HashSet,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use agents::{Catalog, PresetFolders, Presets, report::Redaction, version::ProgramVersions};
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
    layout::{Layout, LayoutError},
    operations,
    permissions::ReadPrompts,
    recents::Recents,
    scratchpads::Scratchpads,
    settings::Settings,
    system_notices::SystemNotices,
    timers::Timers,
    trust::{Grants, Trust},
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
    /// `None`: verified delivery. Another way is for tests.
    pub deliver: Option<Arc<dyn Deliver>>,
    /// This program, absolute: agents run it as their MCP server and for their hooks.
    pub program: PathBuf,
    /// The user's home folder: presets may name folders below it.
    pub home: PathBuf,
    /// `PATH`, for finding agents' programs.
    pub search_path: OsString,
    /// The user's folder for caches, which a CLI's preset may have to name.
    pub cache_dir: PathBuf,
    /// Of sessions that name no size: what a pane has room for.
    pub default_size: ops::Size,
    /// What is masked in reports.
    pub redaction: Redaction,
    /// Of the program, for meta.json.
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
    pub(crate) presets: Presets,
    pub(crate) program: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) search_path: OsString,
    pub(crate) redaction: Redaction,
    /// Of this program.
    pub(crate) version: String,
    pub(crate) program_versions: ProgramVersions,
    /// What was told of versions in this run.
    pub(crate) noted_versions: Mutex<HashSet<String>>,
    pub(crate) cache_dir: PathBuf,
    pub(crate) run_dir: PathBuf,
    pub(crate) default_size: Mutex<ops::Size>,
    pub(crate) events: broadcast::Sender<ProjectEvent>,
    pub(crate) scratchpads: Scratchpads,
    pub(crate) trust: Trust,
    pub(crate) timers: Timers,
    table: Table<Project>,
    recordings: Recordings,
    /// `None` once it is closed.
    background: Mutex<Option<Background>>,
}

/// What goes on by itself until it is dropped.
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
    /// Needs a tokio runtime around it. Makes the project's folders.
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
        let trust = Trust::new(Grants::new(layout.folder.clone()), events.clone(), teller, engine.clock().clone());
        let crew = Crew::new(Duration::from_millis(settings.agents.idle_ms), events.clone());
        let read_prompts = ReadPrompts::default();
        let deliver = options.deliver.unwrap_or_else(|| Arc::new(crew.clone()));
        let presets = Presets::open(PresetFolders {
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
            recordings: Recordings::default(),
            background: Mutex::new(Some(background)),
        };
        Ok(Project { inner: Arc::new(inner) })
    }

    /// Ends the project's own work: timers, notices, watches. Sessions are the engine's to end.
    pub async fn close(&self) {
        self.inner.timers.close();
        let background = lock(&self.inner.background).take();
        drop(background);
        self.inner.crew.dismiss_all();
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

    /// What was taken from the palette lately.
    pub fn recents(&self) -> Recents {
        Recents::new(self.inner.layout.folder.clone())
    }

    pub fn trust(&self) -> &Trust {
        &self.inner.trust
    }

    pub fn presets(&self) -> &Presets {
        &self.inner.presets
    }

    /// Who works in the sessions.
    pub fn crew(&self) -> &Crew {
        &self.inner.crew
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

/// Edits by others are told of. Without watches everything works, only later: they look for themselves.
fn watch_files(
    scratchpads: &Scratchpads,
    trust: &Trust,
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

/// What is kept for a session goes with it.
async fn forget_removed(
    mut events: broadcast::Receiver<EngineEvent>,
    trust: Trust,
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
            // What is missed in a flood of events is a few bytes until the end.
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

/// A panic of another holder leaves values that are whole: each critical section here replaces or inserts.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// `prefix` and eight hex digits, by chance.
pub(crate) fn random_id(prefix: &str) -> String {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).expect("the system gives random bytes once it has booted");
    format!("{prefix}{}", crate::layout::hex(&bytes))
}
