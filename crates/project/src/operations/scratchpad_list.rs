//! Listing the scratchpads.

use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{project::Project, scratchpads::PadInfo};

/// List the project's scratchpads: texts that every agent here and the human share, and that outlive the run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub scratchpads: Vec<Scratchpad>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Scratchpad {
    pub name: String,
    /// Bytes.
    pub size: u64,
    pub modified_at: String,
    /// Identifies the content: it changes with every change of the text. Left out when the file is too big to be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

impl From<PadInfo> for Scratchpad {
    fn from(info: PadInfo) -> Self {
        Scratchpad {
            name: info.name.as_str().to_owned(),
            size: info.size,
            modified_at: ops::rfc3339(info.modified_at),
            revision: info.revision.map(|revision| revision.as_str().to_owned()),
        }
    }
}

pub(super) async fn list(project: &Project) -> Result<Vec<Scratchpad>, OpError> {
    let pads = project.scratchpads().aside(|pads, _| pads.list()).await?;
    Ok(pads.into_iter().map(Scratchpad::from).collect())
}

#[derive(Debug)]
pub struct ScratchpadList;

impl Operation<Project> for ScratchpadList {
    const TRAITS: OperationTraits = OperationTraits {
        name: "scratchpad_list",
        roles: Roles::ANYONE,
        faces: Faces::MCP,
        effects: CallEffects::ReadOnly,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotReady];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, _: Args) -> Result<Reply, OpError> {
        Ok(Reply { scratchpads: list(&call.context).await? })
    }
}
