//! Rates rules on a recording: by points that people have labelled, and by periods without input.
//!
//! A timeline is judged by two questions. Is the state right at every labelled point? And is it ever `idle` while the
//! agent is known to be busy? It is known to be busy
//! - between two consecutive labelled points that are both not idle, if nothing was typed between them;
//! - where `idle` turns into `working` or `blocked` although nothing was typed since it began: after its first prompt,
//!   an agent does not start to work by itself.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde::de::Error as _;

use super::replay::ReplayedState;
use super::vocabulary::State;

/// What people saw at one moment of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScorePoint {
    pub offset: usize,
    pub at: Duration,
    /// `None`: not to be judged.
    pub state: Option<State>,
    pub label: String,
}

/// The labelled points of each recording, in order: a list of objects with `raw` (the recording), `off` (bytes), `t`
/// (seconds), `label` and `state`.
pub fn points_from_json(bytes: &[u8]) -> Result<BTreeMap<String, Vec<ScorePoint>>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Labelled {
        raw: String,
        off: usize,
        t: f64,
        label: String,
        state: Option<State>,
    }
    let mut points: BTreeMap<String, Vec<ScorePoint>> = BTreeMap::new();
    for Labelled { raw, off, t, label, state } in serde_json::from_slice::<Vec<Labelled>>(bytes)? {
        let at = Duration::try_from_secs_f64(t).map_err(serde_json::Error::custom)?;
        points.entry(raw).or_default().push(ScorePoint { offset: off, at, state, label });
    }
    Ok(points)
}

/// A labelled point with a different result of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongPoint {
    pub point: ScorePoint,
    pub found: ReplayedState,
}

/// A period that was wrongly called idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongIdle {
    pub from: Duration,
    pub until: Duration,
}

impl WrongIdle {
    pub fn length(self) -> Duration {
        self.until.saturating_sub(self.from)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Labelled points with the right state.
    pub right: usize,
    pub wrong: Vec<WrongPoint>,
    pub wrong_idles: Vec<WrongIdle>,
}

impl Score {
    /// Rates a timeline; without times, only points are judged. `points` are in order; `typed` are the times of input,
    /// in order.
    pub fn of(timeline: &[ReplayedState], points: &[ScorePoint], typed: &[Duration]) -> Self {
        let mut score = Score::default();
        let judged: Vec<(&ScorePoint, State)> = points.iter().filter_map(|point| Some((point, point.state?))).collect();
        for (point, state) in &judged {
            // Only changes before the point count.
            let before = |one: &&ReplayedState| one.offset <= point.offset && one.at.is_none_or(|at| at <= point.at);
            match timeline.iter().rfind(before) {
                Some(found) if found.state == *state => score.right += 1,
                Some(found) => score.wrong.push(WrongPoint { point: (*point).clone(), found: found.clone() }),
                None => {}
            }
        }
        for pair in judged.windows(2) {
            let [(first, before), (second, after)] = pair else { continue };
            let typed = typed.iter().any(|at| (first.at..=second.at).contains(at));
            if *before != State::Idle && *after != State::Idle && !typed {
                score.wrong_idles.extend(idles(timeline).filter_map(|idle| idle.within(first.at, second.at)));
            }
        }
        for idle in idles(timeline).filter(|idle| idle.unasked_end(typed)) {
            let whole = WrongIdle { from: idle.from, until: idle.until };
            if !score.wrong_idles.contains(&whole) {
                score.wrong_idles.push(whole);
            }
        }
        score
    }

    pub fn longest_wrong_idle(&self) -> Duration {
        self.wrong_idles.iter().map(|idle| idle.length()).max().unwrap_or_default()
    }
}

/// A period in which the timeline says idle.
struct IdleScore {
    from: Duration,
    /// The next change; the end of time if there is none.
    until: Duration,
    next: Option<State>,
}

fn idles(timeline: &[ReplayedState]) -> impl Iterator<Item = IdleScore> {
    timeline.iter().enumerate().filter(|(_, one)| one.state == State::Idle).filter_map(|(index, one)| {
        let next = timeline.get(index + 1);
        let until = next.and_then(|next| next.at).unwrap_or(Duration::MAX);
        Some(IdleScore { from: one.at?, until, next: next.map(|next| next.state) })
    })
}

impl IdleScore {
    fn within(&self, from: Duration, until: Duration) -> Option<WrongIdle> {
        let (from, until) = (self.from.max(from), self.until.min(until));
        (from < until).then_some(WrongIdle { from, until })
    }

    /// It started to work again without any input.
    fn unasked_end(&self, typed: &[Duration]) -> bool {
        let after_first_prompt = typed.first().is_some_and(|first| *first < self.from);
        let asked = typed.iter().any(|at| (self.from..=self.until).contains(at));
        after_first_prompt && !asked && matches!(self.next, Some(State::Working | State::Blocked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(changes: &[(u64, State)]) -> Vec<ReplayedState> {
        let change = |(index, (at, state)): (usize, &(u64, State))| ReplayedState {
            offset: index * 100,
            at: Some(Duration::from_millis(*at)),
            state: *state,
            source: None,
            detail: String::new(),
        };
        changes.iter().enumerate().map(change).collect()
    }

    fn point(at: u64, state: State) -> ScorePoint {
        ScorePoint { offset: 10_000, at: Duration::from_millis(at), state: Some(state), label: String::new() }
    }

    fn wrong_idle(changes: &[(u64, State)], points: &[ScorePoint], typed: &[u64]) -> u64 {
        let typed: Vec<Duration> = typed.iter().copied().map(Duration::from_millis).collect();
        let score = Score::of(&timeline(changes), points, &typed);
        u64::try_from(score.longest_wrong_idle().as_millis()).unwrap()
    }

    #[test]
    fn points_are_judged_by_what_came_before_them() {
        let changes = timeline(&[(0, State::Starting), (100, State::Idle), (200, State::Working)]);
        let late = ScorePoint { offset: 150, ..point(250, State::Idle) };
        let score = Score::of(&changes, &[point(150, State::Idle), point(250, State::Idle), late], &[]);
        assert_eq!((score.right, score.wrong.len()), (2, 1), "{score:?}");
        assert_eq!(score.wrong[0].found.state, State::Working);
    }

    #[test]
    fn an_idle_between_two_points_at_work_is_wrong() {
        let changes = [(0, State::Working), (500, State::Idle), (900, State::Working)];
        let points = [point(400, State::Working), point(1000, State::Blocked)];
        assert_eq!(wrong_idle(&changes, &points, &[]), 400);
        assert_eq!(wrong_idle(&changes, &points, &[600]), 0, "it may have been idle until then");
        assert_eq!(wrong_idle(&changes, &[point(600, State::Working), point(700, State::Working)], &[]), 100);
        assert_eq!(wrong_idle(&changes, &[point(400, State::Working), point(1000, State::Idle)], &[600]), 0);
    }

    #[test]
    fn an_idle_that_ends_unasked_is_wrong_once_there_was_a_prompt() {
        let changes = [(0, State::Working), (500, State::Idle), (900, State::Blocked)];
        assert_eq!(wrong_idle(&changes, &[], &[100]), 400);
        assert_eq!(wrong_idle(&changes, &[], &[100, 600]), 0, "it was asked");
        assert_eq!(wrong_idle(&changes, &[], &[]), 0, "programs start other things while they start");
        assert_eq!(wrong_idle(&changes[..2], &[], &[100]), 0);
    }
}
