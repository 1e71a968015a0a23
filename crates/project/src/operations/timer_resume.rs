//! Resuming a timer.

use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{DONE, Done};
use crate::project::Project;

/// Let a paused timer go on. A delay has the time that was left; an idle timer fires at once if what it waits for
/// came about meanwhile.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The id, as returned by the tool that set it or by timer_list.
    pub timer_id: String,
}

#[derive(Debug)]
pub struct TimerResume;

impl Operation<Project> for TimerResume {
    const TRAITS: OperationTraits = OperationTraits {
        name: "timer_resume",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::PALETTE),
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = Done;

    async fn run(call: Call<Project>, args: Args) -> Result<Done, OpError> {
        call.context.timers().resume(call.caller.session, &args.timer_id)?;
        Ok(DONE)
    }
}
