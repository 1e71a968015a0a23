//! XTWINOPS: sizes, and the title stack. A child can neither move nor query our windows.

use super::TerminalState;
use crate::{effect::Effect, params::SequenceParams};

/// A cell's nominal size for children that ask in pixels: there is no font to measure.
const CELL_WIDTH: u32 = 10;
const CELL_HEIGHT: u32 = 20;
/// xterm keeps ten titles.
const TITLE_STACK: usize = 10;

impl TerminalState {
    pub(super) fn window_operation(&mut self, params: &SequenceParams) {
        let (cols, rows) = (u32::from(self.size.cols), u32::from(self.size.rows));
        match params.get(0) {
            8 => {
                let request = Effect::ResizeRequest { cols: params.get(2), rows: params.get(1) };
                self.effects.push(request);
            }
            14 => self.reply(format!("\x1b[4;{};{}t", rows * CELL_HEIGHT, cols * CELL_WIDTH)),
            16 => self.reply(format!("\x1b[6;{CELL_HEIGHT};{CELL_WIDTH}t")),
            18 => self.reply(format!("\x1b[8;{rows};{cols}t")),
            19 => self.reply(format!("\x1b[9;{rows};{cols}t")),
            22 => self.push_title(),
            23 => self.pop_title(params.get(1)),
            // DECSLPP: 24 lines and more.
            lines @ 24.. => self.effects.push(Effect::ResizeRequest { cols: 0, rows: lines }),
            // Reporting titles (20, 21) would let one program inject input through another's title.
            _ => {}
        }
    }

    fn push_title(&mut self) {
        if self.title_stack.len() == TITLE_STACK {
            self.title_stack.remove(0);
        }
        self.title_stack.push((self.icon_name.clone(), self.title.clone()));
    }

    fn pop_title(&mut self, which: u16) {
        let Some((icon, title)) = self.title_stack.pop() else { return };
        if which != 2 {
            self.set_icon_name(icon);
        }
        if which != 1 {
            self.set_title(title);
        }
    }

    pub(super) fn set_title(&mut self, title: String) {
        if self.title != title {
            self.title.clone_from(&title);
            self.effects.push(Effect::Title(title));
        }
    }

    pub(super) fn set_icon_name(&mut self, name: String) {
        if self.icon_name != name {
            self.icon_name.clone_from(&name);
            self.effects.push(Effect::IconName(name));
        }
    }

    /// Mode 2048's report.
    pub(crate) fn report_size_in_band(&mut self) {
        let (cols, rows) = (u32::from(self.size.cols), u32::from(self.size.rows));
        self.reply(format!("\x1b[48;{rows};{cols};{};{}t", rows * CELL_HEIGHT, cols * CELL_WIDTH));
    }
}
