//! Limits how often the host's screen is written: so many times a second, and at once after a pause and for what answers a
//! key.

use std::time::{Duration, Instant};

/// Output within this time after a key is taken for its echo.
const ECHO: Duration = Duration::from_millis(100);

/// After a pause two frames may follow each other at once, so that an echo does not wait for the frame that the key
/// itself caused; after that, frames keep their distance. The echo of a key is drawn at once even then, and does not
/// count: a neighbour that prints all the time would delay it by half a frame.
#[derive(Debug)]
pub(super) struct FramePacing {
    /// Between two frames.
    gap: Duration,
    next: Instant,
    /// When a key was typed that nothing has answered yet.
    typed: Option<Instant>,
    /// What answers a key has to be drawn.
    echo: bool,
}

impl FramePacing {
    pub(super) fn new(now: Instant, gap: Duration) -> Self {
        FramePacing { gap, next: now, typed: None, echo: false }
    }

    pub(super) fn typed(&mut self, now: Instant) {
        self.typed = Some(now);
    }

    /// The program that gets the keys has printed.
    pub(super) fn answered(&mut self, now: Instant) {
        self.echo |= self.typed.take().is_some_and(|typed| now.saturating_duration_since(typed) < ECHO);
    }

    pub(super) fn waits_for_echo(&self) -> bool {
        self.typed.is_some()
    }

    /// The next frame is for an echo.
    pub(super) fn is_echo(&self) -> bool {
        self.echo
    }

    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.echo || self.next <= now
    }

    /// When the next frame may be written.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    pub(super) fn drawn(&mut self, now: Instant) {
        if std::mem::take(&mut self.echo) {
            return;
        }
        let earliest = now.checked_sub(self.gap).unwrap_or(now);
        self.next = self.next.max(earliest) + self.gap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sixtieth of a second.
    const GAP: Duration = Duration::from_nanos(16_666_667);

    #[test]
    fn never_more_than_sixty_a_second_and_never_late_after_a_rest() {
        let start = Instant::now() + Duration::from_secs(10);
        let mut pace = FramePacing::new(start, GAP);
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

    #[test]
    fn an_echo_is_drawn_at_once_and_once() {
        let start = Instant::now() + Duration::from_secs(10);
        let mut pace = FramePacing::new(start, GAP);
        (0..5).for_each(|_| pace.drawn(start));
        assert!(!pace.is_due(start));
        pace.answered(start);
        assert!(!pace.is_due(start), "nobody typed");
        pace.typed(start);
        assert!(pace.waits_for_echo() && !pace.is_due(start));
        pace.answered(start + Duration::from_millis(2));
        assert!(pace.is_due(start) && pace.is_echo() && !pace.waits_for_echo());
        let next = pace.next();
        pace.drawn(start);
        assert!(!pace.is_due(start) && pace.next() == next, "other frames come when they would have come");
        pace.typed(start);
        pace.answered(start + Duration::from_secs(1));
        assert!(!pace.is_due(start), "that was no echo");
    }
}
