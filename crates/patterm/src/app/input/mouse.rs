//! The mouse on frame and pane.

use engine::{Input, Origin};
use tui::widgets::{TabBar, TabHit, Tree};
use vt::{
    Position,
    input::{MouseButton, MouseEvent, MouseEventKind},
};

use crate::app::{
    frame::{self, RailPlaces, tree_items},
    model::{App, Focus},
    palette, scratchpads,
};

/// What is going on with the mouse.
#[derive(Debug, Default)]
pub(crate) struct Pointer {}

pub(super) fn event(app: &mut App, mouse: &MouseEvent) {
    let at = Position { row: mouse.row, col: mouse.col };
    let places = app.places();
    if places.tabs.contains(at) {
        if mouse.kind == MouseEventKind::Press(MouseButton::Left) {
            on_tabs(app, at);
        }
    } else if let Some(rail) = places.rail.filter(|rail| rail.contains(at)) {
        let inside = RailPlaces::of(rail, app);
        if inside.scratchpads.contains(at) {
            scratchpads::rail_event(&tui::Event::Mouse(*mouse), inside.scratchpads, app);
        } else if mouse.kind == MouseEventKind::Press(MouseButton::Left) {
            on_tree(app, inside, at);
        }
    } else if places.pane.contains(at) {
        if matches!(mouse.kind, MouseEventKind::Press(_)) {
            app.focus = Focus::Pane;
            app.dirty = true;
        }
        if let Some(session) = app.session() {
            let local = MouseEvent { col: mouse.col - places.pane.col, row: mouse.row - places.pane.row, ..*mouse };
            let _ = session.send(Input::Mouse(local), Origin::Human);
        }
    }
}

fn on_tabs(app: &mut App, at: Position) {
    let (tabs, active) = frame::tabs(app);
    match (TabBar { tabs: &tabs, active }).hit(app.places().tabs, at, &app.skin) {
        Some(TabHit::Tab(index)) => {
            let tab = app.sessions.tabs().nth(index).map(|item| item.id);
            if let Some(tab) = tab {
                app.show(app.sessions.shown_in(tab));
                app.focus = Focus::Pane;
            }
        }
        Some(TabHit::New) => palette::open_on_spawning(app),
        None => {}
    }
}

fn on_tree(app: &mut App, places: RailPlaces, at: Position) {
    let items = tree_items(app);
    let focused = app.session().map(engine::Session::id);
    let Some(tab) = app.sessions.tab() else { return };
    let focused = app.sessions.tree(tab).position(|item| Some(item.id) == focused);
    let cursor = (app.focus == Focus::Rail).then_some(app.rail.cursor);
    let hit = Tree { items: &items, focused, cursor }.hit(places.tree, at);
    let id = hit.and_then(|index| app.sessions.tree(tab).nth(index)).map(|item| item.id);
    if let Some(id) = id {
        app.show(id);
        app.focus = Focus::Pane;
    }
}
