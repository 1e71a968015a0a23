//! Removing a scratchpad.

use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{DONE, Done, pad_name};
use crate::project::Project;

/// Remove a scratchpad. It can't be brought back.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// A name from scratchpad_list.
    pub name: String,
}

#[derive(Debug)]
pub struct ScratchpadDelete;

impl Operation<Project> for ScratchpadDelete {
    const TRAITS: OperationTraits = OperationTraits {
        name: "scratchpad_delete",
        roles: Roles::ANYONE,
        faces: Faces::MCP,
        effects: CallEffects::Destructive,
    };
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::WrongKind, ErrorKind::LimitExceeded, ErrorKind::NotReady];
    type Args = Args;
    type Reply = Done;

    async fn run(call: Call<Project>, args: Args) -> Result<Done, OpError> {
        let name = pad_name(args.name)?;
        call.context.scratchpads().aside(move |pads, turn| pads.delete(turn, &name)).await?;
        call.context.tell(crate::ProjectEvent::ScratchpadsChanged);
        Ok(DONE)
    }
}
