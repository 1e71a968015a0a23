//! Limits how often the host's screen is written: at most 60 times a second, and at once after a pause.

use std::time::{Duration, Instant};

/// A sixtieth of a second.
const GAP: Duration = Duration::from_nanos(16_666_667);

/// After a pause two frames may follow each other at once, so that an echo does not wait for the frame that the key
/// itself caused; after that, frames keep their distance.
#[derive(Debug)]
pub(super) struct FramePacing {
    next: Instant,
}

impl FramePacing {
    pub(super) fn new(now: Instant) -> Self {
        FramePacing { next: now }
    }

    /// When the next frame may be written.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    pub(super) fn drawn(&mut self, now: Instant) {
        let earliest = now.checked_sub(GAP).unwrap_or(now);
        self.next = self.next.max(earliest) + GAP;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_more_than_sixty_a_second_and_never_late_after_a_rest() {
        let start = Instant::now() + Duration::from_secs(10);
        let mut pace = FramePacing::new(start);
        let mut now = start;
        for _ in 0..61 {
            now = now.max(pace.next());
            pace.drawn(now);
        }
        assert!(now - start >= Duration::from_millis(980), "{:?}", now - start);
        let rested = now + Duration::from_secs(1);
        pace.drawn(rested);
        assert!(pace.next() <= rested, "an echo right behind need not wait");
        pace.drawn(rested);
        assert!(pace.next() > rested);
    }
}
