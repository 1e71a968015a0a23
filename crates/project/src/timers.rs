//! Timers: a text that is sent to an agent later, or when other sessions are at rest.
//!
//! `schedule` decides what fires when, and `activity` describes rest. One task waits for the earliest deadline and for
//! changes of the watched sessions; nothing is polled.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, Weak},
    time::Duration,
};

use agents::TurnId;
use engine::{Engine, EngineEvent, Origin, Session, SessionId};
use tokio::{
    sync::{Notify, broadcast::error::RecvError, watch},
    task::AbortHandle,
};

pub mod activity;
mod schedule;

use activity::{Phase, Rest};
use schedule::Schedule;
pub use schedule::{DueTimer, Timer, TimerCondition, TimerTarget, WatchedSession};

use crate::{
    crew::Crew,
    delivery::Deliver,
    project::{lock, random_id},
};

/// The timers of one project. Cheap to clone; they end with the last handle.
#[derive(Clone)]
pub struct Timers {
    inner: Arc<TimersShared>,
}

struct TimersShared {
    engine: Engine,
    crew: Crew,
    deliver: Arc<dyn Deliver>,
    state: Mutex<TimerTable>,
    /// Something changed that the task has to check.
    moved: Arc<Notify>,
    task: Mutex<Option<AbortHandle>>,
}

#[derive(Default)]
struct TimerTable {
    schedule: Schedule,
    watches: HashMap<TimerTarget, RestWatch>,
}

/// A watched session, and the task that forwards its changes.
struct RestWatch {
    rest: watch::Receiver<Rest>,
    carrier: AbortHandle,
}

impl RestWatch {
    /// From now on the session's changes wake the task.
    fn new(rest: watch::Receiver<Rest>, moved: &Arc<Notify>) -> Self {
        let mut changes = rest.clone();
        let moved = Arc::clone(moved);
        let carrier = tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                moved.notify_one();
            }
            // The sender was dropped: the session is gone.
            moved.notify_one();
        });
        RestWatch { rest, carrier: carrier.abort_handle() }
    }
}

impl Drop for RestWatch {
    fn drop(&mut self) {
        self.carrier.abort();
    }
}

/// A timer to set.
#[derive(Clone, Debug)]
pub struct NewTimer {
    pub owner: Session,
    pub set_by: Option<SessionId>,
    pub label: Option<String>,
    /// The text as it is delivered.
    pub text: String,
    pub wait: TimerCause,
    /// The length of a delay, or the maximum wait for others.
    pub within: Option<Duration>,
}

/// What a timer waits for.
#[derive(Clone, Debug)]
pub enum TimerCause {
    Delay,
    IdleAny(Vec<AwaitedSession>),
    IdleAll(Vec<AwaitedSession>),
}

/// A session to wait for, or one of its turns.
#[derive(Clone, Debug)]
pub struct AwaitedSession {
    pub session: Session,
    pub turn: Option<TurnId>,
}

impl AwaitedSession {
    pub fn target(&self) -> TimerTarget {
        TimerTarget { session: self.session.id(), turn: self.turn }
    }
}

/// The result of setting a timer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetOutcome {
    Pending {
        id: String,
        /// Sessions already at rest.
        resting: Vec<TimerTarget>,
    },
    /// There is nothing to wait for, so no timer was set.
    AlreadySatisfied,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimerError {
    #[error("session {owner} has {limit} timers already: cancel some")]
    TooMany { owner: SessionId, limit: usize },
    #[error("there is no timer '{id}' of yours: list them; one that fired is gone")]
    NotFound { id: String },
}

/// Maximum timers of a session.
const MAX_TIMERS: usize = 256;

impl Timers {
    /// Must be called in a tokio runtime.
    pub(crate) fn new(engine: Engine, crew: Crew, deliver: Arc<dyn Deliver>) -> Self {
        let moved = Arc::new(Notify::new());
        let task = Mutex::default();
        let inner = Arc::new(TimersShared { engine, crew, deliver, state: Mutex::default(), moved, task });
        let task = tokio::spawn(run(Arc::downgrade(&inner), inner.moved.clone(), inner.engine.events()));
        *lock(&inner.task) = Some(task.abort_handle());
        Timers { inner }
    }

