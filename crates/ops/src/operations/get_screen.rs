//! The screen of a session, cell by cell.

use engine::VersionedFrame;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};

mod screen;

pub use screen::ScreenReply;

/// The visible screen of a session with colours and attributes, cell by cell, and its cursor.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
}

#[derive(Debug)]
pub struct GetScreen;

impl<C: Context> Operation<C> for GetScreen {
    const TRAITS: OperationTraits = OperationTraits {
        name: "get_screen",
        roles: Roles::ANYONE,
        faces: Faces::GRPC.union(Faces::CLI),
        effects: CallEffects::ReadOnly,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = ScreenReply;

    async fn run(call: Call<C>, args: Args) -> Result<ScreenReply, OpError> {
        let session = call.session(&args.process_id)?;
        let frame: VersionedFrame = session.frame();
        let name = session.name().map(|name| name.to_string()).unwrap_or_default();
        Ok(ScreenReply { id: session.id(), name, frame })
    }
}
