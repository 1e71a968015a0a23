//! Waiting for the first of several to come to rest.

use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::Deserialize;

use super::timer_set::{self, IdleReply, WhenIdle};
use crate::{project::Project, timers::TimerCause};

/// Set a timer that brings `body` back to you as a turn of its own when one of the watched sessions comes to rest,
/// waits for a decision, or ends; or after max_wait_seconds. Sessions that are at rest when you call count only
/// after they have worked again. Give the work first, then set the timer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Args(WhenIdle);

#[derive(Debug)]
pub struct TimerFireWhenIdleAny;

impl Operation<Project> for TimerFireWhenIdleAny {
    const TRAITS: OperationTraits = OperationTraits {
        name: "timer_fire_when_idle_any",
        roles: Roles::ANYONE,
        faces: Faces::MCP,
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = timer_set::ERRORS;
    type Args = Args;
    type Reply = IdleReply;

    async fn run(call: Call<Project>, args: Args) -> Result<IdleReply, OpError> {
        timer_set::set_when_idle(&call, args.0, TimerCause::IdleAny)
    }
}