    pub fn set(&self, new: NewTimer) -> Result<SetOutcome, TimerError> {
        let inner = &self.inner;
        let now = inner.engine.clock().now();
        let owner = new.owner.id();
        let awaited: &[AwaitedSession] = match &new.wait {
            TimerCause::Delay => &[],
            TimerCause::IdleAny(awaited) | TimerCause::IdleAll(awaited) => awaited,
        };
        // Before the lock is taken, since it reads sessions, which have locks of their own.
        let watches: Vec<_> = awaited
            .iter()
            .map(|one| (one.target(), RestWatch::new(inner.crew.rest(&one.session, one.turn), &inner.moved)))
            .collect();
        let mut state = lock(&inner.state);
        if state.schedule.count_of(owner) >= MAX_TIMERS {
            return Err(TimerError::TooMany { owner, limit: MAX_TIMERS });
        }
        let look = |(target, watch)| WatchedSession {
            target,
            seen: rest_of(&state.watches.entry(target).or_insert(watch).rest),
        };
        let watched = watches.into_iter().map(look).collect();
        let condition = match new.wait {
            TimerCause::Delay => TimerCondition::Delay,
            TimerCause::IdleAny(_) => TimerCondition::IdleAny(watched),
            TimerCause::IdleAll(_) => TimerCondition::IdleAll(watched),
        };
        if condition.is_satisfied() {
            inner.drop_unused_watches(&mut state);
            return Ok(SetOutcome::AlreadySatisfied);
        }
        let resting = condition.watched().iter().filter(|one| one.seen.phase != Phase::Working);
        let resting = resting.map(|one| one.target).collect();
        let id = random_id("tm_");
        state.schedule.add(Timer {
            id: id.clone(),
            owner,
            set_by: new.set_by,
            label: new.label,
            text: new.text,
            condition,
            due: new.within.and_then(|within| now.checked_add(within)).map_or(DueTimer::Never, DueTimer::At),
            created_at: inner.engine.clock().system_now(),
        });
        drop(state);
        inner.moved.notify_one();
        Ok(SetOutcome::Pending { id, resting })
    }

    /// The timers that `caller` owns or has set (`None`: an operator, who sees all), oldest first.
    pub fn list(&self, caller: Option<SessionId>) -> Vec<Timer> {
        let state = lock(&self.inner.state);
        let mut timers: Vec<Timer> = state.schedule.all().filter(|timer| is_of(timer, caller)).cloned().collect();
        timers.sort_by_key(|timer| timer.created_at);
        timers
    }

    pub fn cancel(&self, caller: Option<SessionId>, id: &str) -> Result<(), TimerError> {
        self.change(caller, id, |schedule| {
            schedule.remove(id);
        })
    }

    /// A paused timer stays paused.
    pub fn pause(&self, caller: Option<SessionId>, id: &str) -> Result<(), TimerError> {
        let now = self.inner.engine.clock().now();
        self.change(caller, id, |schedule| {
            schedule.pause(id, now);
        })
    }

    /// A timer that is not paused continues unchanged.
    pub fn resume(&self, caller: Option<SessionId>, id: &str) -> Result<(), TimerError> {
        let now = self.inner.engine.clock().now();
        self.change(caller, id, |schedule| {
            schedule.resume(id, now);
        })
    }

    fn change(
        &self,
        caller: Option<SessionId>,
        id: &str,
        change: impl FnOnce(&mut Schedule),
    ) -> Result<(), TimerError> {
        {
            let mut state = lock(&self.inner.state);
            if !state.schedule.get(id).is_some_and(|timer| is_of(timer, caller)) {
                return Err(TimerError::NotFound { id: id.chars().take(64).collect() });
            }
            change(&mut state.schedule);
            self.inner.drop_unused_watches(&mut state);
        }
        self.inner.moved.notify_one();
        Ok(())
    }

