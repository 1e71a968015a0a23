//! The order of the tabs, and what was brought into a tab from another one.
//!
//! A tab begins as one root and what hangs on it. A person moves tabs, and brings a root into another tab, beside what
//! is there. Nothing else about a root changes: who may type into it, and what ends it, is not the interface's.

/// Which root belongs to which tab. A tab is known by its first root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabOrder<S> {
    /// All roots, in the order of the tabs and of each tab's own.
    roots: Vec<TabRoot<S>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TabRoot<S> {
    pub root: S,
    pub tab: S,
}

impl<S> Default for TabOrder<S> {
    fn default() -> Self {
        TabOrder { roots: Vec::new() }
    }
}

impl<S: Copy + Eq> TabOrder<S> {
    pub fn roots(&self) -> &[TabRoot<S>] {
        &self.roots
    }

    pub fn tabs(&self) -> impl Iterator<Item = S> {
        self.roots.iter().filter(|one| one.root == one.tab).map(|one| one.root)
    }

    pub fn tab_of(&self, root: S) -> Option<S> {
        self.roots.iter().find(|one| one.root == root).map(|one| one.tab)
    }

    /// Takes over which roots there are: new ones become tabs at the end. Where a tab's first root is gone, the next
    /// one gives the tab its name: told as the old and the new one.
    pub fn follow(&mut self, roots: &[S]) -> Vec<(S, S)> {
        let gone: Vec<S> = self.tabs().filter(|tab| !roots.contains(tab)).collect();
        self.roots.retain(|one| roots.contains(&one.root));
        let mut renamed = Vec::new();
        for tab in gone {
            let Some(heir) = self.roots.iter().find(|one| one.tab == tab).map(|one| one.root) else { continue };
            self.roots.iter_mut().filter(|one| one.tab == tab).for_each(|one| one.tab = heir);
            renamed.push((tab, heir));
        }
        for root in roots.iter().copied() {
            if self.tab_of(root).is_none() {
                self.roots.push(TabRoot { root, tab: root });
            }
        }
        renamed
    }

    /// Brings `root`, with all that was brought to it, into `tab`; false if there is no such thing to do.
    pub fn join(&mut self, root: S, tab: S) -> bool {
        if self.tab_of(root).is_none_or(|from| from == tab) || !self.tabs().any(|known| known == tab) {
            return false;
        }
        let (mut moved, kept): (Vec<_>, Vec<_>) =
            self.roots.drain(..).partition(|one| one.root == root || one.tab == root);
        moved.iter_mut().for_each(|one| one.tab = tab);
        self.roots = kept;
        let behind = self.roots.iter().rposition(|one| one.tab == tab).map_or(self.roots.len(), |at| at + 1);
        self.roots.splice(behind..behind, moved);
        true
    }

    /// Gives `root` a tab of its own, behind the one it was in; false if it has one.
    pub fn part(&mut self, root: S) -> bool {
        let Some(at) = self.roots.iter().position(|one| one.root == root && one.tab != root) else { return false };
        let from = self.roots.remove(at).tab;
        let behind = self.roots.iter().rposition(|one| one.tab == from).map_or(self.roots.len(), |at| at + 1);
        self.roots.insert(behind, TabRoot { root, tab: root });
        true
    }

    /// Moves a tab to a place, counted from 0; false if it is there already.
    pub fn move_to(&mut self, tab: S, place: usize) -> bool {
        let mut tabs: Vec<S> = self.tabs().collect();
        let Some(from) = tabs.iter().position(|known| *known == tab) else { return false };
        let place = place.min(tabs.len() - 1);
        tabs.remove(from);
        tabs.insert(place, tab);
        let old = std::mem::take(&mut self.roots);
        let of = |tab: &S| old.iter().copied().filter(|one| one.tab == *tab).collect::<Vec<_>>();
        self.roots = tabs.iter().flat_map(of).collect();
        from != place
    }

    /// Moves a tab by some places, as far as there are any.
    pub fn move_by(&mut self, tab: S, step: isize) -> bool {
        let from = self.tabs().position(|known| known == tab);
        from.is_some_and(|from| self.move_to(tab, from.saturating_add_signed(step)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(roots: &str) -> TabOrder<char> {
        let mut order = TabOrder::default();
        order.follow(&roots.chars().collect::<Vec<_>>());
        order
    }

    /// `ab c`: the tabs, each with its roots.
    fn shown(order: &TabOrder<char>) -> String {
        let of = |tab: char| order.roots().iter().filter(|one| one.tab == tab).map(|one| one.root).collect::<String>();
        order.tabs().map(of).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tabs_come_in_the_order_they_were_started() {
        let mut order = order("abc");
        assert_eq!(shown(&order), "a b c");
        assert_eq!(order.follow(&['a', 'c', 'd']), []);
        assert_eq!(shown(&order), "a c d");
    }

    #[test]
    fn a_tab_moves_and_the_others_make_way() {
        let mut order = order("abcd");
        assert!(order.move_by('c', -1));
        assert_eq!(shown(&order), "a c b d");
        assert!(order.move_to('a', 2));
        assert_eq!(shown(&order), "c b a d");
        assert!(!order.move_by('c', -1) && !order.move_by('d', 5) && !order.move_to('x', 0), "no further than the end");
        assert!(order.move_by('c', 99));
        assert_eq!(shown(&order), "b a d c");
        order.follow(&['a', 'b', 'c', 'd', 'e']);
        assert_eq!(shown(&order), "b a d c e", "what was moved stays there");
    }

    #[test]
    fn a_root_is_brought_into_a_tab_and_given_its_own_again() {
        let mut order = order("abcd");
        assert!(order.join('d', 'b'));
        assert_eq!((shown(&order).as_str(), order.tab_of('d')), ("a bd c", Some('b')));
        assert!(order.join('b', 'a'), "with what was brought to it");
        assert_eq!(shown(&order), "abd c");
        assert!(!order.join('b', 'a') && !order.join('c', 'b') && !order.join('x', 'a') && !order.join('a', 'a'));
        assert!(order.move_by('a', 1));
        assert_eq!(shown(&order), "c abd", "a tab moves as a whole");
        assert!(order.part('b') && !order.part('b') && !order.part('a'));
        assert_eq!(shown(&order), "c ad b");
    }

    #[test]
    fn a_tab_goes_on_with_what_was_brought_into_it() {
        let mut order = order("abcd");
        order.join('b', 'a');
        order.join('c', 'a');
        assert_eq!(order.follow(&['b', 'c', 'd']), [('a', 'b')]);
        assert_eq!(shown(&order), "bc d");
        assert_eq!(order.follow(&['b', 'd']), []);
        assert_eq!(order.follow(&['d']), []);
        assert_eq!(shown(&order), "d");
    }
}
