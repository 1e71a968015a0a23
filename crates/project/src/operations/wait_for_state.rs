//! Waiting until an agent is at rest, or whatever else it may be doing.

use std::time::Duration;

use agents::{AgentStatus, State};
use engine::Session;
use ops::{Call, Effects, ErrorKind, Faces, OpError, Operation, Roles, Traits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    delivery::{DeliveryState, Receipt},
    project::Project,
};

/// Wait until a session is doing one of the given things: by default until it is idle or blocked, which is when an agent
/// has something to say or to ask. A session with a prompt on its way is not idle yet; with turn_id the wait begins when
/// that prompt was taken. A timeout is no error: reached is false and reason says why. Replies of agents come to your
/// own input; to go on meanwhile, use timer_fire_when_idle_any instead.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// Any of these ends the wait; idle and blocked when left out.
    #[serde(default)]
    pub states: Option<Vec<State>>,
    /// Of a prompt, as spawn_agent or send_message answered.
    #[serde(default)]
    pub turn_id: Option<String>,
    /// At most 600; 30 when left out.
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub reached: bool,
    pub reason: Reason,
    pub state: StateFacts,
    /// With turn_id: where that prompt stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Receipt>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    Reached,
    TimedOut,
    /// The program ended first.
    Exited,
    /// The prompt was not taken and will not be.
    DeliveryFailed,
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
    pub kind: Option<String>,
    pub detail: String,
}

impl StateFacts {
    pub(crate) fn of(status: &AgentStatus) -> Self {
        StateFacts {
            name: status.state,
            since: ops::rfc3339(status.since_time),
            source: status.source,
            kind: status.kind.clone(),
            detail: status.detail.clone(),
        }
    }
}

#[derive(Debug)]
pub struct WaitForState;

impl Operation<Project> for WaitForState {
    const TRAITS: Traits =
        Traits { name: "wait_for_state", roles: Roles::ANYONE, faces: Faces::MCP, effects: Effects::ReadOnly };
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
    let mut ticket = match &turn_id {
        Some(turn_id) => Some(call.context.crew().ticket(session, turn_id).ok_or_else(|| {
            let shown: String = turn_id.chars().take(64).collect();
            OpError::new(ErrorKind::NotFound, format!("session {} has no turn '{shown}'", session.id()))
                .with_hint("give the turn_id that spawn_agent or send_message answered, or leave it out")
        })?),
        None => None,
    };
    let timed_out = clock.sleep_until(deadline);
    tokio::pin!(timed_out);
    let mut delivery = None;
    if let Some(ticket) = &mut ticket {
        let receipt = tokio::select! {
            receipt = ticket.settled(Duration::MAX) => receipt,
            () = &mut timed_out => ticket.receipt(),
        };
        let receipt = Receipt::from(&receipt.outcome);
        let state = StateFacts::of(&standing.borrow().status);
        let reason = match receipt.state {
            DeliveryState::Submitted => None,
            DeliveryState::Queued => Some(Reason::TimedOut),
            DeliveryState::Failed => Some(Reason::DeliveryFailed),
        };
        if let Some(reason) = reason {
            return Ok(Reply { reached: false, reason, state, delivery: Some(receipt) });
        }
        delivery = Some(receipt);
    }
    let reason = loop {
        let state = standing.borrow_and_update().state();
        if wanted.contains(&state) {
            break Reason::Reached;
        }
        if state == State::Exited {
            break Reason::Exited;
        }
        tokio::select! {
            changed = standing.changed() => if changed.is_err() { break Reason::Exited },
            () = &mut timed_out => break Reason::TimedOut,
        }
    };
    let state = StateFacts::of(&standing.borrow().status);
    Ok(Reply { reached: reason == Reason::Reached, reason, state, delivery })
}
