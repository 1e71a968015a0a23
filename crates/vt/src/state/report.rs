//! Answers to the child's queries. All are constant, or derived from the theme and the screen.

use super::TerminalState;
use crate::{modes::ModeFlags, params::SequenceParams};

/// What XTVERSION says.
const VERSION: &str = concat!("patterm(", env!("CARGO_PKG_VERSION"), ")");
/// A VT420 with 132 columns, selective erase, horizontal scrolling, colour, rectangles, clipboard.
const PRIMARY: &str = "\x1b[?64;1;6;21;22;28;52c";
/// Type VT420; programs read the number as an xterm patch level when they choose features.
const SECONDARY: &str = "\x1b[>41;380;0c";

impl TerminalState {
    pub(super) fn primary_attributes(&mut self) {
        self.reply(PRIMARY);
    }

    pub(super) fn secondary_attributes(&mut self, params: &SequenceParams) {
        if params.get(0) == 0 {
            self.reply(SECONDARY);
        }
    }

    pub(super) fn tertiary_attributes(&mut self, params: &SequenceParams) {
        if params.get(0) == 0 {
            self.reply("\x1bP!|00000000\x1b\\");
        }
    }

    pub(super) fn report_version(&mut self) {
        self.reply(format!("\x1bP>|{VERSION}\x1b\\"));
    }

    /// DSR.
    pub(super) fn report_status(&mut self, what: u16) {
        match what {
            5 => self.reply("\x1b[0n"),
            6 => {
                let (row, col) = self.reported_position();
                self.reply(format!("\x1b[{row};{col}R"));
            }
            _ => {}
        }
    }

    fn reported_position(&self) -> (u16, u16) {
        let (top, left) = if self.has(ModeFlags::ORIGIN) { (self.margins.top, self.margins.left) } else { (0, 0) };
        (self.caret.row.saturating_sub(top) + 1, self.caret.col.saturating_sub(left) + 1)
    }

    /// DSR, DEC's own.
    pub(super) fn report_private_status(&mut self, params: &SequenceParams) {
        match params.get(0) {
            6 => {
                let (row, col) = self.reported_position();
                self.reply(format!("\x1b[?{row};{col};1R"));
            }
            // No printer, no user keys, a keyboard, no locator, no macros, no data integrity trouble, one session.
            15 => self.reply("\x1b[?13n"),
            25 => self.reply("\x1b[?21n"),
            26 => self.reply("\x1b[?27;1;0;0n"),
            53 | 55 => self.reply("\x1b[?50n"),
            56 => self.reply("\x1b[?57;0n"),
            62 => self.reply("\x1b[0*{"),
            63 => self.reply(format!("\x1bP{}!~0000\x1b\\", params.get(1))),
            75 => self.reply("\x1b[?70n"),
            85 => self.reply("\x1b[?83n"),
            996 => self.report_color_scheme(),
            _ => {}
        }
    }

    pub(super) fn report_color_scheme(&mut self) {
        let scheme = if self.theme.is_light() { 2 } else { 1 };
        self.reply(format!("\x1b[?997;{scheme}n"));
    }

    /// DECREQTPARM.
    pub(super) fn report_terminal_parameters(&mut self, what: u16) {
        if what <= 1 {
            self.reply(format!("\x1b[{};1;1;128;128;1;0x", what + 2));
        }
    }
}
