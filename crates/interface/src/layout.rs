//! The panes of a tab: a tree of splits, and the one that has the keyboard.
//!
//! A pane is known by what it shows, and no two panes of a tree show the same. A tree is never empty. It keeps shares
//! and no sizes, so that it can be solved for any area: [`PaneTree::solve`] tells where everything is. What an area
//! has no room for is out of sight, and comes back with the room.

mod node;
mod places;

use std::mem;

use project::PanesLayout;
use tui::Rect;
use vt::{Position, Size};

use node::PaneNode;
pub use node::{BorderPath, SplitAxis};
pub use places::{PaneBorder, PanePlace, PanePlaces};

/// What a pane needs, its heading included: some words of a line, and two lines of them.
pub const SMALLEST_PANE: Size = Size { cols: 10, rows: 3 };

/// Where a neighbour lies, and which way a border goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PaneDirection {
    Left,
    Down,
    Up,
    Right,
}

impl PaneDirection {
    fn axis(self) -> SplitAxis {
        match self {
            PaneDirection::Left | PaneDirection::Right => SplitAxis::Columns,
            PaneDirection::Up | PaneDirection::Down => SplitAxis::Rows,
        }
    }

    fn forward(self) -> bool {
        matches!(self, PaneDirection::Right | PaneDirection::Down)
    }
}

/// A split that the area has no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom;

/// The panes of one tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaneTree<S> {
    root: PaneNode<S>,
    focused: S,
    /// Those that had the keyboard before, the last one first.
    visited: Vec<S>,
    /// Those that keep what they show.
    pinned: Vec<S>,
    zoomed: bool,
}

impl<S: Copy + Eq> PaneTree<S> {
    pub fn new(session: S) -> Self {
        PaneTree {
            root: PaneNode::Pane(session),
            focused: session,
            visited: Vec::new(),
            pinned: Vec::new(),
            zoomed: false,
        }
    }

    /// The panes of another run.
    pub fn from_layout(layout: &PanesLayout<S>) -> Self {
        PaneTree {
            root: PaneNode::from_layout(&layout.tree),
            pinned: layout.pinned.clone(),
            zoomed: layout.zoomed,
            ..PaneTree::new(layout.focused)
        }
    }

    /// What a later run needs to know of it.
    pub fn layout(&self) -> PanesLayout<S> {
        PanesLayout {
            tree: self.root.layout(),
            focused: self.focused,
            pinned: self.pinned.clone(),
            zoomed: self.zoomed,
        }
    }

    pub fn focused(&self) -> S {
        self.focused
    }

    /// What the panes show: from left to right, from top to bottom.
    pub fn sessions(&self) -> Vec<S> {
        let mut sessions = Vec::new();
        self.root.collect(&mut sessions);
        sessions
    }

    pub fn contains(&self, session: S) -> bool {
        self.root.contains(session)
    }

    /// Whether there is one pane only.
    pub fn is_single(&self) -> bool {
        matches!(self.root, PaneNode::Pane(_))
    }

    /// Whether the pane with the keyboard hides the others.
    pub fn is_zoomed(&self) -> bool {
        self.zoomed
    }

    pub fn is_pinned(&self, session: S) -> bool {
        self.pinned.contains(&session)
    }

    /// Gives a pane the keyboard; false if none shows `session`.
    pub fn focus(&mut self, session: S) -> bool {
        if !self.contains(session) {
            return false;
        }
        if session != self.focused {
            let before = mem::replace(&mut self.focused, session);
            self.visited.retain(|visited| *visited != session && *visited != before);
            self.visited.insert(0, before);
        }
        true
    }

    /// Brings `session` in sight and gives it the keyboard. If no pane shows it, it takes the place of what has the
    /// keyboard; where that is pinned, of what had the keyboard before. Where all are pinned, a pin gives way.
    pub fn show(&mut self, session: S) {
        if self.focus(session) {
            return;
        }
        let candidates = [self.focused].into_iter().chain(self.visited.iter().copied()).chain(self.sessions());
        let free = candidates.into_iter().find(|candidate| !self.pinned.contains(candidate));
        let replaced = free.unwrap_or(self.focused);
        self.root.replace(replaced, session);
        if self.focused == replaced {
            self.focused = session;
        }
        self.forget(replaced);
        self.focus(session);
    }

    /// Divides the pane that has the keyboard in two. The new one, to the right of or below the old one, shows
    /// `session` and gets the keyboard; a session that is in sight already only gets the keyboard.
    pub fn split(&mut self, axis: SplitAxis, session: S, area: Rect) -> Result<(), NoRoom> {
        if self.focus(session) {
            return Ok(());
        }
        let mut root = self.root.clone();
        root.split(self.focused, axis, session);
        if !fits(root.smallest(), area) {
            return Err(NoRoom);
        }
        self.root = root;
        self.zoomed = false;
        self.focus(session);
        Ok(())
    }

    /// Whether a split along `axis` would find room.
    pub fn has_room(&self, axis: SplitAxis, area: Rect) -> bool {
        let mut root = self.root.clone();
        root.split(self.focused, axis, self.focused);
        fits(root.smallest(), area)
    }

    /// Takes a pane away; its neighbours get the room. False if it is the only one or there is none.
    pub fn close(&mut self, session: S) -> bool {
        if !self.root.remove(session) {
            return false;
        }
        if self.focused == session {
            self.zoomed = false;
            let next = self.visited.iter().copied().find(|visited| self.contains(*visited));
            self.focused = next.unwrap_or_else(|| self.root.first());
        }
        self.forget(session);
        let focused = self.focused;
        self.visited.retain(|visited| *visited != focused);
        self.zoomed &= !self.is_single();
        true
    }

