//! Combines all evidence into one answer. A pure function.

use std::time::{Duration, Instant};

use super::vocabulary::{Source, State};
use crate::preset::{DecisionKind, Vote};

/// How long a screen must show work before an older report of rest is not believed any more: programs draw before they
/// report as well.
const REPORT_OUTLIVED: Duration = Duration::from_secs(2);

/// The result of one rule at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub rule: String,
    pub source: Source,
    pub vote: Vote,
    pub kind: Option<DecisionKind>,
    pub detail: String,
    pub weight: Weight,
}

/// Whether evidence counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    Holds {
        /// When the evidence was given; for the screen and silence, since when it holds.
        since: Instant,
    },
    /// Stopped holding a moment ago.
    Lingers,
    /// Holds, but not for long enough yet.
    TooYoung,
    /// Was given too long ago, or is contradicted by something newer.
    Stale,
    /// Does not hold.
    Absent,
}

/// The combined result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The evidence with this index decides.
    Counts(usize),
    /// The strongest evidence, with this index, is too young: the previous answer remains for now.
    Matures(usize),
    /// There is no evidence.
    Silent,
}

/// A pending decision on the screen beats everything: a stale "idle" would let text be typed into it. Otherwise the
/// strongest source decides; of one source, the first rule that holds, and only then one that lingers or is too young.
pub fn decide(evidence: &[Evidence]) -> Decision {
    let rank = |evidence: &Evidence| match evidence.weight {
        Weight::Holds { .. } => Some(0),
        Weight::Lingers => Some(1),
        Weight::TooYoung => Some(2),
        Weight::Stale | Weight::Absent => None,
    };
    let prompt_on_screen = |evidence: &Evidence| {
        let counts = matches!(evidence.weight, Weight::Holds { .. } | Weight::Lingers);
        counts && evidence.vote == Vote::Blocked && evidence.source == Source::Screen
    };
    let strongest = evidence
        .iter()
        .enumerate()
        .filter_map(|(index, evidence)| Some((!prompt_on_screen(evidence), evidence.source, rank(evidence)?, index)))
        .min();
    match strongest {
        None => Decision::Silent,
        Some((_, _, 2, index)) => Decision::Matures(index),
        Some((_, _, _, index)) => Decision::Counts(index),
    }
}

/// The pending decision, if there is one: whatever is visible on the screen, even if only just drawn, and otherwise
/// what decides. Evidence that is stale or contradicted by a stronger source is ignored.
pub fn pending(evidence: &[Evidence], decision: Decision) -> Option<&Evidence> {
    let asks = |evidence: &&Evidence| evidence.vote == Vote::Blocked;
    let seen = |evidence: &&Evidence| {
        evidence.source == Source::Screen && !matches!(evidence.weight, Weight::Stale | Weight::Absent)
    };
    let decides = || match decision {
        Decision::Counts(index) | Decision::Matures(index) => evidence.get(index),
        Decision::Silent => None,
    };
    evidence.iter().filter(asks).find(seen).or_else(|| decides().filter(asks))
}

/// What the program reported counts no longer once the screen has shown the opposite for a moment: it began to show work
/// after the report of rest was given, and has gone on showing it. Nothing on a screen makes a reported work a rest, for
/// many screens look at rest while their program works. `reported` says which evidence is the program's own word.
///
/// Returns when that may come to hold though nothing happens.
pub(crate) fn overrule_reports(
    evidence: &mut [Evidence],
    reported: impl Fn(usize) -> bool,
    now: Instant,
) -> Option<Instant> {
    let shows_work = |evidence: &Evidence| match evidence.weight {
        Weight::Holds { since } if evidence.source == Source::Screen && evidence.vote == Vote::Working => Some(since),
        _ => None,
    };
    let shown = evidence.iter().filter_map(shows_work).max()?;
    let counts_at = shown.checked_add(REPORT_OUTLIVED)?;
    let mut pending = false;
    for (index, evidence) in evidence.iter_mut().enumerate() {
        if !reported(index) {
            continue;
        }
        let Weight::Holds { since } = evidence.weight else { continue };
        if evidence.vote == Vote::Working || since >= shown {
            continue;
        }
        if counts_at > now {
            pending = true;
        } else {
            evidence.weight = Weight::Stale;
        }
    }
    pending.then_some(counts_at)
}

