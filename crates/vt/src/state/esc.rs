//! C0 and C1 controls, and escape sequences without parameters.

use super::TerminalState;
use crate::{charset::Charset, effect::Effect, modes::ModeFlags, style::Attributes};

impl TerminalState {
    /// C0 controls and the C1 controls that stand alone.
    #[inline]
    pub(super) fn execute(&mut self, byte: u8) {
        match byte {
            0x07 => self.bell(),
            0x08 => self.left(1),
            0x09 => self.tab(1),
            0x0a..=0x0c => self.line_feed(),
            0x0d => self.carriage_return(),
            0x0e => self.charsets.left = 1,
            0x0f => self.charsets.left = 0,
            0x84..=0x9a => self.run_escape(b"", byte - 0x40),
            _ => {}
        }
    }

    fn bell(&mut self) {
        // A thousand bells in one read count as one.
        if self.effects.last() != Some(&Effect::Bell) {
            self.effects.push(Effect::Bell);
        }
    }

    pub(super) fn run_escape(&mut self, intermediates: &[u8], last: u8) {
        match (intermediates, last) {
            (b"", b'6') => self.back_index(),
            (b"", b'7') => self.save_caret(),
            (b"", b'8') => self.restore_caret(),
            (b"", b'9') => self.forward_index(),
            (b"", b'=') => self.flags.insert(ModeFlags::APPLICATION_KEYPAD),
            (b"", b'>') => self.flags.remove(ModeFlags::APPLICATION_KEYPAD),
            (b"", b'D') => self.index(),
            (b"", b'E') => self.next_line(),
            (b"", b'H') => self.tabs.set(self.caret.col),
            (b"", b'M') => self.reverse_index(),
            (b"", b'N') => self.charsets.single = Some(2),
            (b"", b'O') => self.charsets.single = Some(3),
            (b"", b'V') => self.protect(Attributes::GUARDED, true),
            (b"", b'W') => self.protect(Attributes::GUARDED, false),
            (b"", b'Z') => self.primary_attributes(),
            (b"", b'c') => self.full_reset(),
            (b"", b'n') => self.charsets.left = 2,
            (b"", b'o') => self.charsets.left = 3,
            (b"#", b'8') => self.alignment_pattern(),
            ([b'(' | b')' | b'*' | b'+' | b'-' | b'.' | b'/', rest @ ..], _) => {
                let slot = match intermediates[0] {
                    b'(' => 0,
                    b')' | b'-' => 1,
                    b'*' | b'.' => 2,
                    _ => 3,
                };
                let mut designator = rest.to_vec();
                designator.push(last);
                self.charsets.sets[slot] = Charset::from_designator(&designator);
            }
            _ => {}
        }
    }
}
