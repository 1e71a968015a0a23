//! Reading a scratchpad.

use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pad_name;
use crate::project::Project;

/// Read a scratchpad. Keep the revision: pass it as expected_revision when you write the text back.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// A name from scratchpad_list.
    pub name: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub content: String,
    pub revision: String,
}

#[derive(Debug)]
pub struct ScratchpadRead;

impl Operation<Project> for ScratchpadRead {
    const TRAITS: OperationTraits = OperationTraits {
        name: "scratchpad_read",
        roles: Roles::ANYONE,
        faces: Faces::MCP,
        effects: CallEffects::ReadOnly,
    };
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::WrongKind, ErrorKind::LimitExceeded, ErrorKind::NotReady];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, args: Args) -> Result<Reply, OpError> {
        let name = pad_name(args.name)?;
        let pad = call.context.scratchpads().aside(move |pads, _| pads.read(&name)).await?;
        Ok(Reply { content: pad.content, revision: pad.revision.as_str().to_owned() })
    }
}
