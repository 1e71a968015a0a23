//! Everything there is to say of one session.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, ProcessStatus, Roles};

/// Everything about one session except its output: status, how it ended, command line, folder, times,
/// size, cursor, title, owner, and the version of its screen.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
}

#[derive(Debug)]
pub struct GetProcessStatus;

impl<C: Context> Operation<C> for GetProcessStatus {
    const TRAITS: OperationTraits = OperationTraits {
        name: "get_process_status",
        roles: Roles::ANYONE,
        faces: Faces::all().difference(Faces::HOOK),
        effects: CallEffects::ReadOnly,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = ProcessStatus;

    async fn run(call: Call<C>, args: Args) -> Result<ProcessStatus, OpError> {
        let session = call.session(&args.process_id)?;
        call.host().looked(&call.caller, &session);
        Ok(ProcessStatus::of(&session, call.host()))
    }
}
