//! What the palette lists: built-in commands, presets, sessions.

use std::{collections::HashMap, os::unix::fs::PermissionsExt, path::Path};

use crate::palette::{PaletteGroup, PaletteRank, arrange};
use agents::preset::{Place, Severity};
use ops::{Context, Faces, Role};
use tui::Sign;

use super::{PaletteEntry, form, prompt, schema};
use crate::app::{
    commands::{self, CommandSection, ScreenCommand},
    frame::key_name,
    model::{CANT_RUN, InterfaceState},
    scratchpads, start,
};

/// Before the name of an agent's preset, in the id of its entry.
const AGENT: &str = "agent/";

/// Everything that makes sense now, in groups.
pub(super) fn all(app: &InterfaceState) -> Vec<PaletteEntry> {
    let (there, missing) = presets(app);
    let under = |group| move |entry| (group, entry);
    let mut entries: Vec<(PaletteGroup, PaletteEntry)> =
        there.into_iter().chain(missing).map(under(PaletteGroup::Start)).collect();
    entries.extend(sessions(app).map(under(PaletteGroup::GoTo)));
    entries.extend(built_in(app));
    entries.extend(scratchpads::palette_entries(app).into_iter().map(under(PaletteGroup::Scratchpads)));
    entries.extend(operations(app).into_iter().map(under(PaletteGroup::Advanced)));
    arranged(app, entries)
}

/// In the order of the palette, each under its heading.
fn arranged(app: &InterfaceState, entries: Vec<(PaletteGroup, PaletteEntry)>) -> Vec<PaletteEntry> {
    let rank = |(group, entry): &(PaletteGroup, PaletteEntry)| PaletteRank {
        group: *group,
        recent: match entry.list.only_sought {
            true => 0,
            false => app.recent.get(&entry.id).copied().unwrap_or_default(),
        },
        is_agent: entry.id.trim_start_matches(CANT_RUN).starts_with(AGENT),
        can_run: !entry.id.starts_with(CANT_RUN),
    };
    let ranks: Vec<PaletteRank> = entries.iter().map(rank).collect();
    let mut entries: Vec<Option<PaletteEntry>> = entries.into_iter().map(|(_, entry)| Some(entry)).collect();
    let placed = |(index, group): (usize, PaletteGroup)| {
        let mut entry = entries[index].take()?;
        entry.list.heading = group.title();
        entry.list.recent = ranks[index].recent;
        Some(entry)
    };
    arrange(&ranks, app.sessions.is_empty()).into_iter().filter_map(placed).collect()
}

/// What can be started.
pub(super) fn spawning(app: &InterfaceState) -> Vec<PaletteEntry> {
    let (mut entries, missing) = presets(app);
    entries.extend(command(app, "new-terminal"));
    entries.extend(command(app, "run-command"));
    entries.extend(missing);
    remember(app, entries)
}

/// What was taken lately comes first.
fn remember(app: &InterfaceState, mut entries: Vec<PaletteEntry>) -> Vec<PaletteEntry> {
    for entry in &mut entries {
        entry.list.recent = app.recent.get(&entry.id).copied().unwrap_or_default();
    }
    entries
}

fn built_in(app: &InterfaceState) -> impl Iterator<Item = (PaletteGroup, PaletteEntry)> {
    let listed = commands::all().filter(|known| known.id != commands::PALETTE);
    listed.filter_map(|known| Some((group_of(known), command(app, known.id)?)))
}

/// What a command is listed under.
fn group_of(command: &ScreenCommand) -> PaletteGroup {
    match (command.section, command.id) {
        (CommandSection::Start, _) => PaletteGroup::Start,
        (CommandSection::Tabs, "rename" | "stop" | "restart" | "close") => PaletteGroup::Session,
        (CommandSection::Tabs | CommandSection::Attention, _) => PaletteGroup::GoTo,
        (CommandSection::Pane, _) => PaletteGroup::Session,
        (CommandSection::Scratchpads, _) => PaletteGroup::Scratchpads,
        (CommandSection::Recordings, _) => PaletteGroup::Recordings,
        (CommandSection::Program, id) if !id.starts_with("rail") => PaletteGroup::Settings,
        _ => PaletteGroup::Windows,
    }
}

fn command(app: &InterfaceState, id: &'static str) -> Option<PaletteEntry> {
    let known = commands::find(id).filter(|known| known.is_listed(app) && (known.when)(app))?;
    let mut entry = PaletteEntry::new(id, commands::title(app, known), move |app| commands::run(app, id));
    entry.list.keys = key_name(&app.keymap.keys_of(id).unwrap_or_default());
    entry.list.words = format!(":{id}");
    // The list has the tabs by name.
    entry.list.only_sought = commands::is_numbered_tab(id);
    Some(entry)
}

