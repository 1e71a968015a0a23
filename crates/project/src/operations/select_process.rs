//! Asking the face to show a session.

use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{DONE, Done};
use crate::{events::ProjectEvent, project::Project};

/// Ask for a session to be shown to the human, who may be looking at another. It is advice and interrupts nothing; to
/// get a decision, use request_human_attention.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
}

#[derive(Debug)]
pub struct SelectProcess;

impl Operation<Project> for SelectProcess {
    const TRAITS: OperationTraits = OperationTraits {
        name: "select_process",
        roles: Roles::ANYONE,
        faces: Faces::MCP,
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = Done;

    async fn run(call: Call<Project>, args: Args) -> Result<Done, OpError> {
        let session = call.session(&args.process_id)?.id();
        call.context.tell(ProjectEvent::Select { session, caller: call.caller.session });
        Ok(DONE)
    }
}
