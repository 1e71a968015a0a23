//! Dividing a pane: for a terminal that is started for it, or for a session that is there.

use crate::layout::{SMALLEST_PANE, SplitAxis};
use engine::SessionId;
use tui::Sign;

use super::{
    model::InterfaceState,
    palette::{Palette, PaletteEntry},
    start,
};

/// Starts a shell in a new pane. It is a root of its own, brought into the tab: no agent of the tab may type into it,
/// and it ends with none.
pub(super) fn terminal(app: &mut InterfaceState, axis: SplitAxis) {
    let Some(tab) = app.sessions.tab() else { return };
    if !has_room(app, axis) {
        return no_room(app);
    }
    start::new_terminal(app, move |app, id| {
        // The person may have gone elsewhere meanwhile: it is a tab then.
        match app.sessions.tab() == Some(tab) {
            true => show(app, axis, id),
            false => app.show(id),
        }
    });
}

/// Lists what can be shown in a new pane: sessions of this tab that are out of sight, and other tabs.
pub(super) fn choose(app: &mut InterfaceState, axis: SplitAxis) {
    let entries = others(app).map(|item| {
        let (id, tab) = (item.id, if item.depth == 0 { "comes from its tab into this one" } else { "" });
        let mut entry =
            PaletteEntry::new(format!("show/{id}"), item.name.clone(), move |app| show(app, axis, id)).detail(tab);
        entry.list.sign = Some(item.sign());
        entry
    });
    let title = match axis {
        SplitAxis::Columns => "to the right",
        SplitAxis::Rows => "below",
    };
    let palette = Palette::new(title, entries.collect());
    app.open(palette);
}

pub(super) fn has_others(app: &InterfaceState) -> bool {
    others(app).next().is_some()
}

fn others(app: &InterfaceState) -> impl Iterator<Item = &super::sessions::SessionItem> {
    let (tab, panes) = (app.sessions.tab(), app.sessions.panes());
    let shown = move |id: SessionId| panes.is_none_or(|panes| panes.contains(id));
    app.sessions.items().iter().filter(move |item| match Some(item.tab) == tab {
        true => !shown(item.id),
        false => item.tab == item.id,
    })
}

fn has_room(app: &InterfaceState, axis: SplitAxis) -> bool {
    app.sessions.panes().is_some_and(|panes| panes.has_room(axis, app.places().panes))
}

fn no_room(app: &mut InterfaceState) {
    let (cols, rows) = (SMALLEST_PANE.cols, SMALLEST_PANE.rows);
    app.toast(Sign::Failed, format!("no room for another pane: each needs {cols} columns and {rows} rows"));
}

fn show(app: &mut InterfaceState, axis: SplitAxis, id: SessionId) {
    match app.sessions.split(axis, id, app.places().panes) {
        // For all that goes with a session that comes in sight.
        Ok(()) => app.show(id),
        Err(_) => no_room(app),
    }
}
