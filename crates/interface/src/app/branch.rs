//! The git branch of the project, for a status line that shows it.
//!
//! Nothing is polled: it is looked up after something was drawn, at most every few seconds, and once a minute. The disk
//! is read beside the loop, which is woken only if the branch is another one.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use project::{GitHead, Project, git_head, settings::StatusPart};

use super::model::InterfaceState;

/// Between two looks.
const GAP: Duration = Duration::from_secs(3);

#[derive(Debug, Default)]
pub(crate) struct BranchState {
    head: Option<GitHead>,
    looked: Option<Instant>,
    /// A look is under way.
    looking: Arc<AtomicBool>,
    /// Something was drawn too soon after the last look.
    again: bool,
}

impl BranchState {
    /// What is checked out, as last seen.
    pub(super) fn head(&self) -> Option<&GitHead> {
        self.head.as_ref()
    }
}

/// The folder that the project lies in, for people.
pub(super) fn project_name(app: &InterfaceState) -> String {
    folder(app).and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn folder(app: &InterfaceState) -> Option<&Path> {
    app.project.as_ref().map(Project::project_dir)
}

/// When it has to be looked up though nothing happens.
pub(super) fn deadline(app: &InterfaceState) -> Option<Instant> {
    app.branch.looked.filter(|_| app.branch.again).map(|looked| looked + GAP)
}

/// Something was drawn, or time has passed: the branch may be another one.
pub(super) fn look(app: &mut InterfaceState, now: Instant) {
    let folder = folder(app).map(Path::to_owned).filter(|_| app.settings.status_line.has(StatusPart::Branch));
    let Some(folder) = folder else {
        app.branch.again = false;
        return;
    };
    let soon = app.branch.looked.is_some_and(|looked| now < looked + GAP);
    app.branch.again = soon;
    if soon || app.branch.looking.swap(true, Ordering::Relaxed) {
        return;
    }
    app.branch.looked = Some(now);
    let (known, looking, loop_tasks) = (app.branch.head.clone(), Arc::clone(&app.branch.looking), app.loop_tasks());
    app.tasks.spawn_blocking(move || {
        let head = git_head(&folder);
        looking.store(false, Ordering::Relaxed);
        if head != known {
            // After the end of the loop there is nobody to report to.
            let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| {
                app.branch.head = head;
                app.dirty = true;
            }));
        }
    });
}
