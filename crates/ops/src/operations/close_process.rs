//! Removing a session.

use engine::StopRequest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};

/// Remove a session and everything below it: programs that still run are asked to end, and killed after
/// the grace time. Output and history are gone then, and the name is free again.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Reply {}

#[derive(Debug)]
pub struct CloseProcess;

impl<C: Context> Operation<C> for CloseProcess {
    const TRAITS: OperationTraits = OperationTraits {
        name: "close_process",
        roles: Roles::ANYONE,
        faces: Faces::all().difference(Faces::HOOK),
        effects: CallEffects::Destructive,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::NotRelated];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, args: Args) -> Result<Reply, OpError> {
        call.own_session(&args.process_id)?.remove(StopRequest::default()).await?;
        Ok(Reply {})
    }
}
