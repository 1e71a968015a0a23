//! Starting an ended command again.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{LifecycleReply, authorise_again};
use crate::{Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};

/// Run an ended command again, with the same argv, environment and folder, on an empty screen; or one that was
/// opened to wait for its first start. Does nothing if it runs. Terminals and agents can't be started again: spawn a new one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
}

#[derive(Debug)]
pub struct StartProcess;

impl<C: Context> Operation<C> for StartProcess {
    const TRAITS: OperationTraits = OperationTraits {
        name: "start_process",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::PALETTE),
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::NotFound,
        ErrorKind::WrongKind,
        ErrorKind::NotRelated,
        ErrorKind::NeedsTrust,
        ErrorKind::SpawnFailed,
        ErrorKind::ShuttingDown,
    ];
    type Args = Args;
    type Reply = LifecycleReply;

    async fn run(call: Call<C>, args: Args) -> Result<LifecycleReply, OpError> {
        let session = call.own_session(&args.process_id)?;
        if session.kind() != engine::Kind::Command {
            let message =
                format!("session {} is a {}, and only commands can be started again", session.id(), session.kind());
            return Err(OpError::new(ErrorKind::WrongKind, message).with_hint("spawn a new one"));
        }
        authorise_again(&call, &session)?;
        session.start().await?;
        call.context.recordings().start_always(&call, &session).await;
        Ok(LifecycleReply::of(&session))
    }
}
