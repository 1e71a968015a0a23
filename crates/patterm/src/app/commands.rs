//! The table of commands: what a person can do, under which id, by which keys, and when it makes sense.
//!
//! Palette, help, key bindings and the reference all come from here. A command that is an operation calls it through
//! the table of operations.

mod panes;
mod program;
mod tabs;

pub(crate) use program::RAIL_LIMITS;

use super::{attention, model::App, recordings, scratchpads};

/// What the palette is opened by.
pub(crate) const PALETTE: &str = "palette";

/// What lists all that waits for the person.
pub(crate) const WAITING: &str = "waiting";

/// What ends the program.
pub(crate) const QUIT: &str = "quit";

/// One thing that a person can do.
#[derive(Clone, Copy)]
pub(crate) struct Command {
    /// What config.json binds keys to.
    pub(crate) id: &'static str,
    /// How palette and help name it.
    pub(crate) title: &'static str,
    pub(crate) section: Section,
    /// Built-in bindings.
    pub(crate) keys: &'static [&'static str],
    /// Whether it makes sense now.
    pub(crate) when: fn(&App) -> bool,
    pub(crate) run: fn(&mut App),
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Command").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What a command is listed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Section {
    Start,
    Tabs,
    Pane,
    Scratchpads,
    Attention,
    Program,
    Recordings,
}

impl Section {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Section::Start => "Start",
            Section::Tabs => "Tabs and sessions",
            Section::Pane => "The pane",
            Section::Scratchpads => "Scratchpads",
            Section::Recordings => "Recordings",
            Section::Attention => "What needs you",
            Section::Program => "patterm",
        }
    }
}

/// All of them, in the order they are listed.
pub(crate) fn all() -> impl Iterator<Item = &'static Command> {
    [
        tabs::COMMANDS,
        panes::COMMANDS,
        scratchpads::COMMANDS,
        attention::COMMANDS,
        program::COMMANDS,
        recordings::COMMANDS,
    ]
    .into_iter()
    .flatten()
}

pub(crate) fn find(id: &str) -> Option<&'static Command> {
    all().find(|command| command.id == id)
}

/// Runs a command by its id, if it makes sense now.
pub(crate) fn run(app: &mut App, id: &str) {
    app.dirty = true;
    match find(id) {
        Some(command) if (command.when)(app) => (command.run)(app),
        Some(command) => app.toast(tui::Sign::Unknown, format!("{}: not now", command.title)),
        None => app.toast(tui::Sign::Failed, format!("'{id}' is no command")),
    }
}

pub(crate) fn always(_: &App) -> bool {
    true
}

pub(crate) fn with_session(app: &App) -> bool {
    app.session().is_some()
}

pub(crate) fn with_live_session(app: &App) -> bool {
    app.sessions.focused().is_some_and(|item| !item.has_ended())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tui::Keymap;

    use super::*;

    #[test]
    fn ids_are_words_and_used_once_and_keys_are_keys() {
        let mut ids = HashSet::new();
        for command in all() {
            assert!(ids.insert(command.id), "{} is there twice", command.id);
            assert!(command.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", command.id);
            for keys in command.keys {
                Keymap::from_table([(*keys, command.id)]).unwrap();
            }
        }
        assert!(ids.contains(PALETTE));
    }
}
