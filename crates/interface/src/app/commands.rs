//! The table of commands: each command's id, title, keys, and when it is available.
//!
//! Palette, help, key bindings and the reference all come from this table. A command that is an operation calls it
//! through the table of operations.

mod panes;
mod program;
mod tabs;
mod windows;

pub(crate) use program::RAIL_LIMITS;

use ops::{Faces, Role, Table};

use super::{attach_mode, attention, model::InterfaceState, palette, recordings, remote_sessions, scratchpads};

/// What the palette is opened by.
pub(crate) const PALETTE: &str = "palette";

/// The id of the command that lists what needs the person.
pub(crate) const WAITING: &str = "waiting";

/// The id of the command that ends the program.
pub(crate) const QUIT: &str = "quit";

/// A command of the screen.
#[derive(Clone, Copy)]
pub(crate) struct ScreenCommand {
    /// The id for key bindings in config.json.
    pub(crate) id: &'static str,
    /// The name in palette and help.
    pub(crate) title: &'static str,
    pub(crate) section: CommandSection,
    /// The built-in keys.
    pub(crate) keys: &'static [&'static str],
    /// Whether it is available now.
    pub(crate) when: fn(&InterfaceState) -> bool,
    pub(crate) run: fn(&mut InterfaceState),
}

/// Commands that need what only patterm has: an engine and a project of its own.
const OF_PATTERM: &[&str] = &[
    "new-terminal",
    "spawn",
    "run-command",
    "split-right",
    "split-down",
    "open-last-run",
    "open-start-set",
    "restart",
    "take-control",
    "release-control",
    "edit-history",
    "send-palette-key",
    "pass-through",
    "scratchpads",
    "scratchpad-new",
    "scratchpad-edit",
    "scratchpad-delete",
    "waiting-prompts",
    "play-recording",
    "search-recording",
    "export-recording",
];

/// Commands that change a session of a coordinator, or start one.
const CHANGING: &[&str] =
    &["rename", "stop", "new-remote", "end-remote", "record", "stop-recording", "toggle-recording"];

impl ScreenCommand {
    /// Whether `vtr attach` has it.
    pub(crate) fn is_in_attach(&self) -> bool {
        !OF_PATTERM.contains(&self.id)
    }

    /// Whether patterm has it.
    pub(crate) fn is_in_patterm(&self) -> bool {
        !attach_mode::COMMANDS.iter().any(|command| command.id == self.id)
    }

    /// Whether the program that we are has it.
    pub(crate) fn is_offered(&self, app: &InterfaceState) -> bool {
        match app.attach {
            Some(_) => self.is_in_attach(),
            None => self.is_in_patterm(),
        }
    }

    /// Whether lists have it: one who may only look is offered no changes.
    pub(crate) fn is_listed(&self, app: &InterfaceState) -> bool {
        self.is_offered(app) && !(app.remote.manner.read_only && CHANGING.contains(&self.id))
    }
}

impl std::fmt::Debug for ScreenCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Command").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The heading that a command is listed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CommandSection {
    Start,
    Tabs,
    Pane,
    Windows,
    Scratchpads,
    Attention,
    Program,
    Recordings,
}

impl CommandSection {
    pub(crate) fn title(self) -> &'static str {
        match self {
            CommandSection::Start => "Start",
            CommandSection::Tabs => "Tabs and sessions",
            CommandSection::Pane => "The pane",
            CommandSection::Windows => "Windows",
            CommandSection::Scratchpads => "Scratchpads",
            CommandSection::Recordings => "Recordings",
            CommandSection::Attention => "What needs you",
            CommandSection::Program => "patterm",
        }
    }
}

/// All commands, in the order of the list.
pub(crate) fn all() -> impl Iterator<Item = &'static ScreenCommand> {
    [
        tabs::COMMANDS,
        panes::COMMANDS,
        windows::COMMANDS,
        scratchpads::COMMANDS,
        attention::COMMANDS,
        program::COMMANDS,
        recordings::COMMANDS,
        remote_sessions::COMMANDS,
        attach_mode::COMMANDS,
    ]
    .into_iter()
    .flatten()
}

pub(crate) fn find(id: &str) -> Option<&'static ScreenCommand> {
    all().find(|command| command.id == id)
}

/// Runs a command by its id, if it is available now.
pub(crate) fn run(app: &mut InterfaceState, id: &str) {
    app.dirty = true;
    match find(id) {
        Some(command) if command.is_offered(app) && (command.when)(app) => (command.run)(app),
        Some(command) => app.toast(tui::Sign::Unknown, format!("{}: not now", command.title)),
        None if names_an_entry(id) && palette::run(app, id) => {}
        None => app.toast(tui::Sign::Failed, format!("'{id}' is not a command")),
    }
}

/// What stands before an operation's name in its id.
pub(crate) const OPERATION: &str = "operation/";

/// Whether an id names a preset or an operation: `agent/claude`, `process/dev`, `operation/stop_process`. Presets come
/// and go, so any name will do; operations are always the same.
fn names_an_entry(id: &str) -> bool {
    match id.split_once('/') {
        Some(("agent" | "process", name)) => !name.is_empty(),
        Some(("operation", name)) => is_operation(name),
        _ => false,
    }
}

/// Whether the palette offers an operation of this name.
fn is_operation(name: &str) -> bool {
    let table = Table::new(project::operations::entries());
    table.offered(Faces::PALETTE, Role::Operator).any(|entry| entry.name() == name)
}

/// Whether keys can be bound to an id.
pub(crate) fn can_be_bound(id: &str) -> bool {
    find(id).is_some_and(ScreenCommand::is_in_patterm) || names_an_entry(id)
}

/// `tab-1` to `tab-9`.
pub(crate) fn is_numbered_tab(id: &str) -> bool {
    id.strip_prefix("tab-").is_some_and(|number| number.parse::<u8>().is_ok())
}

/// The palette's name of a command, including the key it sends or the state it would switch to.
pub(crate) fn title(app: &InterfaceState, command: &ScreenCommand) -> String {
    let on_off = |on: bool| if on { "off" } else { "on" };
    match command.id {
        "send-palette-key" => {
            let key = app.keymap.keys_of(PALETTE).unwrap_or_default();
            format!("Send {} to the program", super::frame::key_name(&key))
        }
        "mouse" => format!("Mouse: turn {}", on_off(app.mouse)),
        _ => command.title.to_owned(),
    }
}

pub(crate) fn always(_: &InterfaceState) -> bool {
    true
}

/// With an engine of our own to start sessions in.
pub(crate) fn with_project(app: &InterfaceState) -> bool {
    app.project.is_some()
}

pub(crate) fn with_session(app: &InterfaceState) -> bool {
    app.session().is_some()
}

pub(crate) fn with_live_session(app: &InterfaceState) -> bool {
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
            assert!(
                command.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{}",
                command.id
            );
            for keys in command.keys {
                Keymap::from_table([(*keys, command.id)]).unwrap();
            }
        }
        assert!(ids.contains(PALETTE));
    }
}
