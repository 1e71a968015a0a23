//! Keyframes: screens stored along a recording, from which a jump starts instead of from the beginning. Bounded in
//! bytes, whatever the screens contain: when there are too many, every other one is dropped.

use vt::{Size, Terminal, TerminalOptions};

/// Initial amount of output between two keyframes: parsing this much takes some milliseconds.
const APART: usize = 512 << 10;
/// The same amount, in full screens of cells.
const SCREENS_APART: usize = 8;
/// A screen of 2,000x1,000 cells, each of another colour, takes some 60 MB; a usual one takes 20 kB.
const MAX_BYTES: usize = 32 << 20;

#[derive(Debug)]
struct ReelKeyframe {
    /// The number of events before it.
    events: usize,
    size: Size,
    screen: Vec<u8>,
}

/// Sorted by position.
#[derive(Debug)]
pub(crate) struct KeyframeStore {
    frames: Vec<ReelKeyframe>,
    bytes: usize,
    apart: usize,
    max_bytes: usize,
}

impl Default for KeyframeStore {
    fn default() -> Self {
        Self::within(APART, MAX_BYTES)
    }
}

impl KeyframeStore {
    pub(crate) fn within(apart: usize, max_bytes: usize) -> Self {
        KeyframeStore { frames: Vec::new(), bytes: 0, apart, max_bytes }
    }

    /// Stores the screen at this position, if there was enough `output` since the last keyframe and the position has
    /// none yet.
    pub(crate) fn offer(&mut self, events: usize, output: usize, terminal: &Terminal) -> bool {
        // Storing a large screen takes time too: at most a fixed share of the time that reaching it took.
        let Size { cols, rows } = terminal.size();
        let worth = self.apart.max(SCREENS_APART * usize::from(cols) * usize::from(rows));
        if output < worth || self.frames.last().is_some_and(|last| events <= last.events) {
            return false;
        }
        let screen = terminal.serialize();
        if screen.len() > self.max_bytes {
            // Skip it, and don't try again at once.
            return true;
        }
        self.bytes += screen.len();
        self.frames.push(ReelKeyframe { events, size: terminal.size(), screen });
        while self.bytes > self.max_bytes {
            self.thin();
        }
        true
    }

    fn thin(&mut self) {
        let mut odd = false;
        self.frames.retain(|_| {
            odd = !odd;
            !odd
        });
        self.bytes = self.frames.iter().map(|frame| frame.screen.len()).sum();
        self.apart = self.apart.saturating_mul(2);
    }

    /// The last keyframe at or before `events`, if it is after `after`.
    pub(crate) fn before(&self, events: usize, after: Option<usize>) -> Option<(usize, Terminal)> {
        let count = self.frames.partition_point(|frame| frame.events <= events);
        let frame = self.frames[..count].last().filter(|frame| after.is_none_or(|after| frame.events > after))?;
        let mut terminal = fresh(frame.size);
        terminal.feed(&frame.screen);
        terminal.take_effects();
        Some((frame.events, terminal))
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }
}

/// Nothing scrolls backwards in a recording; jumps move in time.
pub(crate) fn fresh(size: Size) -> Terminal {
    Terminal::new(TerminalOptions { size: size.clamped(), history_lines: 0, ..TerminalOptions::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_stay_within_their_bytes_and_spread() {
        let mut keyframes = KeyframeStore::within(10, 4_000);
        let mut terminal = fresh(Size::new(20, 4));
        for place in 1..=500 {
            terminal.feed(format!("\x1b[3{}mline {place}\r\n", place % 8).as_bytes());
            keyframes.offer(place, keyframes.apart.max(SCREENS_APART * 20 * 4), &terminal);
            assert!(keyframes.bytes <= 4_000);
        }
        assert!(keyframes.len() > 3 && keyframes.apart > 10, "{} {}", keyframes.len(), keyframes.apart);
        let (place, mut there) = keyframes.before(499, None).unwrap();
        assert!(place > 200 && there.frame().text().contains(&format!("line {place}\n")), "{place}");
        assert!(keyframes.before(499, Some(499)).is_none());
        // A keyframe that is too large by itself is not stored.
        let mut small = KeyframeStore::within(1, 10);
        assert!(small.offer(1, 5_000, &terminal) && small.len() == 0);
    }
}
