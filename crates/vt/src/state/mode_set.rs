//! Setting, resetting, saving and querying modes.

use super::{ScrollMargins, TerminalState};
use crate::{
    effect::Effect,
    grid::Grid,
    modes::{ModeFlags, MouseEncoding, MouseProtocol},
    params::SequenceParams,
};

impl TerminalState {
    pub(super) fn set_ansi_modes(&mut self, params: &SequenceParams, on: bool) {
        for index in 0..params.len() {
            if let Some(flag) = ModeFlags::ansi(params.get(index)) {
                self.flags.set(flag, on);
            }
        }
    }

    pub(super) fn set_private_modes(&mut self, params: &SequenceParams, on: bool) {
        for index in 0..params.len() {
            self.set_private_mode(params.get(index), on);
        }
    }

    fn set_private_mode(&mut self, mode: u16, on: bool) {
        match mode {
            3 => return self.set_columns(on),
            6 => {
                self.flags.set(ModeFlags::ORIGIN, on);
                return self.go_to(0, 0);
            }
            69 => {
                self.margins.left = 0;
                self.margins.right = self.size.cols - 1;
            }
            47 => return self.switch_screen(on),
            1047 => {
                if !on && self.on_alternate() {
                    self.clear_grid();
                }
                return self.switch_screen(on);
            }
            1048 => return if on { self.save_caret() } else { self.restore_caret() },
            1049 => return self.switch_screen_and_caret(on),
            2026 => return if on { self.enter_synchronized() } else { self.leave_synchronized() },
            _ => {}
        }
        if let Some(protocol) = MouseProtocol::from_mode(mode) {
            self.mouse = if on { protocol } else { MouseProtocol::Off };
        } else if let Some(encoding) = MouseEncoding::from_mode(mode) {
            if on {
                self.mouse_encoding = encoding;
            } else if self.mouse_encoding == encoding {
                self.mouse_encoding = MouseEncoding::Legacy;
            }
        } else if let Some(flag) = ModeFlags::private(mode) {
            self.flags.set(flag, on);
            if mode == 2048 && on {
                self.report_size_in_band();
            }
        }
    }

    fn clear_grid(&mut self) {
        let fill = self.eraser();
        for row in &mut self.grid.rows {
            row.clear(fill);
        }
    }

    fn switch_screen(&mut self, alternate: bool) {
        if alternate == self.on_alternate() {
            return;
        }
        let other = self.other.take().unwrap_or_else(|| Grid::new(self.size));
        self.other = Some(std::mem::replace(&mut self.grid, other));
        self.flags.set(ModeFlags::ALTERNATE_SCREEN, alternate);
        self.alternate_screens += u64::from(alternate);
        for row in &mut self.grid.rows {
            row.dirty = true;
        }
    }

    /// Mode 1049: as 1047 and 1048 together, with a clean alternate screen.
    fn switch_screen_and_caret(&mut self, alternate: bool) {
        if alternate {
            self.save_caret();
            self.switch_screen(true);
            self.clear_grid();
        } else {
            self.switch_screen(false);
            self.restore_caret();
        }
    }

    /// DECCOLM: the caller decides on the size; the rest happens in any case.
    fn set_columns(&mut self, wide: bool) {
        if !self.has(ModeFlags::ALLOW_COLUMNS) {
            return;
        }
        self.flags.set(ModeFlags::COLUMNS_132, wide);
        self.flags.remove(ModeFlags::LEFT_RIGHT_MARGINS);
        self.margins = ScrollMargins::full(self.size);
        if !self.has(ModeFlags::KEEP_ON_COLUMNS) {
            if !self.on_alternate() {
                self.keep_cleared();
            }
            self.clear_grid();
            if !self.on_alternate() {
                self.history.close_line();
            }
        }
        self.go_to(0, 0);
        self.effects.push(Effect::ResizeRequest { cols: if wide { 132 } else { 80 }, rows: 0 });
    }

    /// 1 set, 2 reset, 3 permanently set, 4 permanently reset, 0 unknown.
    fn private_mode_state(&self, mode: u16) -> u8 {
        let state = |on: bool| if on { 1 } else { 2 };
        match mode {
            47 | 1047 | 1049 => state(self.on_alternate()),
            1048 => state(true),
            _ => {
                if let Some(protocol) = MouseProtocol::from_mode(mode) {
                    state(self.mouse == protocol)
                } else if let Some(encoding) = MouseEncoding::from_mode(mode) {
                    state(self.mouse_encoding == encoding)
                } else {
                    ModeFlags::private(mode).map_or(0, |flag| state(self.has(flag)))
                }
            }
        }
    }

    /// DECRQM for DEC modes.
    pub(super) fn report_private_mode(&mut self, mode: u16) {
        let state = self.private_mode_state(mode);
        self.reply(format!("\x1b[?{mode};{state}$y"));
    }

    /// DECRQM for ANSI modes.
    pub(super) fn report_ansi_mode(&mut self, mode: u16) {
        let state = match mode {
            // Modes of printing terminals, which are never set on a screen.
            1 | 3 | 5 | 7 | 10 | 11 | 13..=19 => 4,
            _ => ModeFlags::ansi(mode).map_or(0, |flag| if self.has(flag) { 1 } else { 2 }),
        };
        self.reply(format!("\x1b[{mode};{state}$y"));
    }

    /// XTSAVE.
    pub(super) fn save_modes(&mut self, params: &SequenceParams) {
        for index in 0..params.len() {
            let mode = params.get(index);
            let state = self.private_mode_state(mode);
            if state == 1 || state == 2 {
                self.saved_modes.retain(|&(saved, _)| saved != mode);
                self.saved_modes.push((mode, state == 1));
            }
        }
    }

    /// XTRESTORE.
    pub(super) fn restore_modes(&mut self, params: &SequenceParams) {
        for index in 0..params.len() {
            let mode = params.get(index);
            if let Some(&(_, on)) = self.saved_modes.iter().find(|&&(saved, _)| saved == mode) {
                self.set_private_mode(mode, on);
            }
        }
    }
}
