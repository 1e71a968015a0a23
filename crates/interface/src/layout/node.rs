//! A node of the tree: a pane, or a split with two parts. Sizes come from shares, and no part gets less than it needs.

use std::mem;

use project::{LayoutAxis, PaneLayout, SplitLayout, WHOLE_SHARE as WHOLE};
use tui::Rect;
use vt::Size;

use super::{
    SMALLEST_PANE,
    places::{PaneBorder, PanePlace, PanePlaces},
};

/// What a split divides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SplitAxis {
    /// Its parts are side by side, with a column between them.
    Columns,
    /// Its second part is below the first.
    Rows,
}

impl From<LayoutAxis> for SplitAxis {
    fn from(axis: LayoutAxis) -> Self {
        match axis {
            LayoutAxis::Columns => SplitAxis::Columns,
            LayoutAxis::Rows => SplitAxis::Rows,
        }
    }
}

impl From<SplitAxis> for LayoutAxis {
    fn from(axis: SplitAxis) -> Self {
        match axis {
            SplitAxis::Columns => LayoutAxis::Columns,
            SplitAxis::Rows => LayoutAxis::Rows,
        }
    }
}

/// Which split a border belongs to: from the root, the part to follow at each split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BorderPath(Vec<usize>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PaneNode<S> {
    Pane(S),
    Split(Box<PaneSplit<S>>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PaneSplit<S> {
    axis: SplitAxis,
    /// Of the first part.
    share: u32,
    parts: [PaneNode<S>; 2],
}

impl<S: Copy + Eq> PaneSplit<S> {
    /// The two parts of `area`.
    fn areas(&self, area: Rect) -> [Rect; 2] {
        let first = self.first_extent(area);
        match self.axis {
            SplitAxis::Columns => {
                let (left, rest) = area.split_left(first);
                [left, rest.split_left(1).1]
            }
            SplitAxis::Rows => {
                let (above, below) = area.split_top(first);
                [above, below]
            }
        }
    }

    /// Columns or rows of the first part.
    fn first_extent(&self, area: Rect) -> u16 {
        let room = self.room(area);
        let wanted = (self.share * u32::from(room) + WHOLE / 2) / WHOLE;
        self.within_limits(i64::from(wanted), room)
    }

    /// What the two parts divide between them.
    fn room(&self, area: Rect) -> u16 {
        match self.axis {
            SplitAxis::Columns => area.cols.saturating_sub(1),
            SplitAxis::Rows => area.rows,
        }
    }

    fn within_limits(&self, wanted: i64, room: u16) -> u16 {
        let [least, beside] = self.parts.each_ref().map(|part| extent(part.smallest(), self.axis));
        let most = room.saturating_sub(beside).max(least);
        let wanted = u16::try_from(wanted.max(0)).unwrap_or(u16::MAX);
        wanted.clamp(least, most)
    }
}

fn extent(size: Size, axis: SplitAxis) -> u16 {
    match axis {
        SplitAxis::Columns => size.cols,
        SplitAxis::Rows => size.rows,
    }
}

impl<S: Copy + Eq> PaneNode<S> {
    pub(super) fn from_layout(layout: &PaneLayout<S>) -> Self {
        match layout {
            PaneLayout::Pane(session) => PaneNode::Pane(*session),
            PaneLayout::Split(split) => PaneNode::Split(Box::new(PaneSplit {
                axis: split.axis.into(),
                share: split.share.min(WHOLE),
                parts: split.parts.each_ref().map(PaneNode::from_layout),
            })),
        }
    }

    pub(super) fn layout(&self) -> PaneLayout<S> {
        match self {
            PaneNode::Pane(session) => PaneLayout::Pane(*session),
            PaneNode::Split(split) => PaneLayout::Split(Box::new(SplitLayout {
                axis: split.axis.into(),
                share: split.share,
                parts: split.parts.each_ref().map(PaneNode::layout),
            })),
        }
    }

    pub(super) fn collect(&self, sessions: &mut Vec<S>) {
        match self {
            PaneNode::Pane(session) => sessions.push(*session),
            PaneNode::Split(split) => split.parts.iter().for_each(|part| part.collect(sessions)),
        }
    }

    pub(super) fn contains(&self, session: S) -> bool {
        match self {
            PaneNode::Pane(shown) => *shown == session,
            PaneNode::Split(split) => split.parts.iter().any(|part| part.contains(session)),
        }
    }

    /// The pane at the upper left.
    pub(super) fn first(&self) -> S {
        match self {
            PaneNode::Pane(session) => *session,
            PaneNode::Split(split) => split.parts[0].first(),
        }
    }

    pub(super) fn replace(&mut self, old: S, new: S) {
        match self {
            PaneNode::Pane(session) if *session == old => *session = new,
            PaneNode::Pane(_) => {}
            PaneNode::Split(split) => split.parts.iter_mut().for_each(|part| part.replace(old, new)),
        }
    }

    /// Divides the pane of `at`; `new` becomes the second part.
    pub(super) fn split(&mut self, at: S, axis: SplitAxis, new: S) {
        match self {
            PaneNode::Pane(session) if *session == at => {
                let parts = [PaneNode::Pane(at), PaneNode::Pane(new)];
                *self = PaneNode::Split(Box::new(PaneSplit { axis, share: WHOLE / 2, parts }));
            }
            PaneNode::Pane(_) => {}
            PaneNode::Split(split) => {
                if let Some(part) = split.parts.iter_mut().find(|part| part.contains(at)) {
                    part.split(at, axis, new);
                }
            }
        }
    }

    /// Takes the pane of `session` out of a split; the other part takes the split's place. False where there is none.
    pub(super) fn remove(&mut self, session: S) -> bool {
        let PaneNode::Split(split) = self else { return false };
        let gone = split.parts.iter().position(|part| *part == PaneNode::Pane(session));
        let Some(gone) = gone else { return split.parts.iter_mut().any(|part| part.remove(session)) };
        *self = mem::replace(&mut split.parts[1 - gone], PaneNode::Pane(session));
        true
    }

    /// What it needs to show every pane of it.
    pub(super) fn smallest(&self) -> Size {
        let PaneNode::Split(split) = self else { return SMALLEST_PANE };
        let [one, other] = split.parts.each_ref().map(PaneNode::smallest);
        match split.axis {
            SplitAxis::Columns => {
                Size { cols: one.cols.saturating_add(other.cols).saturating_add(1), rows: one.rows.max(other.rows) }
            }
            SplitAxis::Rows => Size { cols: one.cols.max(other.cols), rows: one.rows.saturating_add(other.rows) },
        }
    }

    /// Where every pane and border is, each pane with a heading.
    pub(super) fn solved(&self, area: Rect) -> PanePlaces<S> {
        let mut places = PanePlaces { panes: Vec::new(), borders: Vec::new() };
        self.place(area, &mut Vec::new(), &mut places);
        places
    }

    fn place(&self, area: Rect, path: &mut Vec<usize>, places: &mut PanePlaces<S>) {
        let split = match self {
            PaneNode::Pane(session) => return places.panes.push(PanePlace::with_heading(*session, area)),
            PaneNode::Split(split) => split,
        };
        let areas = split.areas(area);
        let border = match split.axis {
            SplitAxis::Columns => Rect { col: areas[0].right(), cols: 1, ..area },
            SplitAxis::Rows => areas[1].line(0),
        };
        places.borders.push(PaneBorder { axis: split.axis, area: border, path: BorderPath(path.clone()) });
        for (index, part) in split.parts.iter().enumerate() {
            path.push(index);
            part.place(areas[index], path, places);
            path.pop();
        }
    }

    /// The innermost split along `axis` around the pane of `session`.
    pub(super) fn nearest_split(&self, session: S, axis: SplitAxis) -> Option<BorderPath> {
        let PaneNode::Split(split) = self else { return None };
        let index = split.parts.iter().position(|part| part.contains(session))?;
        match split.parts[index].nearest_split(session, axis) {
            Some(mut below) => {
                below.0.insert(0, index);
                Some(below)
            }
            None => (split.axis == axis).then(BorderPath::default),
        }
    }

    pub(super) fn axis_at(&self, path: &BorderPath) -> Option<SplitAxis> {
        let mut node = self;
        for index in &path.0 {
            let PaneNode::Split(split) = node else { return None };
            node = split.parts.get(*index)?;
        }
        let PaneNode::Split(split) = node else { return None };
        Some(split.axis)
    }

    /// Moves a border to the column or row that `to` makes of where it is. False if it stays there.
    pub(super) fn move_border(&mut self, path: &BorderPath, area: Rect, to: impl Fn(i32) -> i32) -> bool {
        let (mut node, mut area) = (self, area);
        for index in &path.0 {
            let PaneNode::Split(split) = node else { return false };
            let areas = split.areas(area);
            let (Some(part), Some(place)) = (split.parts.get_mut(*index), areas.get(*index)) else { return false };
            (node, area) = (part, *place);
        }
        let PaneNode::Split(split) = node else { return false };
        let origin = match split.axis {
            SplitAxis::Columns => area.col,
            SplitAxis::Rows => area.row,
        };
        let before = split.first_extent(area);
        let wanted = i64::from(to(i32::from(origin) + i32::from(before))) - i64::from(origin);
        let room = split.room(area);
        let after = split.within_limits(wanted, room);
        if after == before || room == 0 {
            return false;
        }
        split.share = (u32::from(after) * WHOLE + u32::from(room) / 2) / u32::from(room);
        true
    }
}
