//! Waiting until an agent is at rest, or whatever else it may be doing.

use std::{sync::Arc, time::Duration};

use agents::{AgentStatus, State, TurnId, state::Prompt};
use engine::Session;
use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tokio::sync::watch;

use crate::{
    crew::{
        AgentStanding,
        turns::{PromptTurn, TurnFacts, TurnLog, TurnStage},
    },
    delivery::DeliveryFacts,
    project::Project,
};

/// Wait until a session is doing one of the given things: by default until it is idle or blocked, which is when an agent
/// has something to say or to ask. A session with a prompt on its way is not idle yet. With turn_id only that turn counts:
/// idle means that the agent has done with that very prompt, whatever it did before or does since. A timeout is no error:
/// reached is false and reason says why. Replies of agents come to your own input; to go on meanwhile, use
/// timer_fire_when_idle_any instead.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// Any of these ends the wait; idle and blocked when left out.
    #[serde(default)]
    pub states: Option<Vec<State>>,
    /// A prompt's turn id, as returned by spawn_agent or send_message.
    #[serde(default)]
    pub turn_id: Option<String>,
    /// At most 600; 30 when left out.
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub reached: bool,
    pub reason: WaitReason,
    pub state: StateFacts,
    /// With turn_id: the state of that prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<DeliveryFacts>,
    /// With turn_id: how far that turn has come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnFacts>,
    /// The question, if a decision is pending and can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Prompt>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitReason {
    Reached,
    TimedOut,
    /// The program ended first.
    Exited,
    /// The prompt was not taken and will not be.
    DeliveryFailed,
    /// The turn ended without it.
    TurnOver,
}

/// What a session is doing, since when, and how that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StateFacts {
    pub name: State,
    pub since: String,
    /// Where the evidence comes from, strongest first: process, self_report, osc, screen, tty, silence. Left out: there
    /// is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<agents::Source>,
    /// What kind of decision a blocked agent waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<agents::preset::DecisionKind>,
    /// The CLI's own mode that decides what it asks for, such as its plan mode or one that allows things by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    pub detail: String,
}

impl StateFacts {
    pub(crate) fn of(status: &AgentStatus) -> Self {
        StateFacts {
            name: status.state,
            since: ops::rfc3339(status.since_time),
            source: status.source,
            kind: status.kind,
            mode: status.mode.clone(),
            detail: status.detail.clone(),
        }
    }
}

/// Real time: it only limits how long to wait for a readable question.
const PROMPT_DRAWN: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct WaitForState;

impl Operation<Project> for WaitForState {
    const TRAITS: OperationTraits = OperationTraits {
        name: "wait_for_state",
        roles: Roles::ANYONE,
        faces: Faces::MCP,
        effects: CallEffects::ReadOnly,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, args: Args) -> Result<Reply, OpError> {
        let session = call.session(&args.process_id)?;
        let timeout = ops::operations::timeout(args.timeout_seconds)?;
        let wanted = args.states.unwrap_or_else(|| vec![State::Idle, State::Blocked]);
        if wanted.is_empty() {
            return Err(
                OpError::invalid_args("there are no states to wait for").with_hint("leave states out, or name some")
            );
        }
        let what = format!("waiting for {}", session.id());
        ops::operations::with_progress(&call, &what, wait(&call, &session, &wanted, args.turn_id, timeout)).await
    }
}

async fn wait(
    call: &Call<Project>,
    session: &Session,
    wanted: &[State],
    turn_id: Option<String>,
    timeout: Duration,
) -> Result<Reply, OpError> {
    let clock = call.engine().clock().clone();
    let deadline = clock.now() + timeout;
    let mut standing = call.context.crew().standing(session);
    // Kept separately: the turns of a session that is removed meanwhile come to an end, too.
    let turn = match &turn_id {
        Some(turn_id) => Some(find_turn(call, session, turn_id)?),
        None => None,
    };
    let turn_now = || turn.as_ref().and_then(|(id, turns)| turns.get(*id));
    let timed_out = clock.sleep_until(deadline);
    tokio::pin!(timed_out);
    let reason = loop {
        let now = standing.borrow_and_update().clone();
        let judged = match (&turn, turn_now()) {
            (None, _) => judge(now.state(), wanted),
            (Some(_), Some(turn)) => judge_turn(turn.stage(), turn.has_worked(), now.status.state, wanted),
            // Too many turns have come after it.
            (Some(_), None) => Some(WaitReason::TurnOver),
        };
        if let Some(reason) = judged {
            break reason;
        }
        tokio::select! {
            changed = standing.changed() => if changed.is_err() { break WaitReason::Exited },
            () = &mut timed_out => break WaitReason::TimedOut,
        }
    };
    let blocked = standing.borrow().status.state == State::Blocked;
    let prompt = if blocked { drawn_prompt(call, session, &mut standing).await } else { None };
    let crew = call.context.crew();
    let status = standing.borrow().status.clone();
    let state = StateFacts::of(&crew.with_version(session.id(), status));
    let digest = prompt.as_ref().map(|prompt| prompt.digest.as_str());
    call.context.inner.read_prompts.note(&call.caller, session.id(), digest);
    let turn = turn_now();
    Ok(Reply {
        reached: reason == WaitReason::Reached,
        reason,
        state,
        delivery: turn.as_ref().map(|turn| crew.with_reason(session.id(), turn.delivery())),
        turn: turn.as_ref().map(PromptTurn::facts),
        prompt,
    })
}

