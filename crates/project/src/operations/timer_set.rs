//! Setting a timer, and what all timers share: whose it is, what it says, how long it may take.

use std::time::Duration;

use agents::TurnId;
use engine::{Kind, Session};
use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::send_message::{check_length, running};
use crate::{
    messages::{Speaker, tagged},
    project::Project,
    timers::{AwaitedSession, NewTimer, SetOutcome, TimerCause},
};

/// Set a timer that brings `body` back to you after some seconds, as a turn of its own. Use it instead of sleeping: your
/// turn can end meanwhile.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// From now on.
    pub seconds: f64,
    /// The text that you will get when it fires.
    pub body: String,
    /// Shown in timer_list.
    #[serde(default)]
    pub label: Option<String>,
    /// The recipient of the body: an agent below you, or yourself when left out. An operator has to name one.
    #[serde(default)]
    pub owner_process_id: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub timer_id: String,
}

/// What both idle timers answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IdleReply {
    /// Left out when there is no timer, because there is nothing to wait for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timer_id: Option<String>,
    /// The condition is already met; nothing will fire.
    pub already_satisfied: bool,
    /// The watched sessions and turns that were already at rest or had ended when you called.
    pub already_idle: Vec<String>,
}

/// What both idle timers are given.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub struct WhenIdle {
    /// Ids or names of sessions below you, or turn_ids of prompts that you sent to them, 1 to 64. A turn has come to
    /// rest when the agent has done with that very prompt, or waits for a decision in it; what it did before does not
    /// count.
    watched: Vec<String>,
    /// The text that you will get when it fires.
    body: String,
    /// Shown in timer_list.
    #[serde(default)]
    label: Option<String>,
    /// Fire after this many seconds in any case. Left out or 0: wait as long as it takes.
    #[serde(default)]
    max_wait_seconds: Option<f64>,
    /// The recipient of the body: an agent below you, or yourself when left out. An operator has to name one.
    #[serde(default)]
    owner_process_id: Option<String>,
}

pub(super) const ERRORS: &[ErrorKind] = &[
    ErrorKind::NotFound,
    ErrorKind::NotRunning,
    ErrorKind::WrongKind,
    ErrorKind::NotRelated,
    ErrorKind::LimitExceeded,
];

/// 30 days: nobody waits longer for an agent, and every clock can represent it.
const MAX_SECONDS: f64 = 30.0 * 24.0 * 3600.0;
const MAX_WATCHED: usize = 64;
const MAX_LABEL: usize = 100;

#[derive(Debug)]
pub struct TimerSet;

impl Operation<Project> for TimerSet {
    const TRAITS: OperationTraits =
        OperationTraits { name: "timer_set", roles: Roles::ANYONE, faces: Faces::MCP, effects: CallEffects::Additive };
    const ERRORS: &'static [ErrorKind] = ERRORS;
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, args: Args) -> Result<Reply, OpError> {
        let owner = owner(&call, args.owner_process_id.as_deref())?;
        check_length(&args.body)?;
        let text = text(&call, &owner, &args.body);
        delay(&call, owner, args.seconds, text, label(args.label))
    }
}

/// Sets a timer that waits only for time.
pub(super) fn delay(
    call: &Call<Project>,
    owner: Session,
    seconds: f64,
    text: String,
    label: Option<String>,
) -> Result<Reply, OpError> {
    let within = Some(duration("seconds", seconds)?);
    let set_by = call.caller.session;
    match call.context.timers().set(NewTimer { owner, set_by, label, text, wait: TimerCause::Delay, within })? {
        SetOutcome::Pending { id, .. } => Ok(Reply { timer_id: id }),
        SetOutcome::AlreadySatisfied => unreachable!("a delay waits for nobody"),
    }
}

