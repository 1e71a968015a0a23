//! The mouse on frame and pane.
//!
//! A press decides whose the mouse is until its release: the program's, if it asked for it; else ours, to select, to
//! move the rail's edge, or to click. With Shift it is never the program's.

use std::time::{Duration, Instant};

use crate::layout::{BorderPath, PanePlace};
use engine::{Input, SessionId};
use project::settings::Side;
use tui::{
    ClickCounter, HostEvent, SelectionUnit,
    widgets::{TabBar, TabHit, TreeView},
};
use vt::{
    MouseProtocol, Position,
    input::{Modifiers, MouseButton, MouseEvent, MouseEventKind, WheelDirection},
};

use crate::app::{
    closing, commands,
    frame::{self, RailPlaces, tree_cursor, tree_rows},
    grid, links,
    look_back::{self, WHEEL_ROWS},
    model::{InterfaceState, KeyboardFocus},
    palette, renaming, scratchpads,
    sessions::SessionItem,
    sources::{SessionHandle, SourceConnection},
};

/// Between two rows while a selection is held beyond an end of the pane.
const SCROLL_GAP: Duration = Duration::from_millis(40);

/// Whose the mouse is while a button is held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Grip {
    #[default]
    None,
    Program,
    /// Pressed here, nothing selected yet.
    Pressed(Position),
    Selecting,
    RailEdge,
    PaneBorder(BorderPath),
    Tab(SessionId),
}

/// What is going on with the mouse.
#[derive(Debug, Default)]
pub(crate) struct PointerState {
    grip: Grip,
    clicks: ClickCounter,
    /// Held beyond an end of the pane while one selects: where, and when the text moves on by a row.
    beyond: Option<(MouseEvent, Instant)>,
}

/// When it wants to be woken: the text moves on while a selection is held beyond an end of the pane.
pub(in crate::app) fn deadline(app: &InterfaceState) -> Option<Instant> {
    app.pointer.beyond.map(|(_, at)| at)
}

/// Its deadline has come.
pub(in crate::app) fn tick(app: &mut InterfaceState, now: Instant) {
    if let Some((mouse, _)) = app.pointer.beyond {
        app.pointer.beyond = Some((mouse, now + SCROLL_GAP));
        look_back::mouse(app, &HostEvent::Mouse(mouse));
    }
}

pub(super) fn event(app: &mut InterfaceState, mouse: &MouseEvent) {
    let at = Position { row: mouse.row, col: mouse.col };
    if app.pointer.grip != Grip::None && !matches!(mouse.kind, MouseEventKind::Press(_) | MouseEventKind::Wheel(_)) {
        return held(app, mouse, at);
    }
    let left = mouse.kind == MouseEventKind::Press(MouseButton::Left);
    let places = app.places();
    if let Some(rail) = places.rail.filter(|rail| rail.contains(at)) {
        let inside = RailPlaces::of(rail, app);
        if inside.scratchpads.contains(at) {
            scratchpads::rail_event(&HostEvent::Mouse(*mouse), inside.scratchpads, app);
        } else if left && inside.line.contains(at) {
            app.pointer.grip = Grip::RailEdge;
        } else if left {
            on_tree(app, inside, at);
        }
    } else if places.panes.contains(at) && app.grid.is_some() {
        grid::mouse(app, mouse);
    } else if places.panes.contains(at) {
        on_panes(app, mouse, at);
    } else if places.tabs.contains(at) {
        match mouse.kind {
            MouseEventKind::Press(button) => on_tabs(app, button, at),
            MouseEventKind::Wheel(WheelDirection::Up) => commands::run(app, "previous-tab"),
            MouseEventKind::Wheel(WheelDirection::Down) => commands::run(app, "next-tab"),
            _ => {}
        }
    } else if left && places.status.contains(at) {
        if frame::is_on_waiting(app, places.status, at) {
            return commands::run(app, commands::WAITING);
        }
        match app.pass_through.take() {
            Some(_) => app.dirty = true,
            None => palette::open(app),
        }
    }
}

