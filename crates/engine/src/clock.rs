//! The clock for idle times and deadlines: real, or driven by a test.
//!
//! Waits for the operating system (the grace period after a signal, draining a dead child's terminal) always use real
//! time, so that a stopped fake clock never keeps a process alive.

use std::fmt;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::watch;

use crate::fair_lock::lock;

/// Cheap to clone; clones tell the same time.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    source: ClockSource,
}

#[derive(Clone, Debug, Default)]
enum ClockSource {
    #[default]
    Real,
    Fake(Arc<FakeTime>),
}

/// Drives a [`Clock`] by hand.
#[derive(Clone, Debug)]
pub struct FakeClock {
    time: Arc<FakeTime>,
}

struct FakeTime {
    instant: Instant,
    system: SystemTime,
    elapsed: watch::Sender<Duration>,
    alarms: Mutex<Vec<Weak<ClockAlarm>>>,
}

/// Called after a fake clock moved, from the thread that moved it. A real clock never calls.
pub(crate) struct ClockAlarm(Box<dyn Fn() + Send + Sync>);

impl Clock {
    pub fn real() -> Self {
        Clock::default()
    }

    pub fn now(&self) -> Instant {
        match &self.source {
            ClockSource::Real => Instant::now(),
            ClockSource::Fake(time) => time.instant + time.elapsed(),
        }
    }

    pub fn system_now(&self) -> SystemTime {
        match &self.source {
            ClockSource::Real => SystemTime::now(),
            ClockSource::Fake(time) => time.system + time.elapsed(),
        }
    }

    /// Completes when the clock has reached `deadline`.
    pub async fn sleep_until(&self, deadline: Instant) {
        match &self.source {
            ClockSource::Real => tokio::time::sleep_until(deadline.into()).await,
            ClockSource::Fake(time) => {
                let mut elapsed = time.elapsed.subscribe();
                // The sender is in `time`, which this future borrows, so waiting can't fail.
                let _ = elapsed.wait_for(|elapsed| time.instant + *elapsed >= deadline).await;
            }
        }
    }

    /// How long a blocking wait may last before `deadline`. `None`: until a [`ClockAlarm`] rings.
    pub(crate) fn blocking_timeout(&self, deadline: Instant) -> Option<Duration> {
        let left = deadline.saturating_duration_since(self.now());
        match &self.source {
            ClockSource::Real => Some(left),
            ClockSource::Fake(_) => left.is_zero().then_some(left),
        }
    }

    /// Calls `ring` after each move of a fake clock, for as long as the result is kept.
    pub(crate) fn on_move(&self, ring: impl Fn() + Send + Sync + 'static) -> Option<Arc<ClockAlarm>> {
        let ClockSource::Fake(time) = &self.source else { return None };
        let alarm = Arc::new(ClockAlarm(Box::new(ring)));
        let mut alarms = lock(&time.alarms);
        alarms.retain(|alarm| alarm.strong_count() > 0);
        alarms.push(Arc::downgrade(&alarm));
        Some(alarm)
    }
}

impl FakeClock {
    /// Starts at the real time and stands still.
    pub fn new() -> Self {
        FakeClock {
            time: Arc::new(FakeTime {
                instant: Instant::now(),
                system: SystemTime::now(),
                elapsed: watch::Sender::new(Duration::ZERO),
                alarms: Mutex::default(),
            }),
        }
    }

    pub fn clock(&self) -> Clock {
        Clock { source: ClockSource::Fake(self.time.clone()) }
    }

    pub fn advance(&self, by: Duration) {
        self.time.elapsed.send_modify(|elapsed| *elapsed += by);
        let alarms: Vec<_> = lock(&self.time.alarms).iter().filter_map(Weak::upgrade).collect();
        for alarm in alarms {
            (alarm.0)();
        }
    }
}

impl Default for FakeClock {
    fn default() -> Self {
        FakeClock::new()
    }
}

impl FakeTime {
    fn elapsed(&self) -> Duration {
        *self.elapsed.borrow()
    }
}

impl fmt::Debug for FakeTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeTime").field("elapsed", &self.elapsed()).finish_non_exhaustive()
    }
}

impl fmt::Debug for ClockAlarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Alarm")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn a_fake_sleep_ends_when_the_clock_gets_there() {
        let fake = FakeClock::new();
        let clock = fake.clock();
        let start = clock.now();
        let sleeper = tokio::spawn({
            let clock = clock.clone();
            async move { clock.sleep_until(start + Duration::from_secs(10)).await }
        });
        fake.advance(Duration::from_secs(9));
        tokio::task::yield_now().await;
        assert!(!sleeper.is_finished());
        fake.advance(Duration::from_secs(1));
        sleeper.await.unwrap();
        assert_eq!(clock.now() - start, Duration::from_secs(10));
    }

    #[test]
    fn alarms_ring_until_dropped() {
        let fake = FakeClock::new();
        let rung = Arc::new(AtomicUsize::new(0));
        let alarm = fake.clock().on_move({
            let rung = rung.clone();
            move || {
                rung.fetch_add(1, Ordering::Relaxed);
            }
        });
        fake.advance(Duration::from_millis(1));
        drop(alarm);
        fake.advance(Duration::from_millis(1));
        assert_eq!(rung.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_blocking_wait_on_a_fake_clock_is_ended_by_its_alarm_only() {
        let fake = FakeClock::new();
        let clock = fake.clock();
        let deadline = clock.now() + Duration::from_millis(150);
        assert_eq!(clock.blocking_timeout(deadline), None);
        fake.advance(Duration::from_millis(150));
        assert_eq!(clock.blocking_timeout(deadline), Some(Duration::ZERO));
    }
}
