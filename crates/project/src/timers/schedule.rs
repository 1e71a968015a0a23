//! Which timers there are and when they fire: all decisions, and neither clock nor session.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant, SystemTime},
};

use agents::TurnId;
use engine::SessionId;

use super::activity::{Phase, Rest};

/// What a timer waits for, besides its deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Nothing.
    Delay,
    /// One of these comes to rest or ends, from now on.
    IdleAny(Vec<Watched>),
    /// All of these are at rest or have ended.
    IdleAll(Vec<Watched>),
}

/// A session a timer looks at, or one of its turns, and what it saw last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    pub target: Target,
    pub(crate) seen: Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    pub session: SessionId,
    pub turn: Option<TurnId>,
}

/// The turn's id where there is one, else the session's.
impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.turn {
            Some(turn) => turn.fmt(f),
            None => self.session.fmt(f),
        }
    }
}

impl Watched {
    /// Its turn is over, or waits for a decision. A session that rests has not come to rest by that.
    fn turn_rests(&self) -> bool {
        self.target.turn.is_some() && self.seen.phase != Phase::Working
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    pub id: String,
    /// Gets the text.
    pub owner: SessionId,
    /// Who set it; none for an operator.
    pub set_by: Option<SessionId>,
    pub label: Option<String>,
    /// As it is delivered.
    pub text: String,
    pub condition: Condition,
    pub due: Due,
    pub created_at: SystemTime,
}

/// When a timer fires in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    Never,
    At(Instant),
    /// Paused, with this much left; `None`: with no deadline.
    Paused(Option<Duration>),
}

impl Condition {
    pub fn watched(&self) -> &[Watched] {
        match self {
            Condition::Delay => &[],
            Condition::IdleAny(watched) | Condition::IdleAll(watched) => watched,
        }
    }

    /// Nothing is left to wait for.
    pub(crate) fn is_satisfied(&self) -> bool {
        match self {
            Condition::Delay => false,
            // What has ended can't come to rest any more; a turn that is over never will again.
            Condition::IdleAny(watched) => {
                watched.iter().all(|one| one.seen.phase == Phase::Ended) || watched.iter().any(Watched::turn_rests)
            }
            Condition::IdleAll(watched) => watched.iter().all(|one| one.seen.phase != Phase::Working),
        }
    }

    /// Takes in how the watched sessions stand now; `true` when the timer fires by it.
    fn look(&mut self, rest: &impl Fn(Target) -> Rest) -> bool {
        match self {
            Condition::Delay => false,
            Condition::IdleAny(watched) => watched.iter_mut().any(|one| {
                let now = rest(one.target);
                let came_to_rest = now != one.seen && now.phase != Phase::Working;
                one.seen = now;
                came_to_rest
            }),
            Condition::IdleAll(watched) => {
                watched.iter_mut().for_each(|one| one.seen = rest(one.target));
                self.is_satisfied()
            }
        }
    }
}

impl Timer {
    pub fn is_paused(&self) -> bool {
        matches!(self.due, Due::Paused(_))
    }

