//! The kitty keyboard protocol's stack of flags, one per screen.

use super::TerminalState;
use crate::{modes::KittyFlags, params::SequenceParams};

/// A deeper push drops the oldest entry, as the protocol requires.
const DEPTH: usize = 16;

#[derive(Clone, Debug, Default)]
pub(crate) struct KittyStack {
    current: KittyFlags,
    below: Vec<KittyFlags>,
}

impl KittyStack {
    pub(crate) fn flags(&self) -> KittyFlags {
        self.current
    }

    /// Every entry, oldest first, the current one last.
    pub(crate) fn entries(&self) -> impl Iterator<Item = KittyFlags> + '_ {
        self.below.iter().copied().chain([self.current])
    }

    fn push(&mut self, flags: KittyFlags) {
        if self.below.len() == DEPTH {
            self.below.remove(0);
        }
        self.below.push(self.current);
        self.current = flags;
    }

    fn pop(&mut self, count: u16) {
        for _ in 0..usize::from(count).min(DEPTH + 1) {
            self.current = self.below.pop().unwrap_or_default();
        }
    }
}

fn flags(params: &SequenceParams) -> KittyFlags {
    KittyFlags::from_bits_truncate(params.get(0) as u8)
}

impl TerminalState {
    pub(super) fn push_kitty(&mut self, params: &SequenceParams) {
        let screen = self.screen();
        self.kitty[screen].push(flags(params));
    }

    pub(super) fn pop_kitty(&mut self, params: &SequenceParams) {
        let screen = self.screen();
        self.kitty[screen].pop(params.get_or(0, 1));
    }

    pub(super) fn set_kitty(&mut self, params: &SequenceParams) {
        let screen = self.screen();
        let stack = &mut self.kitty[screen];
        match params.get_or(1, 1) {
            1 => stack.current = flags(params),
            2 => stack.current |= flags(params),
            3 => stack.current &= !flags(params),
            _ => {}
        }
    }

    pub(super) fn report_kitty(&mut self) {
        let flags = self.kitty[self.screen()].flags().bits();
        self.reply(format!("\x1b[?{flags}u"));
    }

    /// XTMODKEYS: only modifyOtherKeys (resource 4) is supported.
    pub(super) fn set_key_option(&mut self, params: &SequenceParams) {
        if params.len() == 0 || params.get(0) == 4 {
            self.modify_other_keys = params.get(1).min(2) as u8;
        }
    }
}
