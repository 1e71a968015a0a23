//! Which tab is in sight, which panes it has, and which of them has the keyboard.

use std::collections::HashMap;

use crate::{
    layout::{NoRoom, PaneTree, SplitAxis},
    run_layout,
};
use engine::SessionId;
use project::RunLayout;
use tui::Rect;
use vt::Size;

use super::{SessionItem, SessionItems};

impl SessionItems {
    /// The session that has the keyboard.
    pub(crate) fn focused(&self) -> Option<&SessionItem> {
        self.get(self.panes()?.focused())
    }

    fn focused_id(&self) -> Option<SessionId> {
        self.focused().map(|item| item.id)
    }

    pub(crate) fn previous(&self) -> Option<SessionId> {
        self.previous.filter(|id| self.get(*id).is_some())
    }

    /// The first root of the tab in sight.
    pub(crate) fn tab(&self) -> Option<SessionId> {
        self.tab
    }

    /// The panes of the tab in sight.
    pub(crate) fn panes(&self) -> Option<&PaneTree<SessionId>> {
        self.panes.get(&self.tab?)
    }

    pub(crate) fn panes_mut(&mut self) -> Option<&mut PaneTree<SessionId>> {
        self.panes.get_mut(&self.tab?)
    }

    /// Whether a session can be seen now.
    pub(crate) fn is_in_sight(&self, id: SessionId) -> bool {
        self.in_sight.contains(&id)
    }

    /// Brings a session in sight and gives it the keyboard; false if the id does not exist.
    pub(crate) fn focus(&mut self, id: SessionId) -> bool {
        let before = self.focused_id();
        let Some(item) = self.get_mut(id) else { return false };
        item.seen();
        let tab = item.tab;
        self.panes.entry(tab).or_insert_with(|| PaneTree::new(id)).show(id);
        self.tab = Some(tab);
        if before != Some(id) {
            self.previous = before;
        }
        true
    }

    /// Divides the pane that has the keyboard; the new one shows `id`, which comes into this tab if it is a root of
    /// another.
    pub(crate) fn split(&mut self, axis: SplitAxis, id: SessionId, area: Rect) -> Result<(), NoRoom> {
        let (Some(tab), Some(panes)) = (self.tab, self.panes()) else { return Err(NoRoom) };
        if !panes.contains(id) && !panes.has_room(axis, area) {
            return Err(NoRoom);
        }
        let before = self.focused_id();
        if self.order.join(id, tab) {
            self.panes.remove(&id);
            self.items.iter_mut().filter(|item| item.tab == id).for_each(|item| item.tab = tab);
        }
        if let Some(item) = self.get_mut(id) {
            item.seen();
        }
        self.panes.get_mut(&tab).ok_or(NoRoom)?.split(axis, id, area)?;
        self.previous = before.filter(|before| *before != id);
        Ok(())
    }

    /// Whether a session was brought into a tab that is not its own.
    pub(crate) fn is_guest(&self, id: SessionId) -> bool {
        self.get(id).is_some_and(|item| item.depth == 0 && item.tab != id)
    }

    /// Gives a session that was brought into a tab one of its own; what it shows leaves the panes at the next refresh.
    pub(crate) fn part(&mut self, id: SessionId) -> bool {
        let parted = self.order.part(id);
        if parted {
            let tree: Vec<SessionId> = [id].into_iter().chain(self.below(id).map(|item| item.id)).collect();
            self.items.iter_mut().filter(|item| tree.contains(&item.id)).for_each(|item| item.tab = id);
            let (items, panes) = (&self.items, &mut self.panes);
            panes.retain(|tab, panes| keep_own(panes, *tab, items));
        }
        parted
    }

    /// Moves the tab in sight by some places, as far as there are any.
    pub(crate) fn move_tab(&mut self, step: isize) {
        if let Some(tab) = self.tab {
            self.order.move_by(tab, step);
            self.sort_by_tabs();
        }
    }

    /// Moves a tab to a place, counted from 0.
    pub(crate) fn move_tab_to(&mut self, tab: SessionId, place: usize) {
        self.order.move_to(tab, place);
        self.sort_by_tabs();
    }

    fn sort_by_tabs(&mut self) {
        let places: HashMap<SessionId, usize> = self.order.tabs().zip(0..).collect();
        self.items.sort_by_key(|item| places.get(&item.tab).copied());
    }

    /// How the tabs are arranged, for a later run.
    pub(crate) fn layout(&self) -> RunLayout<SessionId> {
        run_layout::layout_of(&self.order, &self.panes, self.tab)
    }

