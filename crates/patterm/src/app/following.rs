//! config.json while patterm runs: what changes is taken over at once, and what is wrong is said while the last good
//! settings stay. Limits, presets and sockets are those of the start, and so is what agents may do,
//! which is said: nobody should believe that a permission they took away is gone.

use project::{Settings, settings::FileWatch};
use tui::Sign;

use super::{keys, model::InterfaceState};
use program::Failure;

use crate::commands::config;

/// Follows the file, if its folder can be watched.
pub(super) fn start(app: &InterfaceState) -> Option<FileWatch> {
    let (loop_tasks, surroundings) = (app.loop_tasks(), app.surroundings.clone());
    FileWatch::start(&config::file(&app.surroundings), move || {
        // Read here, on the watcher's thread: reads by several tasks could be told in the wrong order.
        if let Some(found) = config::look(&surroundings).transpose() {
            let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| changed(app, found)));
        }
    })
}

fn changed(app: &mut InterfaceState, found: Result<(Settings, Vec<String>), Failure>) {
    match found {
        // A write may be told of twice.
        Ok((settings, _)) if settings == app.settings => {}
        Ok((settings, warnings)) => {
            take(app, settings);
            warnings.into_iter().for_each(|warning| app.toast(Sign::Blocked, warning));
        }
        Err(failure) => app.toast(Sign::Failed, format!("the settings stay as they were: {}", failure.message)),
    }
}

fn take(app: &mut InterfaceState, settings: Settings) {
    // The project has a copy of its own.
    let allowed = |settings: &Settings| (settings.agents.free_commands, settings.permissions.clone());
    if allowed(&settings) != allowed(&app.settings) {
        app.toast(Sign::Blocked, "what agents may do changes with the next start of patterm");
    }
    let (keymap, faults) = keys::keymap(&settings);
    app.keymap = keymap;
    // What the person has set otherwise since stays, unless the file speaks of it anew.
    if settings.rail != app.settings.rail {
        app.rail.visible = settings.rail.visible;
        app.rail.side = settings.rail.side;
        app.rail.cols = settings.rail.width;
    }
    app.settings = settings;
    app.dress(app.host_scheme);
    faults.into_iter().for_each(|fault| app.toast(Sign::Failed, fault));
}