    /// From now on no timer fires.
    pub(crate) fn close(&self) {
        if let Some(task) = lock(&self.inner.task).take() {
            task.abort();
        }
        *lock(&self.inner.state) = TimerTable::default();
    }
}

fn is_of(timer: &Timer, caller: Option<SessionId>) -> bool {
    caller.is_none_or(|caller| timer.owner == caller || timer.set_by == Some(caller))
}

impl TimersShared {
    fn drop_unused_watches(&self, state: &mut TimerTable) {
        let TimerTable { schedule, watches } = state;
        watches.retain(|target, _| schedule.watches(*target));
    }

    /// Fires due timers, and returns when to check again.
    fn turn(&self) -> Option<std::time::Instant> {
        let clock = self.engine.clock();
        let (fired, next) = {
            let mut state = lock(&self.state);
            let TimerTable { schedule, watches } = &mut *state;
            let rest = |target| watches.get(&target).map_or(GONE, |watch: &RestWatch| rest_of(&watch.rest));
            let fired = schedule.take_fired(clock.now(), rest);
            self.drop_unused_watches(&mut state);
            (fired, state.schedule.next_due())
        };
        for timer in fired {
            let Ok(owner) = self.engine.get(timer.owner) else { continue };
            tracing::debug!(timer = timer.id, owner = %timer.owner, "a timer fires");
            // Runs in the background; only the agent that reads it waits for it.
            if let Err(refusal) = self.deliver.deliver(&owner, timer.text, Origin::System) {
                tracing::debug!(timer = timer.id, %refusal, "the text of a timer was not sent");
            }
        }
        next
    }

    fn drop_owner(&self, owner: SessionId) {
        let mut state = lock(&self.state);
        state.schedule.drop_owned_by(owner);
        self.drop_unused_watches(&mut state);
    }

    /// After events were lost: removes the timers whose owner is gone.
    fn drop_lost_owners(&self) {
        let owners: Vec<SessionId> = lock(&self.state).schedule.all().map(|timer| timer.owner).collect();
        for owner in owners {
            if self.engine.get(owner).is_ok_and(|session| !session.status().has_ended()) {
                continue;
            }
            self.drop_owner(owner);
        }
    }
}

const GONE: Rest = Rest { phase: Phase::Ended, changes: u64::MAX };

/// A session without a watch is gone.
fn rest_of(receiver: &watch::Receiver<Rest>) -> Rest {
    let rest = *receiver.borrow();
    if receiver.has_changed().is_err() && rest.phase != Phase::Ended { GONE } else { rest }
}

/// Runs until the timers are dropped.
async fn run(
    timers: Weak<TimersShared>,
    moved: Arc<Notify>,
    mut events: tokio::sync::broadcast::Receiver<EngineEvent>,
) {
    loop {
        let (next, clock) = {
            let Some(timers) = timers.upgrade() else { return };
            (timers.turn(), timers.engine.clock().clone())
        };
        let due = async {
            match next {
                Some(next) => clock.sleep_until(next).await,
                None => std::future::pending().await,
            }
        };
        let event = tokio::select! {
            () = due => continue,
            () = moved.notified() => continue,
            event = events.recv() => event,
        };
        let Some(timers) = timers.upgrade() else { return };
        match event {
            Ok(EngineEvent::Removed(session)) => timers.drop_owner(session),
            Ok(EngineEvent::Status(session, status)) if status.has_ended() => timers.drop_owner(session),
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => timers.drop_lost_owners(),
            Err(RecvError::Closed) => return,
        }
    }
}

impl std::fmt::Debug for Timers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Timers").field("timers", &lock(&self.inner.state).schedule.all().count()).finish()
    }
}

impl Drop for TimersShared {
    fn drop(&mut self) {
        if let Some(task) = lock(&self.task).take() {
            task.abort();
        }
    }
}