/// A button is held, or was until now.
fn held(app: &mut InterfaceState, mouse: &MouseEvent, at: Position) {
    let over = matches!(mouse.kind, MouseEventKind::Release(_));
    match app.pointer.grip.clone() {
        Grip::Program => {
            if let Some(place) = focused_place(app) {
                to_program(app, mouse, &place);
            }
        }
        Grip::Tab(tab) => drag_tab(app, tab, at),
        Grip::PaneBorder(border) => {
            let area = app.places().panes;
            app.dirty |= app.sessions.panes_mut().is_some_and(|panes| panes.drag_border(&border, area, at));
        }
        Grip::RailEdge => {
            let cols = match app.rail.side {
                Side::Right => app.area.cols.saturating_sub(at.col),
                Side::Left => at.col + 1,
            };
            app.rail.cols = cols.clamp(commands::RAIL_LIMITS.0, commands::RAIL_LIMITS.1);
            app.dirty = true;
        }
        Grip::Pressed(from) if !over && from != at => {
            look_back::select(app, from, SelectionUnit::Character);
            app.pointer.grip = Grip::Selecting;
            return held(app, mouse, at);
        }
        Grip::Selecting => {
            let pane = app.places().pane;
            let outside = !over && !(pane.row..pane.bottom()).contains(&at.row);
            app.pointer.beyond = outside.then(|| (*mouse, Instant::now() + SCROLL_GAP));
            look_back::mouse(app, &HostEvent::Mouse(*mouse));
        }
        Grip::Pressed(_) | Grip::None => {}
    }
    if over {
        app.pointer.grip = Grip::None;
        app.pointer.beyond = None;
    }
}

fn wants_mouse(session: &SessionHandle) -> bool {
    session.input_modes().mouse != MouseProtocol::Off
}

fn focused_place(app: &InterfaceState) -> Option<PanePlace<SessionId>> {
    frame::pane_places(app).of(app.session()?.id())
}

/// Anywhere among the panes: a click gives the keyboard, the wheel is for what is under it.
fn on_panes(app: &mut InterfaceState, mouse: &MouseEvent, at: Position) {
    let pressed = matches!(mouse.kind, MouseEventKind::Press(_));
    if pressed && app.focus != KeyboardFocus::Pane {
        app.focus = KeyboardFocus::Pane;
        app.dirty = true;
    }
    let left = mouse.kind == MouseEventKind::Press(MouseButton::Left);
    if app.sessions.is_empty() && left {
        return commands::run(app, starter(app));
    }
    let places = frame::pane_places(app);
    let place = places.pane_at(at);
    if let Some(place) = place.filter(|_| pressed)
        && app.session_id() != Some(place.session)
    {
        app.show(place.session);
    }
    if left && let Some(border) = places.border_at(at) {
        app.pointer.grip = Grip::PaneBorder(border.path.clone());
    }
    match place {
        Some(place) if place.body.contains(at) => on_pane(app, mouse, at, &place),
        Some(_) if left && app.pointer.clicks.press(at, Instant::now()) == SelectionUnit::Word => {
            commands::run(app, "zoom");
        }
        _ => {}
    }
}

fn on_pane(app: &mut InterfaceState, mouse: &MouseEvent, at: Position, place: &PanePlace<SessionId>) {
    let Some(session) = app.sessions.get(place.session).map(|item| item.session.clone()) else { return };
    let shift = mouse.modifiers.contains(Modifiers::SHIFT);
    let opens = mouse.kind == MouseEventKind::Press(MouseButton::Left) && mouse.modifiers == Modifiers::CTRL;
    let looks_back = look_back::is_on(app, place.session);
    if opens && !looks_back && links::open_at(app, &session, place.body, at) {
        return;
    }
    let lost = app.sessions.get(place.session).and_then(SessionItem::connection);
    let lost = matches!(lost, Some(SourceConnection::Lost(_)));
    let live = !looks_back && !lost && !session.status().has_ended();
    if live && !shift && wants_mouse(&session) {
        if matches!(mouse.kind, MouseEventKind::Press(_)) {
            app.pointer.grip = Grip::Program;
        }
        return to_program(app, mouse, place);
    }
    match mouse.kind {
        MouseEventKind::Wheel(direction) => on_wheel(app, &session, direction, live),
        MouseEventKind::Press(MouseButton::Left) => match app.pointer.clicks.press(at, Instant::now()) {
            SelectionUnit::Character => app.pointer.grip = Grip::Pressed(at),
            unit => {
                look_back::select(app, at, unit);
                app.pointer.grip = Grip::Selecting;
            }
        },
        _ => {}
    }
}

