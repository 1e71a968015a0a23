//! Waiting for silence.

use std::time::Duration;

use engine::QuietOutcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{timeout, with_progress};
use crate::{Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};

/// Wait until a session has printed nothing for a while, or the time is up. A session whose program has ended
/// is idle at once, with the reason `exited`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// Milliseconds of silence: 5000 when left out.
    #[serde(default)]
    pub idle_ms: Option<u64>,
    /// 30 when left out, at most 600.
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reply {
    pub idle: bool,
    pub timed_out: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<IdleReason>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdleReason {
    Exited,
}

const DEFAULT_IDLE_MS: u64 = 5000;

#[derive(Debug)]
pub struct WaitForIdle;

impl<C: Context> Operation<C> for WaitForIdle {
    const TRAITS: OperationTraits = OperationTraits {
        name: "wait_for_idle",
        roles: Roles::ANYONE,
        faces: Faces::GRPC.union(Faces::CLI),
        effects: CallEffects::ReadOnly,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, args: Args) -> Result<Reply, OpError> {
        let session = call.session(&args.process_id)?;
        let timeout = timeout(args.timeout_seconds)?;
        let idle = Duration::from_millis(args.idle_ms.unwrap_or(DEFAULT_IDLE_MS));
        let wait = session.wait_for_quiet(idle, timeout);
        let waiting = format!("waiting for silence in {}", session.id());
        Ok(match with_progress(&call, &waiting, wait).await {
            QuietOutcome::Quiet { .. } => Reply { idle: true, timed_out: false, reason: None },
            QuietOutcome::Exited { .. } => Reply { idle: true, timed_out: false, reason: Some(IdleReason::Exited) },
            QuietOutcome::TimedOut => Reply { idle: false, timed_out: true, reason: None },
        })
    }
}