/// What can be started by name, and what could be if it were installed or without a mistake.
fn presets(app: &InterfaceState) -> (Vec<PaletteEntry>, Vec<PaletteEntry>) {
    let Some(project) = &app.project else { return Default::default() };
    let catalog = project.presets().current();
    let path = app.surroundings.variable("PATH").unwrap_or_default();
    let mark = |place: Place| if matches!(place, Place::Project { .. }) { "of this project" } else { "" };
    let (mut there, mut missing) = (Vec::new(), Vec::new());
    // Many presets of one program are one look.
    let mut known: HashMap<String, bool> = HashMap::new();
    for found in catalog.agents() {
        let name = found.preset.name.clone();
        let (id, text) = (format!("{AGENT}{name}"), format!("Spawn agent: {name}"));
        let program = found.preset.argv.first().cloned().unwrap_or_default();
        if *known.entry(program.clone()).or_insert_with(|| installed(&program, path)) {
            there.push(PaletteEntry::new(id, text, move |app| prompt::open(app, name)).detail(mark(found.place)));
            continue;
        }
        let how = match &found.preset.install {
            Some(install) => format!("{program} is not installed: {install}"),
            None => format!("{program} is not installed, or not in PATH"),
        };
        let said = how.clone();
        let mut entry =
            PaletteEntry::new(format!("{CANT_RUN}{id}"), text, move |app| app.toast(Sign::Failed, said)).detail(how);
        entry.list.sign = Some(Sign::Failed);
        missing.push(entry);
    }
    there.extend(catalog.processes().map(|found| {
        let name = found.preset.name.clone();
        let text = format!("Run process: {name}");
        PaletteEntry::new(format!("process/{name}"), text, move |app| start::preset(app, &name))
            .detail(mark(found.place))
    }));
    missing.extend(catalog.problems.iter().filter(|problem| problem.severity == Severity::Error).map(|problem| {
        let name = problem.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let said = problem.to_string();
        let text = format!("Preset with a mistake: {name}");
        let mut entry = PaletteEntry::new(format!("{CANT_RUN}{name}"), text, move |app| app.toast(Sign::Failed, said))
            .detail(problem.message.clone());
        entry.list.sign = Some(Sign::Failed);
        entry
    }));
    (there, missing)
}

/// Whether a shell would find `program`.
fn installed(program: &str, path: &std::ffi::OsStr) -> bool {
    let runs =
        |file: &Path| file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
    match program.contains('/') {
        // Where it is looked for from is the preset's business.
        true => !Path::new(program).is_absolute() || runs(Path::new(program)),
        false => std::env::split_paths(path).any(|folder| runs(&folder.join(program))),
    }
}

/// Operations that a person may run, arguments asked for one by one.
fn operations(app: &InterfaceState) -> Vec<PaletteEntry> {
    let Some(project) = &app.project else { return Vec::new() };
    let offered = project.table().offered(Faces::PALETTE, Role::Operator);
    // Without a session there is nothing to do to one.
    let nobody = app.sessions.is_empty();
    let possible = offered.filter(|entry| !nobody || !schema::needs_session(entry.args_schema().as_value()));
    let entries = possible.map(|entry| {
        let name = entry.name();
        let id = format!("{}{name}", commands::OPERATION);
        let mut listed = PaletteEntry::new(id, schema::title(name), move |app| form::open(app, name))
            .detail(schema::first_sentence(entry.description()));
        listed.list.words = name.to_owned();
        // They speak the language of tools: what does the same for people comes first.
        listed.list.is_last_resort = true;
        listed
    });
    entries.collect()
}

fn sessions(app: &InterfaceState) -> impl Iterator<Item = PaletteEntry> {
    let here = app.session_id();
    app.sessions.items().iter().filter(move |item| Some(item.id) != here).map(|item| {
        let id = item.id;
        let text = match item.depth {
            0 => format!("Switch to tab: {}", item.name),
            _ => format!("Focus pane: {}", item.name),
        };
        let mut entry = PaletteEntry::new(format!("show/{id}"), text, move |app| {
            let id =
                app.sessions.get(id).filter(|item| item.depth == 0).map_or(id, |item| app.sessions.shown_in(item.id));
            app.show(id);
        })
        .detail(item.word());
        entry.list.sign = Some(item.sign());
        entry
    })
}
