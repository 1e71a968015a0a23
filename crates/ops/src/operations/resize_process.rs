//! Changing the size of a session's terminal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checked_size;
use crate::{Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};

/// Change the size of a session's terminal. The program is told, and lines are wrapped anew.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// 2 to 2000.
    pub cols: u16,
    /// 1 to 1000.
    pub rows: u16,
}

/// The size it has now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reply {
    pub cols: u16,
    pub rows: u16,
}

#[derive(Debug)]
pub struct ResizeProcess;

impl<C: Context> Operation<C> for ResizeProcess {
    const TRAITS: OperationTraits = OperationTraits {
        name: "resize_process",
        roles: Roles::ANYONE,
        faces: Faces::GRPC.union(Faces::CLI),
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::NotRunning, ErrorKind::NotRelated];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, args: Args) -> Result<Reply, OpError> {
        let session = call.own_session(&args.process_id)?;
        let size = session.resize(checked_size(vt::Size { cols: args.cols, rows: args.rows })?)?;
        Ok(Reply { cols: size.cols, rows: size.rows })
    }
}
