//! How the tabs of a run were arranged: which sessions share a tab, and the splits of its panes.
//!
//! A session in it is any id that can be copied: the interface tells and gets the ids of sessions, a record holds places
//! in its list of tabs. [`RunLayout::mapped`] leads from one to the other, and leaves out what the other does not know.
//! This is data: what a pane looks like, and how much room it needs, is the interface's.

use serde::{Deserialize, Serialize};

/// Shares are counted in these: fine enough for every column of the largest terminal.
pub const WHOLE_SHARE: u32 = 10_000;
/// Maximum splits inside each other that a record has. JSON that is nested deeper than 128 can't be read, and each split
/// takes two levels; panes that need this many have no room on a screen.
pub(super) const MAX_DEPTH: usize = 32;

/// How the tabs of a run were arranged, in the order of the tabs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunLayout<S> {
    pub tabs: Vec<TabLayout<S>>,
}

/// One tab: the sessions that were brought together in it, and its panes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabLayout<S> {
    /// The first gives the tab its name.
    pub roots: Vec<S>,
    /// None where the tab shows its first root alone. Read apart, with a limit on its depth.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub panes: Option<PanesLayout<S>>,
    /// Whether the person had this tab before them.
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_sight: bool,
}

/// The panes of a tab. No two show the same session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PanesLayout<S> {
    pub tree: PaneLayout<S>,
    /// Has the keyboard.
    pub focused: S,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<S>,
    /// The pane with the keyboard hides the others.
    #[serde(skip_serializing_if = "is_false")]
    pub zoomed: bool,
}

