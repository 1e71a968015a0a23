//! Presets that follow their folders while the program runs.
//!
//! One thread waits for a file system notification, debounces it, and reads the folders again. Nothing is polled.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::watch;

use super::catalog::{Catalog, PresetFolders};
use super::parse::Problem;

/// Debounce: an editor writes a file in several steps, and is done when nothing has happened for this long.
const SETTLE: Duration = Duration::from_millis(50);
/// A folder that never comes to rest is read after this time.
const MAX_SETTLE: Duration = Duration::from_millis(500);

/// Cheap to clone. Dropping the last one stops the watch.
#[derive(Clone, Debug)]
pub struct PresetStore {
    inner: Arc<StoreState>,
}

#[derive(Debug)]
struct StoreState {
    folders: PresetFolders,
    catalog: watch::Sender<Arc<Catalog>>,
    /// Why changes are not noticed, if so.
    watch_problem: Mutex<Option<Problem>>,
    /// Wakes the thread to end it.
    stop: mpsc::Sender<Moved>,
}

/// A hint that something may have changed.
struct Moved;

impl PresetStore {
    /// Reads the folders and follows them. If the system can't watch them, the presets are still available,
    /// [`problems`](Self::problems) tells why, and [`reload`](Self::reload) reads them again.
    pub fn open(folders: PresetFolders) -> Self {
        let (sender, receiver) = mpsc::channel();
        let inner = Arc::new(StoreState {
            catalog: watch::Sender::new(Arc::default()),
            watch_problem: Mutex::default(),
            folders,
            stop: sender.clone(),
        });
        let presets = PresetStore { inner };
        let (first_read, wait_for_first) = mpsc::channel();
        let weak = Arc::downgrade(&presets.inner);
        let folders = presets.inner.folders.clone();
        let follow = move || {
            let mut watched = WatchedFolders::new(&folders, sender);
            loop {
                // Watched before they are read, so that changes in between are noticed.
                let trouble = watched.arm();
                let Some(inner) = weak.upgrade() else { return };
                *inner.watch_problem.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
                inner.reload();
                drop(inner);
                let _ = first_read.send(());
                if !wait_until_settled(&receiver) {
                    return;
                }
            }
        };
        let spawned = std::thread::Builder::new().name("presets".into()).spawn(follow);
        match spawned {
            // An error means that the thread has died; its last result is all there is.
            Ok(_) => _ = wait_for_first.recv(),
            Err(error) => {
                let problem = Problem::error(&presets.inner.folders.global, cannot_watch(&error));
                *presets.inner.watch_problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
                presets.reload();
            }
        }
        presets
    }

    pub fn folders(&self) -> &PresetFolders {
        &self.inner.folders
    }

    pub fn current(&self) -> Arc<Catalog> {
        self.inner.catalog.borrow().clone()
    }

    /// Changes when a preset or a problem does.
    pub fn subscribe(&self) -> watch::Receiver<Arc<Catalog>> {
        self.inner.catalog.subscribe()
    }

    /// Problems of the current catalog.
    pub fn problems(&self) -> Vec<Problem> {
        self.current().problems.clone()
    }

    /// Reads the folders now.
    pub fn reload(&self) {
        self.inner.reload();
    }
}

impl Drop for StoreState {
    fn drop(&mut self) {
        let _ = self.stop.send(Moved);
    }
}

impl StoreState {
    fn reload(&self) {
        let mut catalog = Catalog::scan(&self.folders);
        catalog.problems.extend(self.watch_problem.lock().unwrap_or_else(PoisonError::into_inner).clone());
        self.catalog.send_if_modified(|known| {
            let changed = !known.same_as(&catalog);
            if changed {
                *known = Arc::new(catalog);
            }
            changed
        });
    }
}

/// Waits for a hint and for the quiet after it. `false` when the store was dropped.
fn wait_until_settled(moved: &mpsc::Receiver<Moved>) -> bool {
    if moved.recv().is_err() {
        return false;
    }
    let first = Instant::now();
    while first.elapsed() < MAX_SETTLE {
        match moved.recv_timeout(SETTLE) {
            Ok(Moved) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    true
}

/// The folders with presets; where one is missing, its nearest existing ancestor.
struct WatchedFolders {
    wanted: Vec<PathBuf>,
    sender: mpsc::Sender<Moved>,
    watcher: Option<RecommendedWatcher>,
    watched: Vec<PathBuf>,
}

impl WatchedFolders {
    fn new(folders: &PresetFolders, sender: mpsc::Sender<Moved>) -> Self {
        let roots = std::iter::once(&folders.global).chain(&folders.project);
        let mut wanted: Vec<PathBuf> = roots.flat_map(|root| [root.join("agents"), root.join("processes")]).collect();
        wanted.push(folders.global.join("rules"));
        WatchedFolders { wanted, sender, watcher: None, watched: Vec::new() }
    }

    /// Watches the folders that exist now. A folder that was removed and created again is a new one to the system, so
    /// all are watched again each time.
    fn arm(&mut self) -> Option<Problem> {
        let mut wanted = self.wanted.clone();
        if cfg!(target_os = "macos") {
            wanted.extend(self.wanted.iter().filter_map(|folder| real_path(folder)));
        }
        let sender = self.sender.clone();
        let hear = move |event: notify::Result<notify::Event>| {
            let relevant = match &event {
                Ok(event) => !event.kind.is_access() && event.paths.iter().any(|path| concerns(path, &wanted)),
                // Events were lost: look again.
                Err(_) => true,
            };
            if relevant {
                let _ = sender.send(Moved);
            }
        };
        let mut watcher = match notify::recommended_watcher(hear) {
            Ok(watcher) => watcher,
            Err(error) => return Some(Problem::error(&self.wanted[0], cannot_watch(&error))),
        };
        let mut targets: Vec<&Path> = self.wanted.iter().filter_map(|folder| nearest_folder(folder)).collect();
        targets.sort();
        targets.dedup();
        let mut problem = None;
        self.watched.clear();
        for target in targets {
            match watcher.watch(target, RecursiveMode::NonRecursive) {
                Ok(()) => self.watched.push(target.into()),
                Err(error) => problem = Some(Problem::error(target, cannot_watch(&error))),
            }
        }
        self.watcher = Some(watcher);
        problem
    }
}

fn cannot_watch(error: &dyn std::error::Error) -> String {
    format!("changes are not noticed ({error}): restart after editing, or raise the system's limit of watches")
}

fn nearest_folder(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|ancestor| ancestor.is_dir())
}

/// The folder's path without links, as macOS names it in what it tells of changes.
fn real_path(folder: &Path) -> Option<PathBuf> {
    let there = nearest_folder(folder)?;
    Some(there.canonicalize().ok()?.join(folder.strip_prefix(there).ok()?))
}

/// Whether a change of `path` can affect one of the folders.
fn concerns(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder) || folder.starts_with(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_yet_has_a_real_path_too() {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        let link = root.path().join("link");
        std::fs::create_dir(real.join("there")).unwrap();
        std::os::unix::fs::symlink(real.join("there"), &link).unwrap();
        assert_eq!(real_path(&link.join("a/b")), Some(real.join("there/a/b")));
        assert_eq!(real_path(&link), Some(real.join("there")));
    }
}
