//! Pausing a timer.

use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{DONE, Done};
use crate::project::Project;

/// Pause a timer that you own or have set. A delay keeps the time that is left; an idle timer stops looking at its
/// sessions until it is resumed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The id, as returned by the tool that set it or by timer_list.
    pub timer_id: String,
}

#[derive(Debug)]
pub struct TimerPause;

impl Operation<Project> for TimerPause {
    const TRAITS: OperationTraits = OperationTraits {
        name: "timer_pause",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::PALETTE),
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = Done;

    async fn run(call: Call<Project>, args: Args) -> Result<Done, OpError> {
        call.context.timers().pause(call.caller.session, &args.timer_id)?;
        Ok(DONE)
    }
}