/// A blocked agent's question. Some agents report it before they draw it, so this waits a moment.
async fn drawn_prompt(
    call: &Call<Project>,
    session: &Session,
    standing: &mut watch::Receiver<AgentStanding>,
) -> Option<Prompt> {
    let crew = call.context.crew();
    let readable = crew.preset(session.id()).is_some_and(|preset| !preset.prompts.is_empty());
    let enough = tokio::time::sleep(PROMPT_DRAWN);
    tokio::pin!(enough);
    loop {
        let prompt = crew.prompt(session.id());
        let blocked = standing.borrow_and_update().status.state == State::Blocked;
        if prompt.is_some() || !readable || !blocked {
            return prompt;
        }
        tokio::select! {
            changed = standing.changed() => if changed.is_err() { return None },
            () = &mut enough => return crew.prompt(session.id()),
        }
    }
}

fn find_turn(call: &Call<Project>, session: &Session, turn_id: &str) -> Result<(TurnId, Arc<TurnLog>), OpError> {
    let id = turn_id.parse::<TurnId>().ok().filter(|id| id.session() == session.id());
    let turns = call.context.crew().turns(session.id());
    id.zip(turns).filter(|(id, turns)| turns.get(*id).is_some()).ok_or_else(|| no_such_turn(session, turn_id))
}

pub(super) fn no_such_turn(session: &Session, turn_id: &str) -> OpError {
    let shown: String = turn_id.chars().take(64).collect();
    OpError::new(ErrorKind::NotFound, format!("session {} has no turn '{shown}'", session.id()))
        .with_hint("give the turn_id that spawn_agent or send_message answered, or name the session alone")
}

fn judge(state: State, wanted: &[State]) -> Option<WaitReason> {
    if wanted.contains(&state) {
        return Some(WaitReason::Reached);
    }
    (state == State::Exited).then_some(WaitReason::Exited)
}

/// Only what the agent does in that turn counts: not what it did before it accepted the prompt, nor after the turn.
fn judge_turn(stage: TurnStage, has_worked: bool, state: State, wanted: &[State]) -> Option<WaitReason> {
    let wants = |state| wanted.contains(&state);
    match stage {
        TurnStage::Queued => None,
        TurnStage::Failed => Some(WaitReason::DeliveryFailed),
        TurnStage::UnderWay if has_worked && wants(State::Working) => Some(WaitReason::Reached),
        // Rest is reported when the turn is over.
        TurnStage::UnderWay if state == State::Idle => None,
        TurnStage::UnderWay => judge(state, wanted),
        TurnStage::Settled if wants(State::Idle) || wants(State::Working) => Some(WaitReason::Reached),
        TurnStage::Settled => Some(WaitReason::TurnOver),
        TurnStage::Exited => judge(State::Exited, wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_judged_by_itself() {
        let rest = [State::Idle, State::Blocked];
        let judged = |stage, state, wanted: &[State]| judge_turn(stage, true, state, wanted);
        assert_eq!(judged(TurnStage::Queued, State::Idle, &rest), None, "that is the rest before it");
        assert_eq!(judged(TurnStage::Queued, State::Blocked, &rest), None, "another turn asks");
        assert_eq!(judged(TurnStage::UnderWay, State::Idle, &rest), None);
        assert_eq!(judged(TurnStage::UnderWay, State::Blocked, &rest), Some(WaitReason::Reached));
        assert_eq!(judged(TurnStage::UnderWay, State::Working, &[State::Working]), Some(WaitReason::Reached));
        assert_eq!(
            judged(TurnStage::Settled, State::Working, &rest),
            Some(WaitReason::Reached),
            "the next one works already"
        );
        assert_eq!(judged(TurnStage::Settled, State::Blocked, &[State::Blocked]), Some(WaitReason::TurnOver));
        assert_eq!(judged(TurnStage::Exited, State::Exited, &rest), Some(WaitReason::Exited));
        assert_eq!(judged(TurnStage::Exited, State::Exited, &[State::Exited]), Some(WaitReason::Reached));
        assert_eq!(judged(TurnStage::Failed, State::Idle, &rest), Some(WaitReason::DeliveryFailed));
        assert_eq!(judge_turn(TurnStage::UnderWay, false, State::Unknown, &[State::Working]), None);
    }
}
