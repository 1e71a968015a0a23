//! Mode 2026: while the child draws an update, readers see the screen from before it.

use std::sync::Arc;

use super::{FrozenScreen, TerminalState};
use crate::modes::ModeFlags;

impl TerminalState {
    pub(super) fn enter_synchronized(&mut self) {
        self.flags.insert(ModeFlags::SYNCHRONIZED);
        if self.frozen.is_some() {
            return;
        }
        self.updates += 1;
        let mut frozen = self.thawed.take().unwrap_or_else(|| {
            Box::new(FrozenScreen {
                grid: self.grid.clone(),
                caret: self.caret,
                flags: self.flags,
                cursor_shape: self.cursor_shape,
                theme: Arc::clone(&self.theme),
                screen_line: 0,
                open_text: String::new(),
            })
        });
        frozen.grid.copy_from(&self.grid);
        frozen.caret = self.caret;
        frozen.flags = self.flags;
        frozen.cursor_shape = self.cursor_shape;
        frozen.theme = Arc::clone(&self.theme);
        frozen.screen_line = self.history.screen_line();
        frozen.open_text.clear();
        self.push_open_text(&mut frozen.open_text);
        self.frozen = Some(frozen);
    }

    pub(crate) fn leave_synchronized(&mut self) {
        self.flags.remove(ModeFlags::SYNCHRONIZED);
        if let Some(frozen) = self.frozen.take() {
            self.thawed = Some(frozen);
        }
    }
}
