//! How a run's tabs are arranged as plain data, which the project writes down for a later run, and back.

use std::{collections::HashMap, hash::Hash};

use project::{RunLayout, TabLayout};

use crate::{layout::PaneTree, tabs::TabOrder};

/// The arrangement of all tabs. `panes` has the trees of those that were in sight once, and `in_sight` is the tab that is
/// now.
pub fn layout_of<S: Copy + Eq + Hash>(
    order: &TabOrder<S>,
    panes: &HashMap<S, PaneTree<S>>,
    in_sight: Option<S>,
) -> RunLayout<S> {
    let layout = |tab: S| {
        let panes = panes.get(&tab).filter(|panes| !panes.is_single() || panes.focused() != tab);
        TabLayout {
            roots: order.roots().iter().filter(|one| one.tab == tab).map(|one| one.root).collect(),
            panes: panes.map(PaneTree::layout),
            in_sight: in_sight == Some(tab),
        }
    };
    RunLayout { tabs: order.tabs().map(layout).collect() }
}

/// Brings roots together and divides tabs as `layout` says, and leaves all others as they are. The tabs stay in their
/// order. Returns the tab that was in sight.
pub fn arrange<S: Copy + Eq + Hash>(
    order: &mut TabOrder<S>,
    panes: &mut HashMap<S, PaneTree<S>>,
    layout: &RunLayout<S>,
) -> Option<S> {
    for tab in &layout.tabs {
        let Some((first, others)) = tab.roots.split_first() else { continue };
        for root in others {
            if order.join(*root, *first) {
                panes.remove(root);
            }
        }
        if let Some(shown) = &tab.panes {
            panes.insert(*first, PaneTree::from_layout(shown));
        }
    }
    layout.tabs.iter().find(|tab| tab.in_sight)?.roots.first().copied()
}

#[cfg(test)]
mod tests {
    use tui::Rect;

    use super::*;
    use crate::layout::{PaneDirection, SplitAxis};

    const AREA: Rect = Rect::new(0, 1, 100, 30);

    /// `c` was moved to the front; `b` and `d` were brought to `a`, and the panes of `a` also show its child `x`.
    fn arranged() -> (TabOrder<char>, HashMap<char, PaneTree<char>>) {
        let mut order = order("abcd");
        order.join('b', 'a');
        order.join('d', 'a');
        order.move_to('c', 0);
        let mut tree = PaneTree::new('a');
        tree.split(SplitAxis::Columns, 'b', AREA).unwrap();
        tree.split(SplitAxis::Rows, 'x', AREA).unwrap();
        tree.split(SplitAxis::Columns, 'd', AREA).unwrap();
        assert!(tree.push_border(PaneDirection::Left, 4, AREA) && tree.push_border(PaneDirection::Up, 6, AREA));
        tree.toggle_pin('b');
        tree.toggle_zoom();
        (order, HashMap::from([('a', tree), ('c', PaneTree::new('c'))]))
    }

    fn order(roots: &str) -> TabOrder<char> {
        let mut order = TabOrder::default();
        order.follow(&roots.chars().collect::<Vec<_>>());
        order
    }

    /// The tabs, with their roots.
    fn tabs(order: &TabOrder<char>) -> String {
        let of = |tab: char| order.roots().iter().filter(|one| one.tab == tab).map(|one| one.root).collect::<String>();
        order.tabs().map(of).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_later_run_is_arranged_as_the_one_before() {
        let (order_before, panes_before) = arranged();
        let layout = layout_of(&order_before, &panes_before, Some('a'));
        assert_eq!(layout.tabs[0].panes, None, "what shows its root alone needs no words");
        // The tabs are opened in the order of the layout, by other ids.
        let later = layout.mapped(|session| Some(session.to_ascii_uppercase()));
        let (mut order, mut panes) = (order("CABD"), HashMap::new());
        assert_eq!(arrange(&mut order, &mut panes, &later), Some('A'));
        assert_eq!(tabs(&order), "C ABD");
        assert_eq!(layout_of(&order, &panes, Some('A')), later);
        let (mut before, mut after) = (panes_before[&'a'].clone(), panes[&'A'].clone());
        let bodies = |tree: &PaneTree<char>| tree.solve(AREA).panes.iter().map(|place| place.body).collect::<Vec<_>>();
        assert_eq!(bodies(&before), bodies(&after), "zoomed");
        before.toggle_zoom();
        after.toggle_zoom();
        assert_eq!(bodies(&before), bodies(&after));
        assert_eq!((after.focused(), after.is_pinned('B'), after.is_pinned('A')), ('D', true, false));
    }

    #[test]
    fn panes_of_what_is_not_there_collapse() {
        let (order_before, panes_before) = arranged();
        let layout = layout_of(&order_before, &panes_before, Some('a'));
        // A child is not opened again, and `a` could not be.
        let left = layout.mapped(|session| "bcd".contains(session).then_some(session));
        let (mut order, mut panes) = (order("cbd"), HashMap::new());
        assert_eq!(arrange(&mut order, &mut panes, &left), Some('b'), "the tab goes on with what is left");
        assert_eq!(tabs(&order), "c bd");
        let tree = &panes[&'b'];
        assert_eq!((tree.sessions(), tree.focused(), tree.is_zoomed()), (vec!['b', 'd'], 'd', true));
    }

    #[test]
    fn tabs_that_are_there_stay_as_they_are() {
        let (order_before, panes_before) = arranged();
        let layout = layout_of(&order_before, &panes_before, None);
        let mut order = order("yzcabd");
        order.join('z', 'y');
        let own = PaneTree::new('z');
        let mut panes = HashMap::from([('y', own.clone())]);
        assert_eq!(arrange(&mut order, &mut panes, &layout), None);
        assert_eq!((tabs(&order).as_str(), &panes[&'y']), ("yz c abd", &own));
        let before = (order.clone(), panes.clone());
        arrange(&mut order, &mut panes, &RunLayout::default());
        assert_eq!((order, panes), before, "without a layout nothing changes");
    }
}
