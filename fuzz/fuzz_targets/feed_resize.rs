//! Feeds a terminal, with resizes and reads in between: chunking and replays must make no difference, and no text may
//! be lost.
//!
//! The input is the stream itself, so recordings can be seeds. After a byte FF, which occurs in no text, the next byte
//! selects an action.
#![no_main]

// Shared with `cargo lab fuzz`, which checks the same rules with other streams.
#[path = "../../lab/src/fuzz/equal.rs"]
mod equal;

use libfuzzer_sys::fuzz_target;
use vt::{Size, Terminal, TerminalOptions};

const MARK: u8 = 0xff;

fuzz_target!(|input: &[u8]| {
    let mut terminals = Terminals { whole: terminal(Size::new(20, 6)), pieces: terminal(Size::new(20, 6)) };
    let mut parts = input.split(|&byte| byte == MARK);
    terminals.feed(parts.next().unwrap_or_default());
    for part in parts {
        let rest = match part {
            [what @ 0..=127, rest @ ..] => {
                terminals.read(*what);
                rest
            }
            [cols @ 128..=255, rows, rest @ ..] => {
                // Most of them are small, where edges are reached sooner.
                terminals.resize(Size::new(u16::from(cols & 63) + 1, u16::from(rows & 31) + 1));
                rest
            }
            _ => part,
        };
        terminals.feed(rest);
    }
    terminals.end();
});

/// The same stream, in its own chunks and byte by byte.
struct Terminals {
    whole: Terminal,
    pieces: Terminal,
}

impl Terminals {
    fn feed(&mut self, bytes: &[u8]) {
        self.whole.feed(bytes);
        bytes.chunks(1).for_each(|byte| self.pieces.feed(byte));
        assert_eq!(self.whole.take_effects(), self.pieces.take_effects(), "other chunks, other effects");
    }

    fn resize(&mut self, size: Size) {
        let before = equal::Text::of(&mut self.whole);
        self.whole.resize(size);
        self.pieces.resize(size);
        assert_eq!(before.lost_in(&mut self.whole), None, "a resize loses text");
    }

    fn read(&mut self, what: u8) {
        match what % 3 {
            0 => drop(self.whole.frame()),
            1 => assert_eq!(equal::contradiction(&mut self.whole), None, "contradicts itself"),
            _ => {
                self.whole.expire_synchronized_update();
                self.pieces.expire_synchronized_update();
                self.replay();
            }
        }
    }

    /// Whether an unfinished update hides nothing.
    fn replay(&mut self) {
        let mut replayed = terminal(self.whole.size());
        replayed.feed(&self.whole.serialize());
        assert_eq!(equal::replay_difference(&mut self.whole, &mut replayed), None, "replayed, another screen");
    }

    fn end(mut self) {
        assert_eq!(equal::contradiction(&mut self.whole), None, "contradicts itself");
        let difference = equal::chunking_difference(&mut self.whole, &mut self.pieces);
        assert_eq!(difference, None, "other chunks, another terminal");
        self.whole.expire_synchronized_update();
        self.replay();
    }
}

fn terminal(size: Size) -> Terminal {
    Terminal::new(TerminalOptions { size, history_lines: 200, ..TerminalOptions::default() })
}