    pub fn remaining(&self, now: Instant) -> Option<Duration> {
        match self.due {
            Due::Never => None,
            Due::At(at) => Some(at.saturating_duration_since(now)),
            Due::Paused(left) => left,
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

    /// `false` when it was paused already.
    pub(crate) fn pause(&mut self, id: &str, now: Instant) -> bool {
        let Some(timer) = self.timers.get_mut(id).filter(|timer| !timer.is_paused()) else { return false };
        timer.due = Due::Paused(timer.remaining(now));
        true
    }

    /// `false` when it was not paused.
    pub(crate) fn resume(&mut self, id: &str, now: Instant) -> bool {
        let Some(timer) = self.timers.get_mut(id) else { return false };
        let Due::Paused(left) = timer.due else { return false };
        timer.due = left.map_or(Due::Never, |left| Due::At(now + left));
        true
    }

    pub(crate) fn drop_owned_by(&mut self, owner: SessionId) {
        self.timers.retain(|_, timer| timer.owner != owner);
    }

    /// The next moment that a timer fires by the clock.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        self.all().filter_map(|timer| if let Due::At(at) = timer.due { Some(at) } else { None }).min()
    }

    /// Whether a timer looks at it.
    pub(crate) fn watches(&self, target: Target) -> bool {
        self.all().any(|timer| timer.condition.watched().iter().any(|watched| watched.target == target))
    }

    /// Takes out the timers that fire now, in the order they were due.
    pub(crate) fn take_fired(&mut self, now: Instant, rest: impl Fn(Target) -> Rest) -> Vec<Timer> {
        let mut fired = Vec::new();
        for timer in self.timers.values_mut().filter(|timer| !timer.is_paused()) {
            let due = if let Due::At(at) = timer.due { Some(at).filter(|at| *at <= now) } else { None };
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

    fn watched(number: u8, phase: Phase) -> Watched {
        Watched { target: target(number), seen: rest(phase, 0) }
    }

    fn target(number: u8) -> Target {
        Target { session: id(number), turn: None }
    }

    fn turn(number: u8, phase: Phase) -> Watched {
        let turn = format!("t_0000{number:02x}_1").parse().unwrap();
        Watched { target: Target { session: id(number), turn: Some(turn) }, seen: rest(phase, 0) }
    }

    fn timer(name: &str, condition: Condition, due: Due) -> Timer {
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
        let look = |target: Target| states.iter().find(|(number, _)| id(*number) == target.session).unwrap().1;
        schedule.take_fired(now, look).into_iter().map(|timer| timer.id).collect()
    }

    #[test]
    fn a_delay_fires_when_it_is_due_and_once() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        schedule.add(timer("b", Condition::Delay, Due::At(start + 2 * SECOND)));
        schedule.add(timer("a", Condition::Delay, Due::At(start + SECOND)));
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
        schedule.add(timer("a", Condition::Delay, Due::At(start + 10 * SECOND)));
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
        let condition = Condition::IdleAny(vec![watched(1, Phase::Resting), watched(2, Phase::Working)]);
        assert!(!condition.is_satisfied());
        schedule.add(timer("any", condition, Due::Never));
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
        schedule.add(timer("any", Condition::IdleAny(vec![watched(1, Phase::Resting)]), Due::Never));
        assert_eq!(fired(&mut schedule, Instant::now(), &[(1, rest(Phase::Resting, 2))]), ["any"]);
    }

    #[test]
    fn any_fires_when_one_ends_even_from_rest() {
        let mut schedule = Schedule::default();
        schedule.add(timer("any", Condition::IdleAny(vec![watched(1, Phase::Resting)]), Due::Never));
        assert_eq!(fired(&mut schedule, Instant::now(), &[(1, rest(Phase::Ended, 1))]), ["any"]);
        assert!(Condition::IdleAny(vec![watched(1, Phase::Ended)]).is_satisfied());
        assert!(!Condition::IdleAny(vec![watched(1, Phase::Ended), watched(2, Phase::Resting)]).is_satisfied());
    }

    #[test]
    fn a_turn_that_is_over_counts_whenever_it_was() {
        assert!(Condition::IdleAny(vec![turn(1, Phase::Working), turn(2, Phase::Resting)]).is_satisfied());
        assert!(Condition::IdleAny(vec![watched(1, Phase::Working), turn(2, Phase::Ended)]).is_satisfied());
        assert!(!Condition::IdleAll(vec![turn(1, Phase::Working), turn(2, Phase::Resting)]).is_satisfied());
        let mut schedule = Schedule::default();
        schedule.add(timer("any", Condition::IdleAny(vec![turn(1, Phase::Working)]), Due::Never));
        assert!(fired(&mut schedule, Instant::now(), &[(1, rest(Phase::Working, 0))]).is_empty());
        assert_eq!(fired(&mut schedule, Instant::now(), &[(1, rest(Phase::Resting, 0))]), ["any"]);
        assert_eq!(turn(1, Phase::Working).target.to_string(), "t_000001_1");
        assert_eq!(target(1).to_string(), "p_000001");
    }

    #[test]
    fn all_fires_when_the_last_one_rests_and_counts_those_at_rest_and_ended() {
        let now = Instant::now();
        let all = |phases: [Phase; 2]| Condition::IdleAll(vec![watched(1, phases[0]), watched(2, phases[1])]);
        assert!(all([Phase::Resting, Phase::Ended]).is_satisfied());
        let condition = all([Phase::Resting, Phase::Working]);
        assert!(!condition.is_satisfied());
        let mut schedule = Schedule::default();
        schedule.add(timer("all", condition, Due::Never));
        let states = [(1, rest(Phase::Working, 1)), (2, rest(Phase::Resting, 1))];
        assert!(fired(&mut schedule, now, &states).is_empty(), "the first one works again");
        let states = [(1, rest(Phase::Ended, 2)), (2, rest(Phase::Resting, 1))];
        assert_eq!(fired(&mut schedule, now, &states), ["all"]);
    }

    #[test]
    fn a_paused_idle_timer_looks_again_when_it_goes_on() {
        let now = Instant::now();
        let mut schedule = Schedule::default();
        schedule.add(timer("any", Condition::IdleAny(vec![watched(1, Phase::Working)]), Due::At(now + SECOND)));
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
        schedule.add(timer("any", Condition::IdleAny(vec![watched(1, Phase::Working)]), Due::At(now + SECOND)));
        let working = [(1, rest(Phase::Working, 0))];
        assert!(fired(&mut schedule, now, &working).is_empty());
        assert_eq!(fired(&mut schedule, now + SECOND, &working), ["any"]);
    }

    #[test]
    fn timers_go_with_their_owner() {
        let mut schedule = Schedule::default();
        schedule.add(timer("a", Condition::IdleAny(vec![watched(1, Phase::Working)]), Due::Never));
        assert!(schedule.watches(target(1)) && !schedule.watches(target(2)) && schedule.count_of(id(0)) == 1);
        schedule.drop_owned_by(id(0));
        assert!(!schedule.watches(target(1)) && schedule.count_of(id(0)) == 0);
    }
}
