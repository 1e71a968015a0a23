//! The time the engine measures idleness and deadlines with: real, or driven by a test.
//!
//! What concerns the operating system (the grace after a signal, draining a dead child's terminal)
//! always runs on real time, so that a stopped fake clock never keeps a process alive.

use std::fmt;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::fair_lock::lock;

/// Cheap to clone; clones tell the same time.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    Real(Arc<Anchor>),
    Fake(Arc<FakeTime>),
}

impl Default for Source {
    fn default() -> Self {
        Source::Real(Arc::default())
    }
}

/// A timer that stays when the wait it was set for is over.
///
/// A runtime that is told of a timer earlier than all others wakes one of its threads to sleep anew, which takes as
/// long as an echo. Waits mostly end early, one after the other: with the first one's timer still there, the next
/// one's is not the earliest.
#[derive(Debug, Default)]
struct Anchor {
    held: Mutex<Option<HeldTimer>>,
}

#[derive(Debug)]
struct HeldTimer {
    until: Instant,
    task: JoinHandle<()>,
}

impl Anchor {
    /// Not after `deadline`, and never more than one. Who does not wait at all leaves it to those who do.
    fn hold(&self, deadline: Instant) {
        let now = Instant::now();
        let mut held = lock(&self.held);
        if now < deadline && held.as_ref().is_none_or(|held| held.until <= now || deadline < held.until) {
            let task = tokio::spawn(tokio::time::sleep_until(deadline.into()));
            if let Some(before) = held.replace(HeldTimer { until: deadline, task }) {
                before.task.abort();
            }
        }
    }
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
    alarms: Mutex<Vec<Weak<Alarm>>>,
}

/// Called after a fake clock moved, from the thread that moved it. A real clock never calls.
pub(crate) struct Alarm(Box<dyn Fn() + Send + Sync>);

impl Clock {
    pub fn real() -> Self {
        Clock::default()
    }

    pub fn now(&self) -> Instant {
        match &self.source {
            Source::Real(_) => Instant::now(),
            Source::Fake(time) => time.instant + time.elapsed(),
        }
    }

    pub fn system_now(&self) -> SystemTime {
        match &self.source {
            Source::Real(_) => SystemTime::now(),
            Source::Fake(time) => time.system + time.elapsed(),
        }
    }

    /// Completes when the clock has reached `deadline`.
    pub async fn sleep_until(&self, deadline: Instant) {
        match &self.source {
            Source::Real(_) => tokio::time::sleep_until(deadline.into()).await,
            Source::Fake(time) => {
                let mut elapsed = time.elapsed.subscribe();
                // The sender lives in `time`, which this future borrows: waiting can't fail.
                let _ = elapsed.wait_for(|elapsed| time.instant + *elapsed >= deadline).await;
            }
        }
    }

    /// The same for a limit that is seldom reached.
    pub(crate) async fn time_out_at(&self, deadline: Instant) {
        if let Source::Real(anchor) = &self.source {
            anchor.hold(deadline);
        }
        self.sleep_until(deadline).await;
    }

    /// How long a blocking wait may last before `deadline` is due. `None`: until an [`Alarm`] rings.
    pub(crate) fn blocking_timeout(&self, deadline: Instant) -> Option<Duration> {
        let left = deadline.saturating_duration_since(self.now());
        match &self.source {
            Source::Real(_) => Some(left),
            Source::Fake(_) => left.is_zero().then_some(left),
        }
    }

    /// `ring` is called after each move of a fake clock for as long as the result is kept.
    pub(crate) fn on_move(&self, ring: impl Fn() + Send + Sync + 'static) -> Option<Arc<Alarm>> {
        let Source::Fake(time) = &self.source else { return None };
        let alarm = Arc::new(Alarm(Box::new(ring)));
        let mut alarms = lock(&time.alarms);
        alarms.retain(|alarm| alarm.strong_count() > 0);
        alarms.push(Arc::downgrade(&alarm));
        Some(alarm)
    }
}

impl FakeClock {
    /// Starts at the real now and stands still.
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
        Clock { source: Source::Fake(self.time.clone()) }
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

impl fmt::Debug for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Alarm")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// One timer, and none of the waits it stands for comes before it.
    #[tokio::test]
    async fn the_anchor_holds_the_earliest_deadline() {
        let (anchor, now) = (Anchor::default(), Instant::now());
        let held = || lock(&anchor.held).as_ref().map(|held| held.until);
        for (asked, kept) in [(600, 600), (30, 30), (31, 30), (5, 5), (0, 5)] {
            anchor.hold(now + Duration::from_secs(asked));
            assert_eq!(held(), Some(now + Duration::from_secs(kept)));
        }
    }

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
