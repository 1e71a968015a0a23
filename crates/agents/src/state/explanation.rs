//! Every vote behind an answer, for people and agents that doubt it.

use super::decide::{Decision, Evidence, Weight};
use super::matching::InputText;
use super::prompt::Prompt;
use super::tracker::{Readiness, StateLook};
use super::vocabulary::AgentStatus;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub status: AgentStatus,
    /// One for each rule, in their order.
    pub votes: Vec<CountedVote>,
    pub readiness: Readiness,
    pub input: InputText,
    /// What it asks, where that can be read.
    pub prompt: Option<Prompt>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedVote {
    pub evidence: Evidence,
    pub standing: VoteStanding,
}

/// What became of a vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoteStanding {
    Decides,
    /// Holds, but a stronger one decides.
    Outvoted,
    TooYoung,
    Stale,
    Absent,
}

impl VoteStanding {
    pub fn as_str(self) -> &'static str {
        match self {
            VoteStanding::Decides => "decides",
            VoteStanding::Outvoted => "outvoted",
            VoteStanding::TooYoung => "too_young",
            VoteStanding::Stale => "stale",
            VoteStanding::Absent => "absent",
        }
    }
}

impl Explanation {
    pub(crate) fn new(status: AgentStatus, look: StateLook) -> Self {
        let StateLook { decision, evidence, readiness, input, prompt, .. } = look;
        let stand = |(index, evidence): (usize, Evidence)| {
            let standing = match evidence.weight {
                _ if decision == Decision::Counts(index) => VoteStanding::Decides,
                Weight::Holds { .. } | Weight::Lingers => VoteStanding::Outvoted,
                Weight::TooYoung => VoteStanding::TooYoung,
                Weight::Stale => VoteStanding::Stale,
                Weight::Absent => VoteStanding::Absent,
            };
            CountedVote { evidence, standing }
        };
        let votes = evidence.into_iter().enumerate().map(stand).collect();
        Explanation { status, votes, readiness, input, prompt }
    }
}
