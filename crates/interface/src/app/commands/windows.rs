//! What is in sight: dividing it, going about it, moving its borders.

use crate::layout::{PaneDirection, SplitAxis};
use tui::Sign;

use super::{CommandSection, ScreenCommand, with_session};
use crate::app::{
    grid,
    model::{InterfaceState, KeyboardFocus},
    splitting,
};

/// Columns and rows that one step moves a border.
const COL_STEP: u16 = 4;
const ROW_STEP: u16 = 2;

/// Gives the keyboard to the pane that lies in a direction.
macro_rules! to_pane {
    ($id:literal, $title:literal, $keys:literal, $direction:ident) => {
        ScreenCommand {
            id: $id,
            title: $title,
            section: CommandSection::Windows,
            keys: &[$keys],
            when: with_panes,
            run: |app| to_pane(app, PaneDirection::$direction),
        }
    };
}

/// Moves the nearest border of the pane in a direction.
macro_rules! push_border {
    ($id:literal, $title:literal, $keys:literal, $direction:ident, $cells:expr) => {
        ScreenCommand {
            id: $id,
            title: $title,
            section: CommandSection::Windows,
            keys: &[$keys],
            when: with_panes,
            run: |app| push_border(app, PaneDirection::$direction, $cells),
        }
    };
}

pub(super) const COMMANDS: &[ScreenCommand] = &[
    ScreenCommand {
        id: "split-right",
        title: "Split right: new terminal",
        section: CommandSection::Windows,
        keys: &["alt-shift-r"],
        when: with_session,
        run: |app| splitting::terminal(app, SplitAxis::Columns),
    },
    ScreenCommand {
        id: "split-down",
        title: "Split down: new terminal",
        section: CommandSection::Windows,
        keys: &["alt-shift-d"],
        when: with_session,
        run: |app| splitting::terminal(app, SplitAxis::Rows),
    },
    ScreenCommand {
        id: "split-right-with",
        title: "Split right with a session…",
        section: CommandSection::Windows,
        keys: &[],
        when: splitting::has_others,
        run: |app| splitting::choose(app, SplitAxis::Columns),
    },
    ScreenCommand {
        id: "split-down-with",
        title: "Split down with a session…",
        section: CommandSection::Windows,
        keys: &[],
        when: splitting::has_others,
        run: |app| splitting::choose(app, SplitAxis::Rows),
    },
    ScreenCommand {
        id: "grid",
        title: "Grid: all sessions of this tab",
        section: CommandSection::Windows,
        keys: &["alt-g"],
        when: with_session,
        run: grid::toggle,
    },
    to_pane!("pane-left", "Go to the pane on the left", "alt-shift-h", Left),
    to_pane!("pane-below", "Go to the pane below", "alt-shift-j", Down),
    to_pane!("pane-above", "Go to the pane above", "alt-shift-k", Up),
    to_pane!("pane-right", "Go to the pane on the right", "alt-shift-l", Right),
    push_border!("border-left", "Move the pane's border left", "alt-shift-left", Left, COL_STEP),
    push_border!("border-right", "Move the pane's border right", "alt-shift-right", Right, COL_STEP),
    push_border!("border-up", "Move the pane's border up", "alt-shift-up", Up, ROW_STEP),
    push_border!("border-down", "Move the pane's border down", "alt-shift-down", Down, ROW_STEP),
    ScreenCommand {
        id: "zoom",
        title: "Zoom: this pane alone, or all again",
        section: CommandSection::Windows,
        keys: &["alt-shift-z"],
        when: with_panes,
        run: |app| {
            if let Some(panes) = app.sessions.panes_mut() {
                panes.toggle_zoom();
            }
        },
    },
    ScreenCommand {
        id: "pin",
        title: "Pin this pane: it keeps what it shows, or no longer",
        section: CommandSection::Windows,
        keys: &[],
        when: with_panes,
        run: pin,
    },
    ScreenCommand {
        id: "close-pane",
        title: "Close this pane (its session goes on)",
        section: CommandSection::Windows,
        keys: &["alt-shift-x"],
        when: with_panes,
        run: close_pane,
    },
    ScreenCommand {
        id: "own-tab",
        title: "Give this session a tab of its own",
        section: CommandSection::Windows,
        keys: &[],
        when: |app| app.sessions.focused().is_some_and(|item| app.sessions.is_guest(item.id)),
        run: own_tab,
    },
];

/// Whether the tab in sight has several panes.
fn with_panes(app: &InterfaceState) -> bool {
    app.sessions.panes().is_some_and(|panes| !panes.is_single())
}

fn to_pane(app: &mut InterfaceState, direction: PaneDirection) {
    let area = app.places().panes;
    let next = app.sessions.panes().and_then(|panes| panes.neighbour(direction, area));
    if let Some(id) = next {
        app.show(id);
        app.focus = KeyboardFocus::Pane;
    }
}

fn push_border(app: &mut InterfaceState, direction: PaneDirection, cells: u16) {
    let area = app.places().panes;
    if let Some(panes) = app.sessions.panes_mut() {
        panes.push_border(direction, cells, area);
    }
}

fn pin(app: &mut InterfaceState) {
    let Some(id) = app.session_id() else { return };
    let Some(panes) = app.sessions.panes_mut() else { return };
    panes.toggle_pin(id);
    let text = match panes.is_pinned(id) {
        true => "pinned: other sessions come in sight beside this one",
        false => "no longer pinned",
    };
    app.toast(Sign::Idle, text);
}

fn close_pane(app: &mut InterfaceState) {
    let Some(id) = app.session_id() else { return };
    let Some(panes) = app.sessions.panes_mut() else { return };
    panes.close(id);
    let next = panes.focused();
    app.show(next);
}

fn own_tab(app: &mut InterfaceState) {
    let Some(id) = app.session_id() else { return };
    if app.sessions.part(id) {
        app.show(id);
    }
}
