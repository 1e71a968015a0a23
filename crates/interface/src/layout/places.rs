//! Where the panes of a tree are in an area, and what lies between them.

use tui::Rect;
use vt::Position;

use super::node::{BorderPath, SplitAxis};

/// One pane in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PanePlace<S> {
    pub session: S,
    /// Its first row, which names it; none where it is the tab's only pane.
    pub heading: Option<Rect>,
    /// What its program's screen gets.
    pub body: Rect,
}

impl<S> PanePlace<S> {
    pub(super) fn with_heading(session: S, area: Rect) -> Self {
        let (heading, body) = area.split_top(1);
        PanePlace { session, heading: Some(heading), body }
    }

    /// Heading and body.
    pub fn area(&self) -> Rect {
        let heading = self.heading.map_or(0, |heading| heading.rows);
        Rect { row: self.body.row - heading, rows: self.body.rows + heading, ..self.body }
    }
}

/// What parts two panes, and can be held by the mouse: a column of its own between neighbours, or the headings below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaneBorder {
    pub axis: SplitAxis,
    pub area: Rect,
    pub path: BorderPath,
}

/// A tree, solved for an area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanePlaces<S> {
    pub panes: Vec<PanePlace<S>>,
    pub borders: Vec<PaneBorder>,
}

impl<S: Copy + Eq> PanePlaces<S> {
    pub(super) fn alone(place: PanePlace<S>) -> Self {
        PanePlaces { panes: vec![place], borders: Vec::new() }
    }

    pub fn of(&self, session: S) -> Option<PanePlace<S>> {
        self.panes.iter().copied().find(|place| place.session == session)
    }

    /// The pane at a position, its heading included.
    pub fn pane_at(&self, at: Position) -> Option<PanePlace<S>> {
        self.panes.iter().copied().find(|place| place.area().contains(at))
    }

    /// The border at a position. Where two meet, the column goes first.
    pub fn border_at(&self, at: Position) -> Option<&PaneBorder> {
        let held = |axis| self.borders.iter().find(move |border| border.axis == axis && border.area.contains(at));
        held(SplitAxis::Columns).or_else(|| held(SplitAxis::Rows))
    }
}
