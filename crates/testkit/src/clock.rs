//! Time that passes only when a test says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A clock that stands still until [`FakeClock::advance`]. Clones are the same clock.
#[derive(Debug, Clone, Default)]
pub struct FakeClock {
    /// 584 years of them fit.
    nanos: Arc<AtomicU64>,
}

impl FakeClock {
    pub fn new() -> Self {
        Self::default()
    }

    /// The time since the clock was made.
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.nanos.load(Ordering::SeqCst))
    }

    pub fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_nanos()).expect("tests don't wait for centuries");
        self.nanos.fetch_add(by, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_one_clock() {
        let clock = FakeClock::new();
        let other = clock.clone();
        assert_eq!(other.now(), Duration::ZERO);
        std::thread::spawn(move || clock.advance(Duration::from_millis(1500))).join().unwrap();
        assert_eq!(other.now(), Duration::from_millis(1500));
    }
}
