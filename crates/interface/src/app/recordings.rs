//! Recordings of the project: made, played, searched in time and exported from the palette.
//!
//! Files are read and searched beside the loop. `replay` knows how to replay a recording, and `tui` how to play it;
//! `vtr` uses the same code for both.

mod exporting;
mod making;
mod playing;
mod searching;

use std::{path::PathBuf, time::SystemTime};

use replay::{RecordingFile, Tape, TapeLimits};
use tui::{Sign, widgets::RecordingPlayer};

pub(super) use self::{
    making::{heard, is_on, toggle},
    playing::{deadline, tick},
};
use super::{
    commands::{CommandSection, ScreenCommand, with_project},
    frame,
    model::InterfaceState,
    palette::{Palette, PaletteEntry},
};

/// The recording that is being played.
#[derive(Debug, Default)]
pub(crate) struct RecordingsState {
    player: Option<RecordingPlayer>,
}

pub(super) const COMMANDS: &[ScreenCommand] = &[
    ScreenCommand {
        id: "record",
        title: "Record this session",
        section: CommandSection::Recordings,
        keys: &[],
        when: making::is_possible,
        run: making::start,
    },
    ScreenCommand {
        id: "stop-recording",
        title: "Stop recording",
        section: CommandSection::Recordings,
        keys: &[],
        when: making::is_on,
        run: making::stop,
    },
    ScreenCommand {
        id: "play-recording",
        title: "Play a recording…",
        section: CommandSection::Recordings,
        keys: &[],
        when: with_project,
        run: |app| choose(app, "play a recording", |app, name| with_tape(app, name, playing::begin)),
    },
    ScreenCommand {
        id: "search-recording",
        title: "Find when text was on screen, in a recording…",
        section: CommandSection::Recordings,
        keys: &[],
        when: with_project,
        run: |app| choose(app, "find in a recording", searching::ask_pattern),
    },
    ScreenCommand {
        id: "export-recording",
        title: "Export a recording…",
        section: CommandSection::Recordings,
        keys: &[],
        when: with_project,
        run: |app| choose(app, "export a recording", exporting::ask_form),
    },
];

/// Runs `work` beside the loop, and then `then` with its result in the loop.
fn beside<T: Send + 'static>(
    app: &InterfaceState,
    work: impl FnOnce() -> T + Send + 'static,
    then: impl FnOnce(&mut InterfaceState, T) + Send + 'static,
) {
    let loop_tasks = app.loop_tasks();
    app.tasks.spawn_blocking(move || {
        let done = work();
        // After the end of the loop there is nobody to report to.
        let _ = loop_tasks.send(Box::new(move |app| then(app, done)));
    });
}

/// Where the project's recordings are.
fn folder(app: &InterfaceState) -> Option<PathBuf> {
    app.project.as_ref().map(|project| project.layout().recordings())
}

/// Lets the person choose one of the project's recordings.
fn choose(app: &mut InterfaceState, title: &'static str, act: fn(&mut InterfaceState, &str)) {
    let Some(folder) = folder(app) else { return };
    let look = move || replay::list(&folder);
    beside(app, look, move |app, listed| {
        if listed.is_empty() {
            app.toast(Sign::Unknown, "there are no recordings yet: \"Record this session\" in the palette starts one");
            return;
        }
        let now = SystemTime::now();
        let entry = |one: RecordingFile| {
            let detail = format!("{}, {} ago", size(one.bytes), frame::ago(one.age(now)));
            let name = one.name.clone();
            PaletteEntry::new(format!("recording/{name}"), one.name, move |app| act(app, &name)).detail(detail)
        };
        let entries = listed.into_iter().map(entry).collect();
        app.open(Palette::new(title, entries));
    });
}

/// Reads a recording, shows a notice if it is damaged, and continues with it.
fn with_tape(
    app: &mut InterfaceState,
    name: &str,
    then: impl FnOnce(&mut InterfaceState, &str, Tape) + Send + 'static,
) {
    let (Some(folder), name) = (folder(app), name.to_owned()) else { return };
    let read = {
        let name = name.clone();
        move || replay::open(&folder, &name, TapeLimits::default())
    };
    beside(app, read, move |app, read| match read {
        Err(error) => app.toast(Sign::Failed, format!("{name}: {error}")),
        Ok(tape) => {
            if let Some(warning) = tape.ending().warning() {
                app.toast(Sign::Blocked, warning);
            }
            then(app, &name, tape);
        }
    });
}

/// `12 kB`
fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
