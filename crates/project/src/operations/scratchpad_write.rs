//! Writing a scratchpad.

use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pad_name;
use crate::{
    project::Project,
    scratchpads::{Revision, WriteOutcome},
};

/// Write a scratchpad's whole text, or make a new one. With expected_revision nothing is written if somebody else
/// wrote meanwhile: ok is false and current_revision says what is there; read it again, merge, and write.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// 1 to 128 characters of A-Z a-z 0-9 . _ - and space, beginning with a letter or digit, for example `notes.md`.
    pub name: String,
    /// The whole new text.
    pub content: String,
    /// The revision you have read. Left out or empty: write in any case.
    #[serde(default)]
    pub expected_revision: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    /// Whether it was written.
    pub ok: bool,
    /// The revision of the new text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The revision that exists instead; empty when there is no such scratchpad.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_revision: Option<String>,
}

#[derive(Debug)]
pub struct ScratchpadWrite;

impl Operation<Project> for ScratchpadWrite {
    const TRAITS: OperationTraits = OperationTraits {
        name: "scratchpad_write",
        roles: Roles::ANYONE,
        faces: Faces::MCP,
        effects: CallEffects::Destructive,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::WrongKind, ErrorKind::LimitExceeded, ErrorKind::NotReady];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, args: Args) -> Result<Reply, OpError> {
        let name = pad_name(args.name)?;
        let expected = args.expected_revision.filter(|revision| !revision.is_empty());
        let pads = call.context.scratchpads();
        let written = pads.aside(move |pads, turn| pads.write(turn, &name, &args.content, expected.as_deref())).await?;
        let text = |revision: Revision| revision.as_str().to_owned();
        Ok(match written {
            WriteOutcome::Yes(revision) => {
                call.context.tell(crate::ProjectEvent::ScratchpadsChanged);
                Reply { ok: true, revision: Some(text(revision)), current_revision: None }
            }
            WriteOutcome::Changed(current) => {
                Reply { ok: false, revision: None, current_revision: Some(current.map(text).unwrap_or_default()) }
            }
        })
    }
}