impl From<Vote> for State {
    fn from(vote: Vote) -> Self {
        match vote {
            Vote::Idle => State::Idle,
            Vote::Working => State::Working,
            Vote::Blocked => State::Blocked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn holds() -> Weight {
        Weight::Holds { since: Instant::now() }
    }

    fn evidence(source: Source, vote: Vote, weight: Weight) -> Evidence {
        Evidence { rule: String::new(), source, vote, kind: None, detail: String::new(), weight }
    }

    #[test]
    fn the_strongest_source_decides_and_of_one_source_the_first_rule() {
        let votes = [
            evidence(Source::Silence, Vote::Idle, holds()),
            evidence(Source::Screen, Vote::Idle, holds()),
            evidence(Source::Screen, Vote::Working, holds()),
            evidence(Source::SelfReport, Vote::Working, Weight::Absent),
        ];
        assert_eq!(decide(&votes), Decision::Counts(1));
        assert_eq!(decide(&votes[..1]), Decision::Counts(0));
        assert_eq!(decide(&votes[3..]), Decision::Silent);
        assert_eq!(decide(&[]), Decision::Silent);
    }

    #[test]
    fn a_visible_prompt_beats_whatever_the_agent_says() {
        let mut votes =
            [evidence(Source::SelfReport, Vote::Idle, holds()), evidence(Source::Screen, Vote::Blocked, holds())];
        assert_eq!(decide(&votes), Decision::Counts(1));
        votes[1].weight = Weight::Lingers;
        assert_eq!(decide(&votes), Decision::Counts(1));
        votes[1].weight = Weight::TooYoung;
        assert_eq!(decide(&votes), Decision::Counts(0));
        // Only visible evidence: a title may be old.
        votes[1] = evidence(Source::Osc, Vote::Blocked, holds());
        assert_eq!(decide(&votes), Decision::Counts(0));
    }

    #[test]
    fn a_report_of_rest_is_not_believed_once_the_screen_has_shown_work_for_a_moment() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let votes = |report: Vote, given: u64, shown: u64| {
            vec![
                evidence(Source::SelfReport, report, Weight::Holds { since: at(given) }),
                evidence(Source::Screen, Vote::Working, Weight::Holds { since: at(shown) }),
            ]
        };
        let judged = |mut votes: Vec<Evidence>, now: u64| {
            let again = overrule_reports(&mut votes, |index| index == 0, at(now));
            (votes[0].weight == Weight::Stale, again)
        };
        assert_eq!(judged(votes(Vote::Idle, 1, 5), 6), (false, Some(at(7))), "a moment");
        assert_eq!(judged(votes(Vote::Idle, 1, 5), 7), (true, None));
        assert_eq!(judged(votes(Vote::Blocked, 1, 5), 60), (true, None));
        assert_eq!(judged(votes(Vote::Idle, 6, 5), 60), (false, None), "the report is newer");
        assert_eq!(judged(votes(Vote::Working, 1, 5), 60), (false, None));
        let mut rest = votes(Vote::Working, 1, 5);
        rest[1].vote = Vote::Idle;
        assert_eq!(judged(rest, 60), (false, None), "a screen at rest says nothing against work");
    }

    #[test]
    fn young_evidence_of_a_strong_source_keeps_weaker_ones_from_deciding() {
        let votes = [
            evidence(Source::SelfReport, Vote::Idle, Weight::TooYoung),
            evidence(Source::Osc, Vote::Blocked, Weight::Lingers),
        ];
        assert_eq!(decide(&votes), Decision::Matures(0));
    }

    #[test]
    fn what_is_seen_or_decides_is_pending_and_what_is_over_is_not() {
        let blocked = |source, weight| evidence(source, Vote::Blocked, weight);
        let pending_of = |votes: &[Evidence]| pending(votes, decide(votes)).map(|evidence| evidence.source);
        let idle = evidence(Source::SelfReport, Vote::Idle, holds());
        assert_eq!(pending_of(&[idle.clone(), blocked(Source::Screen, Weight::TooYoung)]), Some(Source::Screen));
        assert_eq!(pending_of(&[blocked(Source::SelfReport, Weight::TooYoung)]), Some(Source::SelfReport));
        assert_eq!(pending_of(&[blocked(Source::SelfReport, Weight::Stale), idle.clone()]), None);
        assert_eq!(pending_of(&[idle, blocked(Source::Osc, holds())]), None, "its own word is newer than its title");
    }

    fn any_evidence() -> impl Strategy<Value = Evidence> {
        let source =
            prop::sample::select(vec![Source::SelfReport, Source::Osc, Source::Screen, Source::Tty, Source::Silence]);
        let vote = prop::sample::select(vec![Vote::Idle, Vote::Working, Vote::Blocked]);
        let weight =
            prop::sample::select(vec![holds(), Weight::Lingers, Weight::TooYoung, Weight::Stale, Weight::Absent]);
        (source, vote, weight).prop_map(|(source, vote, weight)| evidence(source, vote, weight))
    }

    proptest! {
        #[test]
        fn nothing_is_idle_while_a_prompt_is_seen(mut votes in prop::collection::vec(any_evidence(), 0..8), at in 0usize..8) {
            votes.insert(at.min(votes.len()), evidence(Source::Screen, Vote::Blocked, holds()));
            let Decision::Counts(index) = decide(&votes) else { panic!("it must decide") };
            prop_assert_eq!(votes[index].vote, Vote::Blocked);
        }

        #[test]
        fn what_does_not_count_never_decides(votes in prop::collection::vec(any_evidence(), 0..8)) {
            match decide(&votes) {
                Decision::Counts(index) => {
                    let counts = matches!(votes[index].weight, Weight::Holds { .. } | Weight::Lingers);
                    prop_assert!(counts);
                }
                Decision::Matures(index) => prop_assert_eq!(votes[index].weight, Weight::TooYoung),
                Decision::Silent => {
                    prop_assert!(votes.iter().all(|vote| matches!(vote.weight, Weight::Stale | Weight::Absent)));
                }
            }
        }
    }
}
