//! One answer from all the evidence. A pure function.

use std::time::Instant;

use super::observation::RunPhase;
use super::vocabulary::{Source, State};
use crate::preset::Vote;

/// What one rule says at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub rule: String,
    pub source: Source,
    pub vote: Vote,
    pub kind: Option<String>,
    pub detail: String,
    pub weight: Weight,
}

/// Whether evidence counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    Holds {
        since: Instant,
    },
    /// Stopped holding a moment ago.
    Lingers,
    /// Holds, but not for long enough yet.
    TooYoung,
    /// Was given too long ago, or something newer speaks against it.
    Stale,
    /// Does not hold.
    Absent,
}

/// The answer, and which evidence gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub state: State,
    pub evidence: Option<usize>,
}

/// `shown` says whether this run has given any evidence yet.
///
/// A prompt on the screen that waits for a decision beats everything: a stale "idle" would let
/// text be typed into it. Otherwise the strongest source decides; of one source, the first rule
/// that holds, and only then one that lingers.
pub fn decide(phase: RunPhase, evidence: &[Evidence], shown: bool) -> Decision {
    match phase {
        RunPhase::Ended(_) => return Decision { state: State::Exited, evidence: None },
        RunPhase::Starting => return Decision { state: State::Starting, evidence: None },
        RunPhase::Running => {}
    }
    let rank = |evidence: &Evidence| match evidence.weight {
        Weight::Holds { .. } => Some(0),
        Weight::Lingers => Some(1),
        Weight::TooYoung | Weight::Stale | Weight::Absent => None,
    };
    let prompt_on_screen = |evidence: &Evidence| evidence.vote == Vote::Blocked && evidence.source == Source::Screen;
    let strongest = evidence
        .iter()
        .enumerate()
        .filter_map(|(index, evidence)| Some((!prompt_on_screen(evidence), evidence.source, rank(evidence)?, index)))
        .min();
    let Some((_, _, _, index)) = strongest else {
        let state = if shown { State::Unknown } else { State::Starting };
        return Decision { state, evidence: None };
    };
    let state = match evidence[index].vote {
        Vote::Idle => State::Idle,
        Vote::Working => State::Working,
        Vote::Blocked => State::Blocked,
    };
    Decision { state, evidence: Some(index) }
}
