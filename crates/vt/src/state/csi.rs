//! The table of control sequences.

use super::{TerminalState, erase::SparedCells};
use crate::{frame::CursorShape, modes::ModeFlags, params::SequenceParams, style::Attributes};

impl TerminalState {
    pub(super) fn run_csi(&mut self, params: &SequenceParams, intermediates: &[u8], last: u8) {
        match intermediates {
            [] => self.run_plain_csi(params, last),
            b"?" => self.run_private_csi(params, last),
            b">" => match last {
                b'c' => self.secondary_attributes(params),
                b'm' => self.set_key_option(params),
                b'n' if params.get(0) == 4 => self.modify_other_keys = 0,
                b'q' => self.report_version(),
                b'u' => self.push_kitty(params),
                _ => {}
            },
            b"=" => match last {
                b'c' => self.tertiary_attributes(params),
                b'u' => self.set_kitty(params),
                _ => {}
            },
            b"<" if last == b'u' => self.pop_kitty(params),
            b"!" if last == b'p' => self.soft_reset(),
            b" " if last == b'q' => self.set_cursor_style(params.get(0)),
            b"\"" => match last {
                b'p' => self.set_conformance(),
                b'q' => self.set_protection(params.get(0)),
                _ => {}
            },
            b"$" => match last {
                b'p' => self.report_ansi_mode(params.get(0)),
                b'v' => self.copy_rectangle(params),
                b'x' => self.fill_rectangle(params),
                b'z' => self.erase_rectangle(params, SparedCells::Nothing),
                b'{' => self.erase_rectangle(params, SparedCells::Protected),
                _ => {}
            },
            b"?$" if last == b'p' => self.report_private_mode(params.get(0)),
            b"*" if last == b'y' => self.checksum_rectangle(params),
            b"'" => match last {
                b'}' => self.insert_columns(params.get_or(0, 1)),
                b'~' => self.delete_columns(params.get_or(0, 1)),
                _ => {}
            },
            _ => {}
        }
    }

    #[inline]
    fn run_plain_csi(&mut self, params: &SequenceParams, last: u8) {
        let count = params.get_or(0, 1);
        match last {
            b'm' => self.set_graphics(params),
            b'H' | b'f' => self.go_to(count - 1, params.get_or(1, 1) - 1),
            b'K' => self.erase_line(params.get(0), SparedCells::Guarded),
            b'J' => self.erase_display(params.get(0), SparedCells::Guarded),
            b'A' => self.up(count),
            b'B' | b'e' => self.down_by(count, last == b'e'),
            b'C' => self.right(count),
            b'D' => self.left(count),
            b'E' => {
                self.down(count);
                self.carriage_return();
            }
            b'F' => {
                self.up(count);
                self.carriage_return();
            }
            b'G' | b'`' => self.go_to_col(count - 1),
            b'a' => self.right_by(count),
            b'd' => self.go_to_row(count - 1),
            b'I' => self.tab(count),
            b'Z' => self.back_tab(count),
            b'@' => self.insert_characters(count),
            b'P' => self.delete_characters(count),
            b'X' => self.erase_characters(count),
            b'L' => self.insert_lines(count),
            b'M' => self.delete_lines(count),
            b'S' => self.scroll_up(count),
            b'T' if params.len() <= 1 => self.scroll_down(count),
            b'^' => self.scroll_down(count),
            b'b' => self.repeat(count),
            b'c' if params.get(0) == 0 => self.primary_attributes(),
            b'g' => match params.get(0) {
                0 => self.tabs.clear(self.caret.col),
                3 => self.tabs.clear_all(),
                _ => {}
            },
            b'h' => self.set_ansi_modes(params, true),
            b'l' => self.set_ansi_modes(params, false),
            b'n' => self.report_status(params.get(0)),
            b'r' => self.set_vertical_margins(params.get(0), params.get(1)),
            b's' if self.has(ModeFlags::LEFT_RIGHT_MARGINS) => {
                self.set_horizontal_margins(params.get(0), params.get(1))
            }
            b's' if params.len() == 0 => self.save_caret(),
            b't' => self.window_operation(params),
            b'u' => self.restore_caret(),
            b'x' => self.report_terminal_parameters(params.get(0)),
            _ => {}
        }
    }

    fn run_private_csi(&mut self, params: &SequenceParams, last: u8) {
        match last {
            b'h' => self.set_private_modes(params, true),
            b'l' => self.set_private_modes(params, false),
            b'J' => self.erase_display(params.get(0), SparedCells::Protected),
            b'K' => self.erase_line(params.get(0), SparedCells::Protected),
            b'm' if params.get(0) == 4 => self.reply(format!("\x1b[>4;{}m", self.modify_other_keys)),
            b'n' => self.report_private_status(params),
            b'r' => self.restore_modes(params),
            b's' => self.save_modes(params),
            b'u' => self.report_kitty(),
            b'W' if params.get(0) == 5 => self.tabs = crate::tabs::TabStops::new(self.size.cols),
            _ => {}
        }
    }

    /// CUD stops at the margin, VPR at the screen's edge.
    fn down_by(&mut self, count: u16, past_margins: bool) {
        if past_margins {
            let origin = if self.has(ModeFlags::ORIGIN) { self.margins.top } else { 0 };
            self.go_to_row((self.caret.row - origin.min(self.caret.row)).saturating_add(count));
        } else {
            self.down(count);
        }
    }

    /// HPR.
    fn right_by(&mut self, count: u16) {
        let origin = if self.has(ModeFlags::ORIGIN) { self.margins.left } else { 0 };
        self.go_to_col((self.caret.col - origin.min(self.caret.col)).saturating_add(count));
    }

    /// DECSCUSR.
    fn set_cursor_style(&mut self, style: u16) {
        self.cursor_shape = match style {
            0..=2 => CursorShape::Block,
            3 | 4 => CursorShape::Underline,
            5 | 6 => CursorShape::Bar,
            _ => return,
        };
        self.flags.set(ModeFlags::CURSOR_BLINK, style == 0 || style % 2 == 1);
    }

    /// DECSCA.
    fn set_protection(&mut self, what: u16) {
        match what {
            0 | 2 => self.protect(Attributes::PROTECTED, false),
            1 => self.protect(Attributes::PROTECTED, true),
            _ => {}
        }
    }

    /// DECSCL: all levels are supported at once, so only the implied soft reset remains.
    fn set_conformance(&mut self) {
        self.soft_reset();
    }
}
