//! Calling the human.

use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{DONE, Done};
use crate::{events::ProjectEvent, project::Project};

/// Call the human to a session of yours, with a reason. Use it whenever you can't safely decide: a prompt that would
/// delete, install, publish or spend, a login, a question only they can answer. It answers at once; wait for the
/// session to go on before you do.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session to look at.
    pub process_id: String,
    /// What you need, in a line or two.
    pub reason: String,
}

/// Maximum characters of a reason that are shown.
const MAX_REASON: usize = 500;

#[derive(Debug)]
pub struct RequestHumanAttention;

impl Operation<Project> for RequestHumanAttention {
    const TRAITS: OperationTraits = OperationTraits {
        name: "request_human_attention",
        roles: Roles::ANYONE,
        faces: Faces::MCP,
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::NotRelated];
    type Args = Args;
    type Reply = Done;

    async fn run(call: Call<Project>, args: Args) -> Result<Done, OpError> {
        let session = call.own_session(&args.process_id)?.id();
        // Cleaned, since it is shown on the human's terminal.
        let reason: String =
            args.reason.chars().map(|one| if one.is_control() { ' ' } else { one }).take(MAX_REASON).collect();
        if reason.trim().is_empty() {
            return Err(OpError::invalid_args("the reason is empty").with_hint("say what the human has to decide"));
        }
        call.context.tell(ProjectEvent::Attention { session, reason, caller: call.caller.session });
        Ok(DONE)
    }
}
