//! What a session is doing, decided from evidence by rules that are data.
//!
//! [`Behaviour`] is a preset's part. [`Tracker`] turns an observation of a session into evidence, and [`decide()`]
//! turns evidence into one answer; neither reads a clock. [`StateWatch`] feeds them from a live session, [`replay()`]
//! from a recording; [`Score`] rates the latter.

mod behaviour;
mod decide;
mod explanation;
mod matching;
mod observation;
mod pictures;
mod prompt;
mod region;
mod replay;
mod score;
mod tracker;
mod vocabulary;
mod watch;

pub use behaviour::Behaviour;
pub use decide::{Decision, Evidence, Weight, decide, pending};
pub use explanation::{CountedVote, Explanation, VoteStanding};
pub use matching::InputText;
pub(crate) use matching::Matcher;
pub use observation::{HookEvent, Observation, RunPhase};
pub use prompt::{Choice, Effect, Prompt};
pub(crate) use replay::Player;
pub use replay::{
    RecordedHook, Recording, ReplayedState, Timing, hooks_from_jsonl, prompt_at_end, replay, typed_from_jsonl,
};
pub use score::{Score, ScorePoint, WrongIdle, WrongPoint, points_from_json};
pub use tracker::{PendingDecision, Readiness, StateLook, Tracker};
pub use vocabulary::{AgentStatus, Source, State};
pub(crate) use watch::{AgentSnapshot, OutputTime, StateBoard};
pub use watch::{AskedDecision, StateChanges, StateOutcome, StateWatch};
