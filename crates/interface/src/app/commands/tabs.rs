//! Tabs and sessions: starting, switching, closing.

use project::Project;

use super::{CommandSection, ScreenCommand, always, with_live_session, with_session};
use crate::app::{
    closing, find, frame,
    model::{InterfaceState, KeyboardFocus},
    opening, palette, renaming, start,
};

/// The command for the tab with this number, counted from one.
macro_rules! numbered_tab {
    ($number:literal) => {
        ScreenCommand {
            id: concat!("tab-", $number),
            title: concat!("Go to tab ", $number),
            section: CommandSection::Tabs,
            keys: &[concat!("alt-", $number)],
            when: |app| app.sessions.tabs().nth($number - 1).is_some(),
            run: |app| to_tab(app, $number - 1),
        }
    };
}

pub(super) const COMMANDS: &[ScreenCommand] = &[
    ScreenCommand {
        id: "new-terminal",
        title: "New terminal",
        section: CommandSection::Start,
        keys: &[],
        when: always,
        run: start::terminal,
    },
    ScreenCommand {
        id: "spawn",
        title: "Spawn an agent or process…",
        section: CommandSection::Start,
        keys: &[],
        when: always,
        run: palette::open_on_spawning,
    },
    ScreenCommand {
        id: "run-command",
        title: "Run a command…",
        section: CommandSection::Start,
        keys: &[],
        when: always,
        run: start::ask_for_command,
    },
    ScreenCommand {
        id: "open-last-run",
        title: "Open last run's tabs",
        section: CommandSection::Start,
        keys: &[],
        when: opening::is_there,
        run: opening::open,
    },
    ScreenCommand {
        id: "open-start-set",
        title: "Open the project's start set",
        section: CommandSection::Start,
        keys: &[],
        when: |app| app.project.as_ref().is_some_and(Project::has_start_set),
        run: opening::open_start_set,
    },
    ScreenCommand {
        id: "next-tab",
        title: "Next tab",
        section: CommandSection::Tabs,
        keys: &["alt-pagedown"],
        when: with_session,
        run: |app| beside(app, 1),
    },
    ScreenCommand {
        id: "previous-tab",
        title: "Previous tab",
        section: CommandSection::Tabs,
        keys: &["alt-pageup"],
        when: with_session,
        run: |app| beside(app, -1),
    },
    ScreenCommand {
        id: "move-tab-left",
        title: "Move this tab to the left",
        section: CommandSection::Tabs,
        keys: &["alt-shift-pageup"],
        when: with_tabs,
        run: |app| app.sessions.move_tab(-1),
    },
    ScreenCommand {
        id: "move-tab-right",
        title: "Move this tab to the right",
        section: CommandSection::Tabs,
        keys: &["alt-shift-pagedown"],
        when: with_tabs,
        run: |app| app.sessions.move_tab(1),
    },
    numbered_tab!(1),
    numbered_tab!(2),
    numbered_tab!(3),
    numbered_tab!(4),
    numbered_tab!(5),
    numbered_tab!(6),
    numbered_tab!(7),
    numbered_tab!(8),
    numbered_tab!(9),
    ScreenCommand {
        id: "next-pane",
        title: "Next session of this tab",
        section: CommandSection::Tabs,
        keys: &[],
        when: with_session,
        run: |app| in_tree(app, 1),
    },
    ScreenCommand {
        id: "previous-pane",
        title: "Previous session of this tab",
        section: CommandSection::Tabs,
        keys: &[],
        when: with_session,
        run: |app| in_tree(app, -1),
    },
    ScreenCommand {
        id: "last-pane",
        title: "Back to the session before",
        section: CommandSection::Tabs,
        keys: &[],
        when: |app| app.sessions.previous().is_some(),
        run: |app| {
            if let Some(id) = app.sessions.previous() {
                app.show(id);
            }
        },
    },
    ScreenCommand {
        id: "rail-focus",
        title: "Go to the rail: sessions and scratchpads",
        section: CommandSection::Tabs,
        keys: &["alt-s"],
        when: with_session,
        run: focus_rail,
    },
    ScreenCommand {
        id: "find-in-all",
        title: "Find in all sessions…",
        section: CommandSection::Tabs,
        keys: &[],
        when: with_session,
        run: find::open,
    },
    ScreenCommand {
        id: "rename",
        title: "Rename this session…",
        section: CommandSection::Tabs,
        keys: &[],
        when: with_session,
        run: renaming::ask,
    },
    ScreenCommand {
        id: "stop",
        title: "Stop this session's program",
        section: CommandSection::Tabs,
        keys: &[],
        when: with_live_session,
        run: |app| on_session(app, "stop_process"),
    },
    ScreenCommand {
        id: "restart",
        title: "Restart this session's program",
        section: CommandSection::Tabs,
        keys: &[],
        when: with_session,
        run: |app| on_session(app, "restart_process"),
    },
    ScreenCommand {
        id: "close",
        title: "Close this session",
        section: CommandSection::Tabs,
        keys: &[],
        when: with_session,
        run: |app| on_session(app, "close_process"),
    },
];

fn with_tabs(app: &InterfaceState) -> bool {
    app.sessions.tabs().nth(1).is_some()
}

fn beside(app: &mut InterfaceState, step: isize) {
    if let Some(tab) = app.sessions.tab_beside(step) {
        app.show(app.sessions.shown_in(tab));
    }
}

fn to_tab(app: &mut InterfaceState, index: usize) {
    let tab = app.sessions.tabs().nth(index).map(|item| item.id);
    if let Some(tab) = tab {
        app.show(app.sessions.shown_in(tab));
    }
}

fn in_tree(app: &mut InterfaceState, step: isize) {
    if let Some(id) = app.sessions.session_beside(step) {
        app.show(id);
    }
}

/// Runs an operation on the session in sight.
fn on_session(app: &mut InterfaceState, operation: &'static str) {
    if let Some(id) = app.session_id() {
        closing::order(app, operation, id);
    }
}

/// Gives the rail the keyboard; it folds away again with it where it has no place of its own.
fn focus_rail(app: &mut InterfaceState) {
    if app.focus() == KeyboardFocus::Rail {
        app.focus = KeyboardFocus::Pane;
        return;
    }
    let here = app.session_id();
    app.rail.cursor = frame::tree_rows(app).iter().position(|(id, _)| Some(*id) == here).unwrap_or_default();
    app.focus = KeyboardFocus::Rail;
}
