//! Diagnostics of a run: what `--debug` and `--profile` write. Files are 0600 in folders with mode 0700, and nothing
//! goes to standard output or error, which may belong to a screen.

mod capture;
mod events;
mod files;
mod pprof_file;
mod profile;
mod threads;
mod transcript;

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use ops::Caller;
use project::Project;
use tokio::{sync::watch, task::JoinSet};
use tracing_subscriber::fmt::MakeWriter;

use self::profile::RunProfile;
pub(crate) use self::transcript::TranscribedStream;
use program::{Failure, LogStream, Surroundings};

use crate::cli::RunFlags;

/// How long to wait for pending writes after a run has ended.
const LAST_WRITES: Duration = Duration::from_secs(2);

/// What is recorded of a run; nothing by default. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observers {
    inner: Arc<ObserverState>,
}

#[derive(Debug, Default)]
struct ObserverState {
    debug: Option<PathBuf>,
    profile: Option<RunProfile>,
    tasks: Mutex<JoinSet<()>>,
    connections: AtomicU64,
    stop: watch::Sender<()>,
}

impl Observers {
    /// Called before any other thread is started, so that the profile covers them all.
    pub(crate) fn start(flags: &RunFlags, surroundings: &Surroundings) -> Result<Self, Failure> {
        let folder = |given: &Option<Option<PathBuf>>, name: &str| {
            given.as_ref().map(|given| match given {
                Some(folder) => surroundings.working_dir.join(folder),
                None => surroundings.state_dir.join(name).join(run_name()),
            })
        };
        let made = |folder: Option<PathBuf>| -> Result<Option<PathBuf>, Failure> {
            let Some(folder) = folder else { return Ok(None) };
            let failed = |error: io::Error| Failure::system(format_args!("making {}", folder.display()), &error);
            files::private_folder(&folder).map_err(failed)?;
            Ok(Some(folder))
        };
        let debug = made(folder(&flags.debug, "debug"))?;
        if let Some(folder) = &debug {
            log_to(&folder.join("patterm.log"))
                .map_err(|error| Failure::system(format_args!("writing to {}", folder.display()), &error))?;
        }
        let profile = match made(folder(&flags.profile, "profile"))? {
            Some(folder) => Some(RunProfile::start(folder)?),
            None => None,
        };
        let inner = ObserverState { debug, profile, ..ObserverState::default() };
        Ok(Observers { inner: Arc::new(inner) })
    }

    /// Whether there is a log file.
    pub(crate) fn logs(&self) -> bool {
        self.inner.debug.is_some()
    }

    pub(crate) fn debug_folder(&self) -> Option<&Path> {
        self.inner.debug.as_deref()
    }

    /// Records events and output of a project from now on.
    pub(crate) fn watch(&self, project: &Project) {
        let Some(folder) = &self.inner.debug else { return };
        let mut tasks = self.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let stop = || self.inner.stop.subscribe();
        tasks.spawn(events::write(project.clone(), folder.clone(), stop()));
        tasks.spawn(capture::write(project.clone(), folder.join("sessions"), stop()));
    }

    /// Wraps a connection so that its messages are recorded, if they are to be.
    pub(crate) fn transcribe<S>(&self, stream: S, caller: &Caller) -> TranscribedStream<S> {
        let number = self.inner.connections.fetch_add(1, Ordering::Relaxed) + 1;
        match &self.inner.debug {
            Some(folder) => TranscribedStream::to_file(stream, &folder.join("mcp"), number, caller),
            None => TranscribedStream::silent(stream),
        }
    }

    /// Snapshots of the process, taken while everything still runs.
    pub(crate) fn before_the_end(&self) {
        if let Some(profile) = &self.inner.profile {
            profile.look();
        }
    }

    /// Called when every session has ended.
    pub(crate) async fn finish(&self) {
        let mut tasks = {
            let mut tasks = self.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *tasks)
        };
        self.inner.stop.send_replace(());
        // Don't wait for a disk that hangs.
        let _ = tokio::time::timeout(LAST_WRITES, async { while tasks.join_next().await.is_some() {} }).await;
        if let Some(profile) = &self.inner.profile {
            profile.finish();
        }
    }
}

/// A timestamp and the process id.
fn run_name() -> String {
    format!("{}-{}", jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ"), std::process::id())
}

fn log_to(file: &Path) -> io::Result<()> {
    let file = Mutex::new(files::append(file)?);
    install(file, tracing::Level::DEBUG, true);
    Ok(())
}

/// Warnings of a headless run.
pub(crate) fn log_to_stderr() {
    install(|| LogStream, tracing::Level::WARN, false);
}

fn install(writer: impl for<'a> MakeWriter<'a> + Send + Sync + 'static, level: tracing::Level, targets: bool) {
    let subscriber = tracing_subscriber::fmt().with_writer(writer).with_ansi(false);
    let subscriber = subscriber.with_target(targets).with_max_level(level);
    // A log line that can't be written is dropped. Reporting the failure would write to standard error, which may be a
    // screen, and would panic if that failed as well.
    let subscriber = subscriber.log_internal_errors(false).finish();
    // Fails only if a subscriber is already set, and this is the first.
    let _ = tracing::subscriber::set_global_default(subscriber);
}
