//! Ending a session's program.

use engine::StopRequest;
use schemars::JsonSchema;
use serde::Deserialize;

use super::LifecycleReply;
use crate::{Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles, SignalArg};

/// End a session's program: ask with a signal, wait for the grace time, kill. The session stays, can be
/// read, and a command can be started again. Answers when it has ended; does nothing if it had.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// The signal to ask with, by name or number; TERM when left out, and HUP as well for a terminal.
    #[serde(default)]
    pub signal: Option<SignalArg>,
}

#[derive(Debug)]
pub struct StopProcess;

impl<C: Context> Operation<C> for StopProcess {
    const TRAITS: OperationTraits = OperationTraits {
        name: "stop_process",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::PALETTE),
        effects: CallEffects::Destructive,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::NotRelated];
    type Args = Args;
    type Reply = LifecycleReply;

    async fn run(call: Call<C>, args: Args) -> Result<LifecycleReply, OpError> {
        let session = call.own_session(&args.process_id)?;
        let signal = args.signal.as_ref().map(SignalArg::parse).transpose()?;
        session.stop(StopRequest { signal, grace: None }).await?;
        Ok(LifecycleReply::of(&session))
    }
}
