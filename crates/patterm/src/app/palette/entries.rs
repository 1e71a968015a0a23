//! What the palette lists: built-in commands, presets, sessions.

use agents::preset::Place;

use super::PaletteEntry;
use crate::app::{commands, model::App, scratchpads, start};

/// Everything that makes sense now.
pub(super) fn all(app: &App) -> Vec<PaletteEntry> {
    let mut entries = presets(app);
    entries.extend(built_in(app));
    entries.extend(sessions(app));
    entries.extend(scratchpads::palette_entries(app));
    remember(app, entries)
}

/// What can be started.
pub(super) fn spawning(app: &App) -> Vec<PaletteEntry> {
    let mut entries = presets(app);
    entries.extend(command(app, "new-terminal"));
    remember(app, entries)
}

/// What was taken lately comes first.
fn remember(app: &App, mut entries: Vec<PaletteEntry>) -> Vec<PaletteEntry> {
    for entry in &mut entries {
        entry.list.recent = app.recent.get(&entry.id).copied().unwrap_or_default();
    }
    entries
}

fn built_in(app: &App) -> impl Iterator<Item = PaletteEntry> {
    commands::all().filter(|known| known.id != commands::PALETTE).filter_map(|known| command(app, known.id))
}

fn command(app: &App, id: &'static str) -> Option<PaletteEntry> {
    let known = commands::find(id).filter(|known| (known.when)(app))?;
    let mut entry = PaletteEntry::new(id, known.title, move |app| commands::run(app, id));
    entry.list.keys = app.keymap.keys_of(id).unwrap_or_default();
    entry.list.words = format!(":{id}");
    Some(entry)
}

fn presets(app: &App) -> Vec<PaletteEntry> {
    let catalog = app.project.presets().current();
    let mark = |place: Place| if matches!(place, Place::Project { .. }) { "of this project" } else { "" };
    let agents = catalog.agents().map(|found| {
        let name = found.preset.name.clone();
        let text = format!("Spawn agent: {name}");
        PaletteEntry::new(format!("agent/{name}"), text, move |app| start::agent(app, &name, ""))
            .detail(mark(found.place))
    });
    let processes = catalog.processes().map(|found| {
        let name = found.preset.name.clone();
        let text = format!("Run process: {name}");
        PaletteEntry::new(format!("process/{name}"), text, move |app| start::preset(app, &name))
            .detail(mark(found.place))
    });
    agents.chain(processes).collect()
}

fn sessions(app: &App) -> impl Iterator<Item = PaletteEntry> {
    let here = app.session().map(engine::Session::id);
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
