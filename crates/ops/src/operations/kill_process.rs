//! Sending a signal.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{LifecycleReply, timeout};
use crate::{Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles, SignalArg};

/// Send a signal to a session's program and to the job in the foreground of its terminal, and nothing
/// more: the session stays, and an end that follows is the program's own.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// By name or number; TERM when left out.
    #[serde(default)]
    pub signal: Option<SignalArg>,
    /// Milliseconds to wait for the program to end: 0, the default, does not wait; at most 600000. The status in the
    /// answer says whether it ended.
    #[serde(default)]
    pub wait_ms: Option<u64>,
}

#[derive(Debug)]
pub struct KillProcess;

impl<C: Context> Operation<C> for KillProcess {
    const TRAITS: OperationTraits = OperationTraits {
        name: "kill_process",
        roles: Roles::ANYONE,
        faces: Faces::GRPC.union(Faces::CLI).union(Faces::PALETTE),
        effects: CallEffects::Destructive,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::NotRunning, ErrorKind::NotRelated];
    type Args = Args;
    type Reply = LifecycleReply;

    async fn run(call: Call<C>, args: Args) -> Result<LifecycleReply, OpError> {
        let session = call.own_session(&args.process_id)?;
        let signal = args.signal.as_ref().map(SignalArg::parse).transpose()?.unwrap_or(engine::Signal::TERM);
        let wait = timeout(Some(args.wait_ms.unwrap_or(0) as f64 / 1000.0))?;
        // Started before the signal, so that it waits for the same run that gets the signal.
        let end = session.wait_for_exit(wait);
        session.kill(signal)?;
        if !wait.is_zero() {
            end.await;
        }
        Ok(LifecycleReply::of(&session))
    }
}