    /// Closes the panes of what is gone. False if nothing is left to show; the tree is as it was then.
    pub fn keep(&mut self, alive: impl Fn(S) -> bool) -> bool {
        let sessions = self.sessions();
        if !sessions.iter().any(|session| alive(*session)) {
            return false;
        }
        for gone in sessions.into_iter().filter(|session| !alive(*session)) {
            self.close(gone);
        }
        true
    }

    /// The pane with the keyboard has all the room, or gives it back.
    pub fn toggle_zoom(&mut self) {
        self.zoomed = !self.zoomed && !self.is_single();
    }

    /// A pinned pane keeps what it shows while others come in sight beside it.
    pub fn toggle_pin(&mut self, session: S) {
        match self.pinned.iter().position(|pinned| *pinned == session) {
            Some(at) => drop(self.pinned.remove(at)),
            None if self.contains(session) => self.pinned.push(session),
            None => {}
        }
    }

    /// What lies next to the pane with the keyboard: of several neighbours, the one that had the keyboard last.
    pub fn neighbour(&self, direction: PaneDirection, area: Rect) -> Option<S> {
        let places = self.root.solved(self.roomy(area));
        let here = places.panes.iter().find(|place| place.session == self.focused)?.area();
        let rank = |session| self.visited.iter().position(|visited| *visited == session).unwrap_or(usize::MAX);
        let distance = |place: &PanePlace<S>| {
            let there = place.area();
            let (beside, gap) = match direction {
                PaneDirection::Left => (overlap_rows(here, there), here.col.checked_sub(there.right())),
                PaneDirection::Right => (overlap_rows(here, there), there.col.checked_sub(here.right())),
                PaneDirection::Up => (overlap_cols(here, there), here.row.checked_sub(there.bottom())),
                PaneDirection::Down => (overlap_cols(here, there), there.row.checked_sub(here.bottom())),
            };
            gap.filter(|_| beside)
        };
        let beside =
            places.panes.iter().filter_map(|place| Some((distance(place)?, rank(place.session), place.session)));
        beside.min_by_key(|(gap, rank, _)| (*gap, *rank)).map(|(_, _, session)| session)
    }

    /// Moves the nearest border of the pane with the keyboard by `cells`; false if none can move that way.
    pub fn push_border(&mut self, direction: PaneDirection, cells: u16, area: Rect) -> bool {
        let Some(path) = self.root.nearest_split(self.focused, direction.axis()) else { return false };
        let step = if direction.forward() { i32::from(cells) } else { -i32::from(cells) };
        !self.zoomed && fits(self.root.smallest(), area) && self.root.move_border(&path, area, |place| place + step)
    }

    /// Moves a border to where the mouse holds it.
    pub fn drag_border(&mut self, border: &BorderPath, area: Rect, to: Position) -> bool {
        let Some(axis) = self.root.axis_at(border) else { return false };
        let to = match axis {
            SplitAxis::Columns => i32::from(to.col),
            SplitAxis::Rows => i32::from(to.row),
        };
        fits(self.root.smallest(), area) && self.root.move_border(border, area, |_| to)
    }

    /// Where everything is in `area`. Zoomed, or where there is no room for all, only what has the keyboard is.
    pub fn solve(&self, area: Rect) -> PanePlaces<S> {
        if self.is_single() {
            return PanePlaces::alone(PanePlace { session: self.focused, heading: None, body: area });
        }
        if self.zoomed || !fits(self.root.smallest(), area) {
            let place = match area.rows >= SMALLEST_PANE.rows {
                true => PanePlace::with_heading(self.focused, area),
                false => PanePlace { session: self.focused, heading: None, body: area },
            };
            return PanePlaces::alone(place);
        }
        self.root.solved(area)
    }

    /// Where `session` is, or would be once it is shown.
    pub fn place_of(&self, session: S, area: Rect) -> Rect {
        let there = |places: PanePlaces<S>, wanted| {
            places.panes.into_iter().find(|place| place.session == wanted).map(|place| place.body)
        };
        let all = || fits(self.root.smallest(), area).then(|| self.root.solved(area));
        there(self.solve(area), session)
            .or_else(|| there(all()?, session).filter(|_| !self.is_single()))
            .or_else(|| there(self.solve(area), self.focused))
            .unwrap_or(area)
    }

    /// An area that has room for all panes: neighbours are neighbours also where they can't be seen.
    fn roomy(&self, area: Rect) -> Rect {
        let smallest = self.root.smallest();
        Rect { cols: area.cols.max(smallest.cols), rows: area.rows.max(smallest.rows), ..area }
    }

    fn forget(&mut self, session: S) {
        self.visited.retain(|visited| *visited != session);
        self.pinned.retain(|pinned| *pinned != session);
    }
}

fn fits(smallest: Size, area: Rect) -> bool {
    smallest.cols <= area.cols && smallest.rows <= area.rows
}

fn overlap_rows(one: Rect, other: Rect) -> bool {
    one.row < other.bottom() && other.row < one.bottom()
}

fn overlap_cols(one: Rect, other: Rect) -> bool {
    one.col < other.right() && other.col < one.right()
}

#[cfg(test)]
mod tests;
