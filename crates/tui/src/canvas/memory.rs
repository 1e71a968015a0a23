//! Remembers what panes drew last, so that unchanged rows are not drawn again.

use std::{collections::HashMap, ops::Range, sync::Arc};

use vt::{Line, Theme};

use crate::{geometry::Rect, pane::PaneMark};

/// Slots kept; more panes don't fit on a screen.
const SLOTS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct CanvasMemory(HashMap<u64, PaneMemory>);

impl CanvasMemory {
    pub(super) fn slot(&mut self, slot: u64) -> &mut PaneMemory {
        if self.0.len() >= SLOTS && !self.0.contains_key(&slot) {
            self.0.clear();
        }
        self.0.entry(slot).or_default()
    }
}

/// A pane's view as a whole, and each of its rows.
#[derive(Debug, Default)]
pub(crate) struct PaneMemory {
    pub(crate) area: Rect,
    /// The first visible column.
    pub(crate) left: u16,
    pub(crate) dim: bool,
    pub(crate) reverse_video: bool,
    pub(crate) themes: Option<(Arc<Theme>, Arc<Theme>)>,
    pub(crate) rows: Vec<Option<RowMemory>>,
}

#[derive(Debug)]
pub(crate) struct RowMemory {
    pub(crate) line: Option<Arc<Line>>,
    pub(crate) cols: Range<u32>,
    pub(crate) marks: Vec<PaneMark>,
    /// The canvas row's stamp after it was drawn.
    pub(crate) stamp: u64,
}
