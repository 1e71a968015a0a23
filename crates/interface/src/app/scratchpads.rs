//! The scratchpads: their section of the rail with a preview, and the person's commands for them.
//!
//! They are read beside the loop whenever somebody writes; this is a copy to draw from.

mod rail_part;
mod reader;

use project::{PadInfo, PadName, Project};
use serde_json::json;
use tui::{Sign, SkinRole, Span, widgets::Modal};

pub(super) use self::rail_part::{draw_rail, rail_event, rail_rows};
use self::reader::ScratchpadReader;
use super::{
    commands::{CommandSection, ScreenCommand, with_project},
    editor, line_prompt,
    model::InterfaceState,
    palette::{Palette, PaletteEntry},
    question,
};

/// The interface's copy of the scratchpads.
#[derive(Debug, Default)]
pub(crate) struct ScratchpadsState {
    pads: Vec<PadInfo>,
    /// The person's choice; without one, the scratchpad written last is previewed.
    chosen: Option<PadName>,
    preview: Option<ScratchpadPreview>,
    reading: bool,
    /// Somebody wrote while they were being read.
    again: bool,
}

#[derive(Clone, Debug)]
struct ScratchpadPreview {
    name: PadName,
    /// An error says why it can't be read.
    text: Result<String, String>,
}

impl ScratchpadsState {
    pub(super) fn new(project: &Project) -> Self {
        let pads = project.scratchpads().list().unwrap_or_default();
        let mut state = ScratchpadsState { pads, ..ScratchpadsState::default() };
        if let Some(name) = state.current().cloned() {
            let text = project.scratchpads().read(&name).map(|pad| pad.content).map_err(|error| error.to_string());
            state.preview = Some(ScratchpadPreview { name, text });
        }
        state
    }

    /// The scratchpad that is previewed.
    fn current(&self) -> Option<&PadName> {
        let chosen = self.chosen.as_ref().filter(|name| self.pads.iter().any(|pad| pad.name == **name));
        chosen.or_else(|| self.pads.iter().max_by_key(|pad| pad.modified_at).map(|pad| &pad.name))
    }

    pub(super) fn len(&self) -> usize {
        self.pads.len()
    }

    /// The row of the previewed scratchpad in the list.
    pub(super) fn row(&self) -> usize {
        let current = self.current();
        self.pads.iter().position(|pad| Some(&pad.name) == current).unwrap_or(0)
    }

    /// A scratchpad's text, if it has been read.
    fn text(&self, name: &PadName) -> Option<&Result<String, String>> {
        self.preview.as_ref().filter(|preview| preview.name == *name).map(|preview| &preview.text)
    }
}

pub(super) const COMMANDS: &[ScreenCommand] = &[
    ScreenCommand {
        id: "scratchpads",
        title: "Scratchpads…",
        section: CommandSection::Scratchpads,
        keys: &[],
        when: there_are,
        run: |app| {
            let entries = palette_entries(app);
            app.open(Palette::new("scratchpads", entries));
        },
    },
    ScreenCommand {
        id: "scratchpad-new",
        title: "New scratchpad…",
        section: CommandSection::Scratchpads,
        keys: &[],
        when: with_project,
        run: name_new,
    },
    ScreenCommand {
        id: "scratchpad-edit",
        title: "Open the scratchpad in your editor",
        section: CommandSection::Scratchpads,
        keys: &[],
        when: there_are,
        run: |app| {
            if let Some(name) = app.scratchpads.current().cloned() {
                edit(app, &name);
            }
        },
    },
    ScreenCommand {
        id: "scratchpad-delete",
        title: "Delete the scratchpad…",
        section: CommandSection::Scratchpads,
        keys: &[],
        when: there_are,
        run: |app| {
            if let Some(name) = app.scratchpads.current().cloned() {
                ask_to_delete(app, name);
            }
        },
    },
];

fn there_are(app: &InterfaceState) -> bool {
    !app.scratchpads.pads.is_empty()
}

/// Their names.
pub(super) fn names(app: &InterfaceState) -> Vec<&str> {
    app.scratchpads.pads.iter().map(|pad| pad.name.as_str()).collect()
}

