//! Telling a caller who it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Call, CallEffects, Context, Faces, OpError, Operation, OperationTraits, ProcessEntry, Role, Roles};

/// Who you are here: your role, your own session, and the tools you may call.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub role: Role,
    /// The session you run in; none for an operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<ProcessEntry>,
    pub available_tools: Vec<String>,
}

#[derive(Debug)]
pub struct Whoami;

impl<C: Context> Operation<C> for Whoami {
    const TRAITS: OperationTraits =
        OperationTraits { name: "whoami", roles: Roles::ANYONE, faces: Faces::MCP, effects: CallEffects::ReadOnly };
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, _: Args) -> Result<Reply, OpError> {
        let session = call.caller.session.and_then(|own| call.engine().get(own).ok());
        let offered = call.context.table().offered(Faces::MCP, call.caller.role);
        Ok(Reply {
            role: call.caller.role,
            session: session.map(|session| ProcessEntry::of(&session, call.host())),
            available_tools: offered.map(|entry| entry.name().to_owned()).collect(),
        })
    }
}