pub(super) fn set_when_idle(
    call: &Call<Project>,
    when: WhenIdle,
    wait: impl FnOnce(Vec<AwaitedSession>) -> TimerCause,
) -> Result<IdleReply, OpError> {
    let owner = owner(call, when.owner_process_id.as_deref())?;
    check_length(&when.body)?;
    if when.watched.is_empty() || when.watched.len() > MAX_WATCHED {
        return Err(OpError::invalid_args(format!("{} sessions are watched", when.watched.len()))
            .with_hint(format!("name 1 to {MAX_WATCHED} sessions below you")));
    }
    let mut watched: Vec<AwaitedSession> = Vec::with_capacity(when.watched.len());
    for wanted in &when.watched {
        let awaited = awaited(call, wanted)?;
        let session = &awaited.session;
        if session.id() == owner.id() {
            return Err(OpError::invalid_args(format!("session {} would wait for itself", session.id()))
                .with_hint("watch the sessions you wait for, not your own"));
        }
        if !watched.iter().any(|other| other.target() == awaited.target()) {
            watched.push(awaited);
        }
    }
    let within = match when.max_wait_seconds {
        Some(seconds) if seconds != 0.0 => Some(duration("max_wait_seconds", seconds)?),
        _ => None,
    };
    let all: Vec<String> = watched.iter().map(|awaited| awaited.target().to_string()).collect();
    let new = NewTimer {
        text: text(call, &owner, &when.body),
        owner,
        set_by: call.caller.session,
        label: label(when.label),
        wait: wait(watched),
        within,
    };
    Ok(match call.context.timers().set(new)? {
        SetOutcome::Pending { id, resting } => IdleReply {
            timer_id: Some(id),
            already_satisfied: false,
            already_idle: resting.iter().map(ToString::to_string).collect(),
        },
        SetOutcome::AlreadySatisfied => IdleReply { timer_id: None, already_satisfied: true, already_idle: all },
    })
}

/// A session by id or name, or a turn by its id.
fn awaited(call: &Call<Project>, wanted: &str) -> Result<AwaitedSession, OpError> {
    if let Ok(turn) = wanted.parse::<TurnId>() {
        let session = call.own_session(&turn.session().to_string())?;
        if call.context.crew().turn(turn).is_some() {
            return Ok(AwaitedSession { session, turn: Some(turn) });
        }
        return Err(super::wait_for_state::no_such_turn(&session, wanted));
    }
    Ok(AwaitedSession { session: call.own_session(wanted)?, turn: None })
}

/// The agent that gets the text: the caller, or one in its own tree.
pub(super) fn owner(call: &Call<Project>, wanted: Option<&str>) -> Result<Session, OpError> {
    let owner = match (wanted.filter(|wanted| !wanted.is_empty()), call.caller.session) {
        (Some(wanted), _) => call.own_session(wanted)?,
        (None, Some(own)) => call.engine().get(own)?,
        (None, None) => {
            return Err(OpError::invalid_args("an operator owns no timers")
                .with_hint("name the agent that gets the body as owner_process_id"));
        }
    };
    if owner.kind() != Kind::Agent {
        let message = format!("session {} is a {} and reads no turns", owner.id(), owner.kind());
        return Err(OpError::new(ErrorKind::WrongKind, message).with_hint("name an agent as owner_process_id"));
    }
    running(&owner)?;
    Ok(owner)
}

/// A timer's text for the agent itself comes from patterm; a text for one below it comes from the agent.
pub(super) fn text(call: &Call<Project>, owner: &Session, body: &str) -> String {
    let own = call.caller.session.is_none_or(|caller| caller == owner.id());
    let speaker = if own { Speaker::System } else { Speaker::Orchestrator };
    // Agents sometimes write the tag themselves.
    let body = body.trim_start();
    tagged(&speaker, body.strip_prefix("[system]").map_or(body, str::trim_start))
}

pub(super) fn label(label: Option<String>) -> Option<String> {
    let shown = |one: char| if one.is_control() { ' ' } else { one };
    label.map(|label| label.chars().map(shown).take(MAX_LABEL).collect()).filter(|label: &String| !label.is_empty())
}

fn duration(name: &str, seconds: f64) -> Result<Duration, OpError> {
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if seconds <= MAX_SECONDS => Ok(duration),
        _ => Err(OpError::invalid_args(format!("{name} is {seconds}")).with_hint(format!("use 0 to {MAX_SECONDS}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_limit() {
        assert_eq!(duration("seconds", 0.5).unwrap(), Duration::from_millis(500));
        for wrong in [-1.0, f64::NAN, f64::INFINITY, MAX_SECONDS + 1.0] {
            assert_eq!(duration("seconds", wrong).unwrap_err().kind, ErrorKind::InvalidArgs, "{wrong}");
        }
    }

    #[test]
    fn labels_are_short_and_plain() {
        assert_eq!(label(Some("a\u{1b}b".into())), Some("a b".into()));
        assert_eq!(label(Some(String::new())), None);
        assert_eq!(label(Some("x".repeat(500))).unwrap().len(), MAX_LABEL);
    }
}
