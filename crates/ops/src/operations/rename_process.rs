//! Giving a session another name.

use engine::SessionName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};

/// Give a session another name. Its id stays.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// An unused name of 1 to 64 characters of A-Z a-z 0-9 . _ -
    pub name: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub process_id: String,
    pub name: String,
}

#[derive(Debug)]
pub struct RenameProcess;

impl<C: Context> Operation<C> for RenameProcess {
    const TRAITS: OperationTraits = OperationTraits {
        name: "rename_process",
        roles: Roles::ANYONE,
        faces: Faces::all().difference(Faces::HOOK),
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::AlreadyExists, ErrorKind::NotRelated];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, args: Args) -> Result<Reply, OpError> {
        let session = call.own_session(&args.process_id)?;
        let name = SessionName::new(args.name)?;
        session.rename(name.clone())?;
        Ok(Reply { process_id: session.id().to_string(), name: name.to_string() })
    }
}
