//! Stopping a session's program and starting it again.

use engine::StopRequest;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{LifecycleReply, authorise_again};
use crate::{Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles, SignalArg};

/// End a session's program as stop_process does, if it runs, and start it again with the same argv,
/// environment and folder, on an empty screen. An agent or a terminal can be restarted only while it runs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// The signal to ask with, by name or number; TERM when left out.
    #[serde(default)]
    pub signal: Option<SignalArg>,
}

#[derive(Debug)]
pub struct RestartProcess;

impl<C: Context> Operation<C> for RestartProcess {
    const TRAITS: OperationTraits = OperationTraits {
        name: "restart_process",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::PALETTE),
        effects: CallEffects::Destructive,
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
        let signal = args.signal.as_ref().map(SignalArg::parse).transpose()?;
        if session.kind() != engine::Kind::Command && session.status().has_ended() {
            let message = format!("session {} is a {} that has ended", session.id(), session.kind());
            return Err(OpError::new(ErrorKind::WrongKind, message).with_hint("spawn a new one"));
        }
        authorise_again(&call, &session)?;
        session.restart(StopRequest { signal, grace: None }).await?;
        call.context.recordings().start_always(&call, &session).await;
        Ok(LifecycleReply::of(&session))
    }
}