fn on_wheel(app: &mut InterfaceState, session: &SessionHandle, direction: WheelDirection, live: bool) {
    let rows = match direction {
        WheelDirection::Up => -WHEEL_ROWS,
        WheelDirection::Down => WHEEL_ROWS,
        WheelDirection::Left | WheelDirection::Right => return,
    };
    let alternate = session.frame().alternate_screen;
    if live && alternate {
        // Arrows, unless the program wants none.
        let _ = session.send(Input::Wheel(rows));
    } else {
        look_back::wheel(app, session.id(), rows);
        app.dirty = true;
    }
}

fn to_program(app: &InterfaceState, mouse: &MouseEvent, place: &PanePlace<SessionId>) {
    let pane = place.body;
    let inside = |at: u16, from: u16, room: u16| at.saturating_sub(from).min(room.saturating_sub(1));
    let Some(item) = app.sessions.get(place.session) else { return };
    // Of a screen that is larger than its pane, a part is shown.
    let part = frame::offset_in(&item.session, &item.session.frame(), pane);
    let local = MouseEvent {
        col: inside(mouse.col, pane.col, pane.cols) + part.col,
        row: inside(mouse.row, pane.row, pane.rows) + part.row,
        ..*mouse
    };
    let _ = item.session.send(Input::Mouse(local));
}

/// The place of the tab at a position.
fn tab_at(app: &InterfaceState, at: Position) -> Option<TabHit> {
    let (tabs, active) = frame::tabs(app);
    TabBar { tabs: &tabs, active }.hit(app.places().tabs, at, &app.skin)
}

fn on_tabs(app: &mut InterfaceState, button: MouseButton, at: Position) {
    let tab = match tab_at(app, at) {
        Some(TabHit::Tab(index)) => app.sessions.tabs().nth(index).map(|item| item.id),
        Some(TabHit::New) if button == MouseButton::Left => return commands::run(app, starter(app)),
        _ => None,
    };
    let Some(tab) = tab else { return };
    match button {
        MouseButton::Left => {
            app.show(app.sessions.shown_in(tab));
            app.focus = KeyboardFocus::Pane;
            app.pointer.grip = Grip::Tab(tab);
            if app.pointer.clicks.press(at, Instant::now()) == SelectionUnit::Word {
                renaming::ask_for(app, tab);
            }
        }
        MouseButton::Middle => closing::close_tab(app, tab),
        _ => {}
    }
}

/// What leads to another session.
fn starter(app: &InterfaceState) -> &'static str {
    if app.attach.is_some() { "open-remote" } else { "spawn" }
}

/// A tab follows the mouse, as long as it is under it afterwards: beside a wider one it would jump to and fro.
fn drag_tab(app: &mut InterfaceState, tab: SessionId, at: Position) {
    let at = Position { row: app.places().tabs.row, ..at };
    let place_of = |app: &InterfaceState| app.sessions.tabs().position(|item| item.id == tab);
    let (Some(from), Some(TabHit::Tab(to))) = (place_of(app), tab_at(app, at)) else { return };
    if from == to {
        return;
    }
    app.sessions.move_tab_to(tab, to);
    if tab_at(app, at) != Some(TabHit::Tab(to)) {
        app.sessions.move_tab_to(tab, from);
    }
    app.dirty = true;
}

fn on_tree(app: &mut InterfaceState, places: RailPlaces, at: Position) {
    let (ids, items): (Vec<_>, Vec<_>) = tree_rows(app).into_iter().unzip();
    let shown = app.session_id();
    let focused = ids.iter().position(|id| Some(*id) == shown);
    let cursor = tree_cursor(app, items.len());
    let hit = TreeView { items: &items, focused, cursor }.hit(places.tree, at);
    if let Some(id) = hit.and_then(|index| ids.get(index)).copied() {
        app.show(id);
        app.focus = KeyboardFocus::Pane;
    }
}