    /// Arranges tabs as they were in another run; the next refresh takes over what this means for the sessions. Returns
    /// the session that was in sight then.
    pub(crate) fn arrange(&mut self, layout: &RunLayout<SessionId>) -> Option<SessionId> {
        // One may have been closed already.
        let layout = layout.mapped(|id| self.get(id).map(|item| item.id));
        let tab = run_layout::arrange(&mut self.order, &mut self.panes, &layout);
        self.tab = self.tab.and_then(|tab| self.order.tab_of(tab));
        tab.map(|tab| self.shown_in(tab))
    }

    /// The session that a tab showed last, or its root.
    pub(crate) fn shown_in(&self, tab: SessionId) -> SessionId {
        self.panes.get(&tab).map_or(tab, PaneTree::focused)
    }

    /// The size that a session has, or will have once it is in sight.
    pub(crate) fn size_of(&self, id: SessionId, area: Rect) -> Size {
        let panes = self.get(id).and_then(|item| self.panes.get(&item.tab));
        panes.map_or(area, |panes| panes.place_of(id, area)).size()
    }

    /// Takes over what can be seen now: true if that is something else. What was printed by then is no news.
    pub(crate) fn look_at(&mut self, seen: Vec<SessionId>) -> bool {
        if self.in_sight == seen {
            return false;
        }
        let before = std::mem::replace(&mut self.in_sight, seen);
        for item in &mut self.items {
            if self.in_sight.contains(&item.id) {
                (item.unseen, item.watched) = (false, None);
            } else if before.contains(&item.id) {
                item.seen_offset = item.session.pulse().borrow().output_offset;
            }
        }
        true
    }

    pub(crate) fn in_sight(&self) -> &[SessionId] {
        &self.in_sight
    }

    /// Sessions out of sight.
    pub(in crate::app) fn hidden(&mut self) -> impl Iterator<Item = &mut SessionItem> {
        let in_sight = &self.in_sight;
        self.items.iter_mut().filter(move |item| !in_sight.contains(&item.id))
    }

    /// Sessions without the keyboard.
    pub(in crate::app) fn unfocused(&mut self) -> impl Iterator<Item = &mut SessionItem> {
        let focused = self.focused_id();
        self.items.iter_mut().filter(move |item| Some(item.id) != focused)
    }

    /// The roots that there are now, and what that means for the tabs.
    pub(super) fn follow_tabs(&mut self, roots: &[SessionId]) {
        for (old, new) in self.order.follow(roots) {
            if let Some(panes) = self.panes.remove(&old) {
                self.panes.insert(new, panes);
            }
            if self.tab == Some(old) {
                self.tab = Some(new);
            }
        }
    }

    /// Panes go with their sessions, and something is in sight as long as there is anything. `before` had the
    /// keyboard, with its parent; true if another session has it now.
    pub(super) fn keep_in_sight(&mut self, before: Option<(SessionId, Option<SessionId>)>) -> bool {
        let (items, panes) = (&self.items, &mut self.panes);
        panes.retain(|tab, panes| keep_own(panes, *tab, items));
        if let Some(id) = self.focused_id() {
            return Some(id) != before.map(|(id, _)| id);
        }
        let candidates =
            [before.and_then(|(_, parent)| parent), self.tab, self.previous, self.items.last().map(|item| item.tab)];
        self.tab = None;
        let next = candidates.into_iter().flatten().find(|id| self.get(*id).is_some());
        if let Some(next) = next {
            self.focus(next);
        }
        before.is_some() || next.is_some()
    }

    /// The next or previous tab, wrapping around.
    pub(crate) fn tab_beside(&self, step: isize) -> Option<SessionId> {
        let tabs: Vec<SessionId> = self.tabs().map(|item| item.id).collect();
        let here = tabs.iter().position(|tab| Some(*tab) == self.tab())?;
        beside(&tabs, here, step)
    }

    /// The next or previous session of the tab in sight, wrapping around.
    pub(crate) fn session_beside(&self, step: isize) -> Option<SessionId> {
        let tree: Vec<SessionId> = self.tree(self.tab()?).map(|item| item.id).collect();
        let here = tree.iter().position(|id| Some(*id) == self.focused_id())?;
        beside(&tree, here, step)
    }
}

fn beside(all: &[SessionId], here: usize, step: isize) -> Option<SessionId> {
    let count = isize::try_from(all.len()).ok()?;
    let next = (isize::try_from(here).ok()? + step).rem_euclid(count);
    all.get(usize::try_from(next).ok()?).copied()
}

/// Closes the panes of sessions that are gone or in another tab; false if none is left.
fn keep_own(panes: &mut PaneTree<SessionId>, tab: SessionId, items: &[SessionItem]) -> bool {
    panes.keep(|id| items.iter().any(|item| item.id == id && item.tab == tab))
}
