//! Follows config.json while patterm runs: changes apply at once, and after a mistake the last good settings stay, with
//! a notice. Limits, presets and sockets are only read at the start. So are agents' permissions, and a notice says so:
//! nobody should believe that a permission they removed is gone already.

use std::{path::PathBuf, sync::Arc};

use program::Failure;
use project::{Settings, settings::FileWatch};
use tui::Sign;

use super::{keys, model::InterfaceState, themes};

/// The settings that a file holds now, with warnings about it; `None` while the file is empty.
type ReadSettings = dyn Fn() -> Result<Option<(Settings, Vec<String>)>, Failure> + Send + Sync;

/// The file of settings that is followed, and how it is read.
#[derive(Clone)]
pub struct SettingsFile {
    pub path: PathBuf,
    pub read: Arc<ReadSettings>,
}

impl std::fmt::Debug for SettingsFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SettingsFile").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Watches the file, if its folder can be watched.
pub(super) fn start(app: &InterfaceState, file: SettingsFile) -> Option<FileWatch> {
    let loop_tasks = app.loop_tasks();
    FileWatch::start(&file.path, move || {
        // Read here, on the watcher's thread: several tasks could deliver their reads in the wrong order.
        if let Some(found) = (file.read)().transpose() {
            let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| changed(app, found)));
        }
    })
}

fn changed(app: &mut InterfaceState, found: Result<(Settings, Vec<String>), Failure>) {
    match found {
        // One write may be reported twice.
        Ok((settings, _)) if settings == app.settings => {}
        Ok((settings, warnings)) => {
            take(app, settings);
            warnings.into_iter().for_each(|warning| app.toast(Sign::Blocked, warning));
        }
        Err(failure) => app.toast(Sign::Failed, format!("the settings stay as they were: {}", failure.message)),
    }
}

fn take(app: &mut InterfaceState, settings: Settings) {
    // The project has its own copy of these.
    let allowed = |settings: &Settings| (settings.agents.free_commands, settings.permissions.clone());
    if allowed(&settings) != allowed(&app.settings) {
        app.toast(Sign::Blocked, "changes of what agents may do apply from patterm's next start");
    }
    let (keymap, faults) = keys::keymap(&settings);
    app.keymap = keymap;
    // What the person has changed on the screen stays, unless the file changed the same setting.
    if settings.rail != app.settings.rail {
        app.rail.visible = settings.rail.visible;
        app.rail.side = settings.rail.side;
        app.rail.cols = settings.rail.width;
    }
    // A theme that was chosen on the screen stays, too.
    let follows_theme = settings.theme != app.settings.theme || app.themes.is(&settings.theme);
    app.settings = settings;
    match follows_theme {
        true => themes::follow_settings(app),
        false => app.dress(None),
    }
    faults.into_iter().for_each(|fault| app.toast(Sign::Failed, fault));
}
