//! Drops table entries that no cell refers to any more.

use super::TerminalState;
use crate::grid::Grid;

impl TerminalState {
    pub(crate) fn sweep(&mut self) {
        if self.styles.wants_sweep() {
            self.sweep_styles();
        }
        if self.clusters.wants_sweep() {
            self.sweep_clusters();
        }
        if self.links.wants_sweep() {
            self.sweep_links();
        }
    }

    fn grids(&mut self) -> impl Iterator<Item = &mut Grid> {
        // The copy kept for its memory is stale: its ids must not be looked up again.
        self.thawed = None;
        std::iter::once(&mut self.grid)
            .chain(self.other.as_mut())
            .chain(self.frozen.as_mut().map(|frozen| &mut frozen.grid))
    }

    fn sweep_styles(&mut self) {
        let mut used = vec![false; self.styles.len()];
        for grid in self.grids() {
            for cell in grid.rows.iter().flat_map(|row| &row.cells) {
                used[cell.style.0 as usize] = true;
            }
        }
        let renamed = self.styles.sweep(&used);
        for grid in self.grids() {
            for cell in grid.rows.iter_mut().flat_map(|row| &mut row.cells) {
                cell.style = renamed[cell.style.0 as usize];
            }
        }
        self.pen_id = None;
        self.history.forget_style_ids();
    }

    fn sweep_clusters(&mut self) {
        let mut used = vec![false; self.clusters.len()];
        for grid in self.grids() {
            for id in grid.rows.iter().flat_map(|row| &row.cells).filter_map(|cell| cell.cluster()) {
                used[id.0 as usize] = true;
            }
        }
        let renamed = self.clusters.sweep(&used);
        for grid in self.grids() {
            for cell in grid.rows.iter_mut().flat_map(|row| &mut row.cells) {
                if let Some(id) = cell.cluster() {
                    *cell = cell.with_cluster(renamed[id.0 as usize]);
                }
            }
        }
    }

    /// Links are used by styles, and by the pens that DECSC saved.
    fn sweep_links(&mut self) {
        self.sweep_styles();
        let pens = [self.pen.link, self.saved[0].pen.link, self.saved[1].pen.link];
        let used: std::collections::HashSet<_> =
            self.styles.iter().filter_map(|style| style.link).chain(pens.into_iter().flatten()).collect();
        self.links.sweep(|id| used.contains(&id));
    }
}
