//! Speaking to the agent above or below.

use std::time::Duration;

use agents::delivery::MAX_BODY_BYTES;
use engine::Kind;
use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::{own_session, typist};
use crate::{
    delivery::{DeliveryFacts, DeliveryState, refused},
    messages::{direction, tagged},
    project::Project,
};

/// Send a message to an agent that you started, or to the one that started you. It arrives as a turn of its own, marked
/// `[orchestrator]` from above and `[sub-agent:name]` from below. An answer comes to your own input in the same way, not
/// into the other one's output: don't wait for it with wait_for_pattern. Siblings talk through their parent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the agent's session.
    pub target_process_id: String,
    pub message: String,
}

/// A turn on its way to an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub process_id: String,
    pub name: String,
    /// The id of this turn.
    pub turn_id: String,
    /// `queued`: it goes on in the background and is typed in when the agent can take it; follow it with
    /// wait_for_state.
    pub delivery: DeliveryState,
    /// How delivery was verified, or why it waits or failed.
    pub detail: String,
}

/// The time limit of an answer, however long the delivery takes.
const PATIENCE: Duration = Duration::from_millis(1500);

impl Reply {
    /// Sends the text, and returns the delivery's state after a short wait, counted from the beginning of the call.
    pub(super) async fn send(
        call: &Call<Project>,
        target: &engine::Session,
        text: String,
        began: Instant,
    ) -> Result<Self, OpError> {
        let sent = call.context.deliver().deliver(target, text, typist(call));
        let mut ticket = sent.map_err(|refusal| refused(target, refusal))?;
        // If it is not settled by then, the receipt tells what it waits for.
        let _ = tokio::time::timeout_at(began + PATIENCE, ticket.settled(Duration::MAX)).await;
        let facts = DeliveryFacts::from(&ticket.receipt().outcome);
        let facts = call.context.crew().with_reason(target.id(), facts);
        Ok(Reply {
            process_id: target.id().to_string(),
            name: target.name().map(|name| name.to_string()).unwrap_or_default(),
            turn_id: ticket.turn_id().to_string(),
            delivery: facts.state,
            detail: facts.detail,
        })
    }
}

#[derive(Debug)]
pub struct SendMessage;

impl Operation<Project> for SendMessage {
    const TRAITS: OperationTraits = OperationTraits {
        name: "send_message",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::PALETTE),
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::NotFound,
        ErrorKind::NotRunning,
        ErrorKind::WrongKind,
        ErrorKind::NotRelated,
        ErrorKind::LimitExceeded,
    ];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, args: Args) -> Result<Reply, OpError> {
        let began = Instant::now();
        let target = call.session(&args.target_process_id)?;
        let Some(speaker) = direction(own_session(&call)?.as_ref(), &target) else {
            let message = format!("session {} is neither your parent nor your child", target.id());
            return Err(OpError::new(ErrorKind::NotRelated, message)
                .with_hint("siblings talk through their parent; call whoami for your parent_process_id"));
        };
        if target.kind() != Kind::Agent {
            let message = format!("session {} is a {} and reads no messages", target.id(), target.kind());
            return Err(OpError::new(ErrorKind::WrongKind, message).with_hint("type to it with send_input"));
        }
        check_length(&args.message)?;
        running(&target)?;
        let text = tagged(&speaker, &args.message);
        Reply::send(&call, &target, text, began).await
    }
}

pub(super) fn running(session: &engine::Session) -> Result<(), OpError> {
    let status = session.status();
    if status.has_ended() {
        return Err(engine::Error::NotRunning { id: session.id(), status }.into());
    }
    Ok(())
}

pub(super) fn check_length(text: &str) -> Result<(), OpError> {
    if text.trim().is_empty() {
        return Err(OpError::invalid_args("the text is empty").with_hint("say something"));
    }
    if text.len() > MAX_BODY_BYTES {
        let message = format!("the text has {} bytes, at most {MAX_BODY_BYTES} are allowed", text.len());
        return Err(OpError::new(ErrorKind::LimitExceeded, message)
            .with_hint("write it into a scratchpad or a file and send its name"));
    }
    Ok(())
}