/// A pane, or a split with two parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum PaneLayout<S> {
    Pane(S),
    Split(Box<SplitLayout<S>>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SplitLayout<S> {
    pub axis: LayoutAxis,
    /// Of the first part, of [`WHOLE_SHARE`].
    pub share: u32,
    pub parts: [PaneLayout<S>; 2],
}

/// How the parts of a split lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LayoutAxis {
    /// Side by side.
    Columns,
    /// The second below the first.
    Rows,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl<S> Default for RunLayout<S> {
    fn default() -> Self {
        RunLayout { tabs: Vec::new() }
    }
}

impl<S: Copy + PartialEq> RunLayout<S> {
    /// The same arrangement of what `to` knows. What it does not know is left out, and its neighbours get the room.
    pub fn mapped<T: Copy + PartialEq>(&self, to: impl Fn(S) -> Option<T>) -> RunLayout<T> {
        RunLayout { tabs: self.tabs.iter().filter_map(|tab| tab.mapped(&to)).collect() }
    }

    /// Where a session is among the roots of all tabs.
    pub(super) fn place_of(&self, session: S) -> Option<usize> {
        self.tabs.iter().flat_map(|tab| &tab.roots).position(|root| *root == session)
    }

    /// Takes the panes away that a record can't hold; true if there were any.
    pub(super) fn limit(&mut self) -> bool {
        let mut limited = false;
        for tab in &mut self.tabs {
            if tab.panes.take_if(|panes| panes.tree.depth() > MAX_DEPTH).is_some() {
                limited = true;
            }
        }
        limited
    }
}

impl<S: Copy + PartialEq> TabLayout<S> {
    fn mapped<T: Copy + PartialEq>(&self, to: impl Fn(S) -> Option<T>) -> Option<TabLayout<T>> {
        let roots: Vec<T> = self.roots.iter().filter_map(|root| to(*root)).collect();
        let panes = self.panes.as_ref().and_then(|panes| panes.mapped(&to));
        (!roots.is_empty()).then_some(TabLayout { roots, panes, in_sight: self.in_sight })
    }
}

impl<S: Copy + PartialEq> PanesLayout<S> {
    fn mapped<T: Copy + PartialEq>(&self, to: impl Fn(S) -> Option<T>) -> Option<PanesLayout<T>> {
        let tree = self.tree.mapped(&mut |session| to(session))?;
        let shown = |session: S| to(session).filter(|shown| tree.contains(*shown));
        let focused = shown(self.focused);
        // Nobody zoomed the pane that has the keyboard instead, and alone it hides nothing.
        let zoomed = self.zoomed && focused.is_some() && matches!(tree, PaneLayout::Split(_));
        let pinned = self.pinned.iter().filter_map(|session| shown(*session)).collect();
        Some(PanesLayout { focused: focused.unwrap_or_else(|| tree.first()), pinned, zoomed, tree })
    }
}

impl<S: Copy + PartialEq> PaneLayout<S> {
    /// `to` is asked once for each pane, in their order.
    pub(super) fn mapped<T: Copy>(&self, to: &mut impl FnMut(S) -> Option<T>) -> Option<PaneLayout<T>> {
        let split = match self {
            PaneLayout::Pane(session) => return to(*session).map(PaneLayout::Pane),
            PaneLayout::Split(split) => split,
        };
        let [first, second] = split.parts.each_ref().map(|part| part.mapped(to));
        match (first, second) {
            (Some(first), Some(second)) => {
                let share = split.share.min(WHOLE_SHARE);
                Some(PaneLayout::Split(Box::new(SplitLayout { axis: split.axis, share, parts: [first, second] })))
            }
            (alone, None) | (None, alone) => alone,
        }
    }

    fn contains(&self, session: S) -> bool {
        match self {
            PaneLayout::Pane(shown) => *shown == session,
            PaneLayout::Split(split) => split.parts.iter().any(|part| part.contains(session)),
        }
    }

    /// The pane at the upper left.
    fn first(&self) -> S {
        match self {
            PaneLayout::Pane(session) => *session,
            PaneLayout::Split(split) => split.parts[0].first(),
        }
    }

    fn depth(&self) -> usize {
        match self {
            PaneLayout::Pane(_) => 0,
            PaneLayout::Split(split) => 1 + split.parts.iter().map(PaneLayout::depth).max().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split<S>(axis: LayoutAxis, share: u32, first: PaneLayout<S>, second: PaneLayout<S>) -> PaneLayout<S> {
        PaneLayout::Split(Box::new(SplitLayout { axis, share, parts: [first, second] }))
    }

    /// `a` beside `b` over `c`, which is zoomed; `d` in a tab of its own, in sight.
    fn layout() -> RunLayout<char> {
        let below = split(LayoutAxis::Rows, 2_500, PaneLayout::Pane('b'), PaneLayout::Pane('c'));
        let tree = split(LayoutAxis::Columns, 7_000, PaneLayout::Pane('a'), below);
        let panes = PanesLayout { tree, focused: 'c', pinned: vec!['a', 'c'], zoomed: true };
        RunLayout {
            tabs: vec![
                TabLayout { roots: vec!['a', 'b', 'c'], panes: Some(panes), in_sight: false },
                TabLayout { roots: vec!['d'], panes: None, in_sight: true },
            ],
        }
    }

    fn without(gone: &str) -> RunLayout<char> {
        layout().mapped(|session| (!gone.contains(session)).then_some(session))
    }

    #[test]
    fn nothing_changes_for_those_who_know_everything() {
        assert_eq!(without(""), layout());
        let there = layout().mapped(|session| Some(u32::from(session)));
        assert_eq!(there.mapped(char::from_u32), layout());
    }

    #[test]
    fn what_is_gone_gives_its_room_to_its_neighbour() {
        let left = without("b");
        let panes = left.tabs[0].panes.as_ref().unwrap();
        assert_eq!(left.tabs[0].roots, ['a', 'c']);
        assert_eq!(
            panes.tree,
            split(LayoutAxis::Columns, 7_000, PaneLayout::Pane('a'), PaneLayout::Pane('c')),
            "the border around it stays where it was"
        );
        assert_eq!((panes.focused, panes.zoomed, &panes.pinned), ('c', true, &vec!['a', 'c']));
    }

    #[test]
    fn the_keyboard_goes_to_what_is_left_and_nothing_stays_zoomed() {
        let left = without("c");
        let panes = left.tabs[0].panes.as_ref().unwrap();
        assert_eq!((panes.focused, panes.zoomed, &panes.pinned), ('a', false, &vec!['a']));
        let alone = without("ab");
        let panes = alone.tabs[0].panes.as_ref().unwrap();
        assert_eq!((&panes.tree, panes.zoomed), (&PaneLayout::Pane('c'), false), "alone it hides nothing");
    }

    #[test]
    fn a_tab_goes_with_the_last_of_it() {
        assert_eq!(without("abc").tabs, layout().tabs[1..]);
        assert_eq!(without("abcd"), RunLayout::default());
        let mut children = layout();
        children.tabs[0].roots.retain(|root| *root == 'a');
        children.tabs[0].panes.as_mut().unwrap().tree = PaneLayout::Pane('x');
        let left = children.mapped(|session| (session != 'x').then_some(session));
        assert_eq!((&left.tabs[0].roots, &left.tabs[0].panes), (&vec!['a'], &None), "it shows its root");
    }

    #[test]
    fn a_share_is_never_more_than_everything() {
        let mut layout = layout();
        let Some(PanesLayout { tree: PaneLayout::Split(split), .. }) = &mut layout.tabs[0].panes else { panic!() };
        split.share = u32::MAX;
        let layout = layout.mapped(Some);
        let Some(PanesLayout { tree: PaneLayout::Split(split), .. }) = &layout.tabs[0].panes else { panic!() };
        assert_eq!(split.share, WHOLE_SHARE);
    }
}
