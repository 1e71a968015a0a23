//! Tabs and sessions: starting, switching, closing.

use super::{Command, Section, always, program, with_live_session, with_session};
use crate::app::{
    closing,
    model::{App, Focus},
    palette, start,
};

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "new-terminal",
        title: "New terminal",
        section: Section::Start,
        keys: &[],
        when: always,
        run: start::terminal,
    },
    Command {
        id: "spawn",
        title: "Spawn an agent or process…",
        section: Section::Start,
        keys: &[],
        when: always,
        run: palette::open_on_spawning,
    },
    Command {
        id: "next-tab",
        title: "Next tab",
        section: Section::Tabs,
        keys: &[],
        when: with_session,
        run: |app| beside(app, 1),
    },
    Command {
        id: "previous-tab",
        title: "Previous tab",
        section: Section::Tabs,
        keys: &[],
        when: with_session,
        run: |app| beside(app, -1),
    },
    Command {
        id: "next-pane",
        title: "Next session of this tab",
        section: Section::Tabs,
        keys: &[],
        when: with_session,
        run: |app| in_tree(app, 1),
    },
    Command {
        id: "previous-pane",
        title: "Previous session of this tab",
        section: Section::Tabs,
        keys: &[],
        when: with_session,
        run: |app| in_tree(app, -1),
    },
    Command {
        id: "last-pane",
        title: "Back to the session before",
        section: Section::Tabs,
        keys: &[],
        when: |app| app.sessions.previous().is_some(),
        run: |app| {
            if let Some(id) = app.sessions.previous() {
                app.show(id);
            }
        },
    },
    Command {
        id: "rail-focus",
        title: "Go to the rail: sessions and scratchpads",
        section: Section::Tabs,
        keys: &[],
        when: with_session,
        run: focus_rail,
    },
    Command {
        id: "stop",
        title: "Stop this session's program",
        section: Section::Tabs,
        keys: &[],
        when: with_live_session,
        run: |app| on_session(app, "stop_process"),
    },
    Command {
        id: "restart",
        title: "Restart this session's program",
        section: Section::Tabs,
        keys: &[],
        when: with_session,
        run: |app| on_session(app, "restart_process"),
    },
    Command {
        id: "close",
        title: "Close this session",
        section: Section::Tabs,
        keys: &[],
        when: with_session,
        run: |app| on_session(app, "close_process"),
    },
];

fn beside(app: &mut App, step: isize) {
    if let Some(tab) = app.sessions.tab_beside(step) {
        app.show(app.sessions.shown_in(tab));
    }
}

fn in_tree(app: &mut App, step: isize) {
    if let Some(id) = app.sessions.pane_beside(step) {
        app.show(id);
    }
}

/// An operation on the session in sight.
fn on_session(app: &mut App, operation: &'static str) {
    if let Some(id) = app.session().map(engine::Session::id) {
        closing::order(app, operation, id);
    }
}

fn focus_rail(app: &mut App) {
    app.rail.visible = true;
    if !program::rail_is_there(app) {
        return;
    }
    let here = app.sessions.focused().map(|item| (item.tab, item.id));
    app.rail.cursor =
        here.and_then(|(tab, id)| app.sessions.tree(tab).position(|item| item.id == id)).unwrap_or_default();
    app.focus = Focus::Rail;
}
