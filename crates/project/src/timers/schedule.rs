//! The timers and their firing: pure decisions, without clock or sessions.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant, SystemTime},
};

use agents::TurnId;
use engine::SessionId;

use super::activity::{Phase, Rest};

/// What a timer waits for, besides its deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimerCondition {
    /// Nothing.
    Delay,
    /// One of these comes to rest or ends, from now on.
    IdleAny(Vec<WatchedSession>),
    /// All of these are at rest or have ended.
    IdleAll(Vec<WatchedSession>),
}

/// A session that a timer watches, or one of its turns, and its last observed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchedSession {
    pub target: TimerTarget,
    pub(crate) seen: Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimerTarget {
    pub session: SessionId,
    pub turn: Option<TurnId>,
}

/// The turn's id if there is one, else the session's.
impl std::fmt::Display for TimerTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.turn {
            Some(turn) => turn.fmt(f),
            None => self.session.fmt(f),
        }
    }
}

impl WatchedSession {
    /// Its turn is over, or waits for a decision. A session that was at rest already has not come to rest.
    fn turn_rests(&self) -> bool {
        self.target.turn.is_some() && self.seen.phase != Phase::Working
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    pub id: String,
    /// The agent that gets the text.
    pub owner: SessionId,
    /// Who set it; `None` for an operator.
    pub set_by: Option<SessionId>,
    pub label: Option<String>,
    /// The text as it is delivered.
    pub text: String,
    pub condition: TimerCondition,
    pub due: DueTimer,
    pub created_at: SystemTime,
}

/// When a timer fires in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueTimer {
    Never,
    At(Instant),
    /// Paused, with this much time left; `None` without a deadline.
    Paused(Option<Duration>),
}

impl TimerCondition {
    pub fn watched(&self) -> &[WatchedSession] {
        match self {
            TimerCondition::Delay => &[],
            TimerCondition::IdleAny(watched) | TimerCondition::IdleAll(watched) => watched,
        }
    }

    /// There is nothing left to wait for.
    pub(crate) fn is_satisfied(&self) -> bool {
        match self {
            TimerCondition::Delay => false,
            // What has ended can't come to rest any more, nor can a turn that is over.
            TimerCondition::IdleAny(watched) => {
                watched.iter().all(|one| one.seen.phase == Phase::Ended)
                    || watched.iter().any(WatchedSession::turn_rests)
            }
            TimerCondition::IdleAll(watched) => watched.iter().all(|one| one.seen.phase != Phase::Working),
        }
    }

    /// Records the watched sessions' states; `true` if the timer fires because of them.
    fn look(&mut self, rest: &impl Fn(TimerTarget) -> Rest) -> bool {
        match self {
            TimerCondition::Delay => false,
            TimerCondition::IdleAny(watched) => watched.iter_mut().any(|one| {
                let now = rest(one.target);
                let came_to_rest = now != one.seen && now.phase != Phase::Working;
                one.seen = now;
                came_to_rest
            }),
            TimerCondition::IdleAll(watched) => {
                watched.iter_mut().for_each(|one| one.seen = rest(one.target));
                self.is_satisfied()
            }
        }
    }
}

impl Timer {
    pub fn is_paused(&self) -> bool {
        matches!(self.due, DueTimer::Paused(_))
    }

    pub fn remaining(&self, now: Instant) -> Option<Duration> {
        match self.due {
            DueTimer::Never => None,
            DueTimer::At(at) => Some(at.saturating_duration_since(now)),
            DueTimer::Paused(left) => left,
        }
    }
}

/// All timers that have not fired, by id.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    timers: BTreeMap<String, Timer>,
}