/// Palette entries, one for each scratchpad.
pub(super) fn palette_entries(app: &InterfaceState) -> Vec<PaletteEntry> {
    let entry = |pad: &PadInfo| {
        let name = pad.name.clone();
        let text = format!("Open scratchpad: {}", name.as_str());
        PaletteEntry::new(format!("scratchpad/{}", name.as_str()), text, move |app| open(app, name))
            .detail(format!("{} bytes", pad.size))
    };
    app.scratchpads.pads.iter().map(entry).collect()
}

/// Somebody wrote: reads them again.
pub(super) fn changed(app: &mut InterfaceState) {
    if app.scratchpads.reading {
        app.scratchpads.again = true;
        return;
    }
    let Some(project) = &app.project else { return };
    app.scratchpads.reading = true;
    let (pads, chosen, loop_tasks) = (project.scratchpads().clone(), app.scratchpads.chosen.clone(), app.loop_tasks());
    app.tasks.spawn_blocking(move || {
        let listed = pads.list();
        let mut fresh = ScratchpadsState { pads: listed.unwrap_or_default(), chosen, ..ScratchpadsState::default() };
        if let Some(name) = fresh.current().cloned() {
            let text = pads.read(&name).map(|pad| pad.content).map_err(|error| error.to_string());
            fresh.preview = Some(ScratchpadPreview { name, text });
        }
        let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| {
            let again = std::mem::take(&mut app.scratchpads.again);
            // A choice made meanwhile is kept.
            fresh.chosen = app.scratchpads.chosen.take();
            let stale = fresh.current() != fresh.preview.as_ref().map(|preview| &preview.name);
            app.scratchpads = fresh;
            app.dirty = true;
            if again || stale {
                changed(app);
            }
        }));
    });
}

/// The person chose this one.
fn choose(app: &mut InterfaceState, name: PadName) {
    if app.scratchpads.chosen.as_ref() != Some(&name) {
        app.scratchpads.chosen = Some(name);
        changed(app);
    }
    app.dirty = true;
}

/// Previews the scratchpad at a row of the list.
pub(super) fn choose_at(app: &mut InterfaceState, index: usize) {
    if let Some(name) = app.scratchpads.pads.get(index).map(|pad| pad.name.clone()) {
        choose(app, name);
    }
}

/// Opens the scratchpad at a row of the list in full.
pub(super) fn open_at(app: &mut InterfaceState, index: usize) {
    if let Some(name) = app.scratchpads.pads.get(index).map(|pad| pad.name.clone()) {
        open(app, name);
    }
}

fn open(app: &mut InterfaceState, name: PadName) {
    choose(app, name.clone());
    app.open(ScratchpadReader::new(name));
}

fn edit(app: &mut InterfaceState, name: &PadName) {
    let Some(project) = &app.project else { return };
    let file = project.scratchpads().folder().join(name.as_str());
    editor::open(app, file, false);
}

/// Asks for the name of a new one.
fn name_new(app: &mut InterfaceState) {
    line_prompt::ask(app, "name of the scratchpad", "", |app, text| {
        create(app, PadName::new(with_ending(text)).map_err(|error| error.to_string())?);
        Ok(())
    });
}

/// Adds the ending of Markdown, which all scratchpads have, to a name without one.
fn with_ending(name: &str) -> String {
    match name.is_empty() || name.contains('.') {
        true => name.to_owned(),
        false => format!("{name}.md"),
    }
}

/// Creates an empty scratchpad, or finds an existing one, and opens it in the editor.
fn create(app: &mut InterfaceState, name: PadName) {
    // Appending nothing creates it, and leaves an existing one unchanged.
    let arguments = json!({ "name": name.as_str(), "content": "" });
    app.call("scratchpad_append", arguments, move |app, outcome| match outcome {
        Ok(_) => {
            choose(app, name.clone());
            changed(app);
            edit(app, &name);
        }
        Err(error) => app.complain(&error),
    });
}

fn ask_to_delete(app: &mut InterfaceState, name: PadName) {
    let plain = app.skin.style(SkinRole::Modal);
    let body = vec![vec![Span::new(format!("Delete \"{}\" for everyone?", name.as_str()), plain)]];
    let modal = Modal::new("Delete scratchpad", body).answer('c', "cancel").answer('d', "delete");
    question::ask(app, modal, 1, move |app| {
        let name = name.as_str().to_owned();
        app.call("scratchpad_delete", json!({ "name": name }), move |app, outcome| match outcome {
            Ok(_) => app.toast(Sign::Exited, format!("{name} is deleted")),
            Err(error) => app.complain(&error),
        });
    });
}
