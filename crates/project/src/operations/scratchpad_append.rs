//! Adding to a scratchpad.

use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pad_name;
use crate::project::Project;

/// Add to the end of a scratchpad, or make a new one. Nothing is lost when several write at once; end with a newline
/// so that the next one begins its own line.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// 1 to 128 characters of A-Z a-z 0-9 . _ - and space, beginning with a letter or digit, for example `notes.md`.
    pub name: String,
    /// The text to add, unchanged.
    pub content: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub ok: bool,
    /// The revision of the whole text.
    pub revision: String,
}

#[derive(Debug)]
pub struct ScratchpadAppend;

impl Operation<Project> for ScratchpadAppend {
    const TRAITS: OperationTraits = OperationTraits {
        name: "scratchpad_append",
        roles: Roles::ANYONE,
        faces: Faces::MCP,
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::WrongKind, ErrorKind::LimitExceeded, ErrorKind::NotReady];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, args: Args) -> Result<Reply, OpError> {
        let name = pad_name(args.name)?;
        let pads = call.context.scratchpads();
        let revision = pads.aside(move |pads, turn| pads.append(turn, &name, &args.content)).await?;
        call.context.tell(crate::ProjectEvent::ScratchpadsChanged);
        Ok(Reply { ok: true, revision: revision.as_str().to_owned() })
    }
}