impl Schedule {
    pub(crate) fn add(&mut self, timer: Timer) {
        self.timers.insert(timer.id.clone(), timer);
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Timer> {
        self.timers.get(id)
    }

    pub(crate) fn remove(&mut self, id: &str) -> Option<Timer> {
        self.timers.remove(id)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Timer> {
        self.timers.values()
    }

    pub(crate) fn count_of(&self, owner: SessionId) -> usize {
        self.all().filter(|timer| timer.owner == owner).count()
    }

    /// `false` if it was paused already.
    pub(crate) fn pause(&mut self, id: &str, now: Instant) -> bool {
        let Some(timer) = self.timers.get_mut(id).filter(|timer| !timer.is_paused()) else { return false };
        timer.due = DueTimer::Paused(timer.remaining(now));
        true
    }

    /// `false` if it was not paused.
    pub(crate) fn resume(&mut self, id: &str, now: Instant) -> bool {
        let Some(timer) = self.timers.get_mut(id) else { return false };
        let DueTimer::Paused(left) = timer.due else { return false };
        timer.due = left.map_or(DueTimer::Never, |left| DueTimer::At(now + left));
        true
    }

    pub(crate) fn drop_owned_by(&mut self, owner: SessionId) {
        self.timers.retain(|_, timer| timer.owner != owner);
    }

    /// The next deadline of any timer.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        self.all().filter_map(|timer| if let DueTimer::At(at) = timer.due { Some(at) } else { None }).min()
    }

    /// Whether a timer watches it.
    pub(crate) fn watches(&self, target: TimerTarget) -> bool {
        self.all().any(|timer| timer.condition.watched().iter().any(|watched| watched.target == target))
    }

    /// Removes and returns the timers that fire now, in the order of their deadlines.
    pub(crate) fn take_fired(&mut self, now: Instant, rest: impl Fn(TimerTarget) -> Rest) -> Vec<Timer> {
        let mut fired = Vec::new();
        for timer in self.timers.values_mut().filter(|timer| !timer.is_paused()) {
            let due = if let DueTimer::At(at) = timer.due { Some(at).filter(|at| *at <= now) } else { None };
            if timer.condition.look(&rest) || due.is_some() {
                fired.push((due.unwrap_or(now), timer.created_at, timer.id.clone()));
            }
        }
        fired.sort();
        fired.into_iter().filter_map(|(_, _, id)| self.timers.remove(&id)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn id(number: u8) -> SessionId {
        format!("p_0000{number:02x}").parse().unwrap()
    }

    fn rest(phase: Phase, changes: u64) -> Rest {
        Rest { phase, changes }
    }

    fn watched(number: u8, phase: Phase) -> WatchedSession {
        WatchedSession { target: target(number), seen: rest(phase, 0) }
    }

    fn target(number: u8) -> TimerTarget {
        TimerTarget { session: id(number), turn: None }
    }

    fn turn(number: u8, phase: Phase) -> WatchedSession {
        let turn = format!("t_0000{number:02x}_1").parse().unwrap();
        WatchedSession { target: TimerTarget { session: id(number), turn: Some(turn) }, seen: rest(phase, 0) }
    }

    fn timer(name: &str, condition: TimerCondition, due: DueTimer) -> Timer {
        Timer {
            id: name.into(),
            owner: id(0),
            set_by: None,
            label: None,
            text: name.into(),
            condition,
            due,
            created_at: SystemTime::UNIX_EPOCH,
        }
    }

    fn fired(schedule: &mut Schedule, now: Instant, states: &[(u8, Rest)]) -> Vec<String> {
        let look = |target: TimerTarget| states.iter().find(|(number, _)| id(*number) == target.session).unwrap().1;
        schedule.take_fired(now, look).into_iter().map(|timer| timer.id).collect()
    }

    #[test]
    fn a_delay_fires_when_it_is_due_and_once() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        schedule.add(timer("b", TimerCondition::Delay, DueTimer::At(start + 2 * SECOND)));
        schedule.add(timer("a", TimerCondition::Delay, DueTimer::At(start + SECOND)));
        assert_eq!(schedule.next_due(), Some(start + SECOND));
        assert!(fired(&mut schedule, start, &[]).is_empty());
        assert_eq!(fired(&mut schedule, start + SECOND, &[]), ["a"]);
        assert_eq!(fired(&mut schedule, start + 5 * SECOND, &[]), ["b"]);
        assert_eq!((schedule.next_due(), schedule.all().count()), (None, 0));
    }

    #[test]
    fn a_pause_keeps_what_is_left() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        schedule.add(timer("a", TimerCondition::Delay, DueTimer::At(start + 10 * SECOND)));
        assert!(schedule.pause("a", start + 4 * SECOND) && !schedule.pause("a", start));
        assert!(fired(&mut schedule, start + 100 * SECOND, &[]).is_empty());
        assert_eq!(schedule.get("a").unwrap().remaining(start + 100 * SECOND), Some(6 * SECOND));
        assert!(schedule.resume("a", start + 100 * SECOND) && !schedule.resume("a", start));
        assert_eq!(schedule.next_due(), Some(start + 106 * SECOND));
        assert_eq!(fired(&mut schedule, start + 106 * SECOND, &[]), ["a"]);
        assert!(!schedule.pause("a", start) && !schedule.resume("a", start));
    }

    #[test]
    fn any_fires_when_one_comes_to_rest_and_not_for_those_at_rest_already() {
        let now = Instant::now();
        let mut schedule = Schedule::default();
        let condition = TimerCondition::IdleAny(vec![watched(1, Phase::Resting), watched(2, Phase::Working)]);
        assert!(!condition.is_satisfied());
        schedule.add(timer("any", condition, DueTimer::Never));
        let still = [(1, rest(Phase::Resting, 0)), (2, rest(Phase::Working, 0))];
        assert!(fired(&mut schedule, now, &still).is_empty());
        let works = [(1, rest(Phase::Working, 1)), (2, rest(Phase::Working, 0))];
        assert!(fired(&mut schedule, now, &works).is_empty());
        let rests = [(1, rest(Phase::Resting, 2)), (2, rest(Phase::Working, 0))];
        assert_eq!(fired(&mut schedule, now, &rests), ["any"]);
    }

    #[test]
    fn any_sees_a_turn_that_came_and_went_between_two_looks() {
        let mut schedule = Schedule::default();
        schedule.add(timer("any", TimerCondition::IdleAny(vec![watched(1, Phase::Resting)]), DueTimer::Never));
        assert_eq!(fired(&mut schedule, Instant::now(), &[(1, rest(Phase::Resting, 2))]), ["any"]);
    }

    #[test]
    fn any_fires_when_one_ends_even_from_rest() {
        let mut schedule = Schedule::default();
        schedule.add(timer("any", TimerCondition::IdleAny(vec![watched(1, Phase::Resting)]), DueTimer::Never));
        assert_eq!(fired(&mut schedule, Instant::now(), &[(1, rest(Phase::Ended, 1))]), ["any"]);
        assert!(TimerCondition::IdleAny(vec![watched(1, Phase::Ended)]).is_satisfied());
        assert!(!TimerCondition::IdleAny(vec![watched(1, Phase::Ended), watched(2, Phase::Resting)]).is_satisfied());
    }

    #[test]
    fn a_turn_that_is_over_counts_whenever_it_was() {
        assert!(TimerCondition::IdleAny(vec![turn(1, Phase::Working), turn(2, Phase::Resting)]).is_satisfied());
        assert!(TimerCondition::IdleAny(vec![watched(1, Phase::Working), turn(2, Phase::Ended)]).is_satisfied());
        assert!(!TimerCondition::IdleAll(vec![turn(1, Phase::Working), turn(2, Phase::Resting)]).is_satisfied());
        let mut schedule = Schedule::default();
        schedule.add(timer("any", TimerCondition::IdleAny(vec![turn(1, Phase::Working)]), DueTimer::Never));
        assert!(fired(&mut schedule, Instant::now(), &[(1, rest(Phase::Working, 0))]).is_empty());
        assert_eq!(fired(&mut schedule, Instant::now(), &[(1, rest(Phase::Resting, 0))]), ["any"]);
        assert_eq!(turn(1, Phase::Working).target.to_string(), "t_000001_1");
        assert_eq!(target(1).to_string(), "p_000001");
    }

    #[test]
    fn all_fires_when_the_last_one_rests_and_counts_those_at_rest_and_ended() {
        let now = Instant::now();
        let all = |phases: [Phase; 2]| TimerCondition::IdleAll(vec![watched(1, phases[0]), watched(2, phases[1])]);
        assert!(all([Phase::Resting, Phase::Ended]).is_satisfied());
        let condition = all([Phase::Resting, Phase::Working]);
        assert!(!condition.is_satisfied());
        let mut schedule = Schedule::default();
        schedule.add(timer("all", condition, DueTimer::Never));
        let states = [(1, rest(Phase::Working, 1)), (2, rest(Phase::Resting, 1))];
        assert!(fired(&mut schedule, now, &states).is_empty(), "the first one works again");
        let states = [(1, rest(Phase::Ended, 2)), (2, rest(Phase::Resting, 1))];
        assert_eq!(fired(&mut schedule, now, &states), ["all"]);
    }

    #[test]
    fn a_paused_idle_timer_looks_again_when_it_goes_on() {
        let now = Instant::now();
        let mut schedule = Schedule::default();
        schedule.add(timer(
            "any",
            TimerCondition::IdleAny(vec![watched(1, Phase::Working)]),
            DueTimer::At(now + SECOND),
        ));
        schedule.pause("any", now);
        let rested = [(1, rest(Phase::Resting, 1))];
        assert!(fired(&mut schedule, now + 9 * SECOND, &rested).is_empty());
        schedule.resume("any", now + 9 * SECOND);
        assert_eq!(fired(&mut schedule, now + 9 * SECOND, &rested), ["any"]);
    }

    #[test]
    fn an_idle_timer_fires_at_its_longest_wait() {
        let now = Instant::now();
        let mut schedule = Schedule::default();
        schedule.add(timer(
            "any",
            TimerCondition::IdleAny(vec![watched(1, Phase::Working)]),
            DueTimer::At(now + SECOND),
        ));
        let working = [(1, rest(Phase::Working, 0))];
        assert!(fired(&mut schedule, now, &working).is_empty());
        assert_eq!(fired(&mut schedule, now + SECOND, &working), ["any"]);
    }

    #[test]
    fn timers_go_with_their_owner() {
        let mut schedule = Schedule::default();
        schedule.add(timer("a", TimerCondition::IdleAny(vec![watched(1, Phase::Working)]), DueTimer::Never));
        assert!(schedule.watches(target(1)) && !schedule.watches(target(2)) && schedule.count_of(id(0)) == 1);
        schedule.drop_owned_by(id(0));
        assert!(!schedule.watches(target(1)) && schedule.count_of(id(0)) == 0);
    }
}
