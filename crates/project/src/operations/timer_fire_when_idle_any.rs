//! Waiting for the first of several to come to rest.

use ops::{Call, Effects, ErrorKind, Faces, OpError, Operation, Roles, Traits};
use schemars::JsonSchema;
use serde::Deserialize;

use super::timer_set::{self, IdleReply, WhenIdle};
use crate::{project::Project, timers::Wait};

/// Set a timer that brings `body` back to you as a turn of its own when one of the watched sessions comes to rest,
/// waits for a decision, or ends; or after max_wait_seconds. Sessions that are at rest when you call count only
/// after they have worked again. Give the work first, then set the timer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Ids or names of sessions below you, or turn_ids of prompts that you sent to them, 1 to 64. A turn has come to
    /// rest when the agent has done with that very prompt, or waits for a decision in it; what it did before does not
    /// count.
    pub watched: Vec<String>,
    /// What you will read when it fires.
    pub body: String,
    /// Shown in timer_list.
    #[serde(default)]
    pub label: Option<String>,
    /// Fire after this many seconds in any case. Left out or 0: wait as long as it takes.
    #[serde(default)]
    pub max_wait_seconds: Option<f64>,
    /// Who gets the body: an agent below you, or you when left out. An operator has to name one.
    #[serde(default)]
    pub owner_process_id: Option<String>,
}

#[derive(Debug)]
pub struct TimerFireWhenIdleAny;

impl Operation<Project> for TimerFireWhenIdleAny {
    const TRAITS: Traits = Traits {
        name: "timer_fire_when_idle_any",
        roles: Roles::ANYONE,
        faces: Faces::MCP,
        effects: Effects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = timer_set::ERRORS;
    type Args = Args;
    type Reply = IdleReply;

    async fn run(call: Call<Project>, args: Args) -> Result<IdleReply, OpError> {
        let Args { watched, body, label, max_wait_seconds, owner_process_id } = args;
        let when = WhenIdle { watched, body, label, max_wait_seconds, owner_process_id };
        timer_set::set_when_idle(&call, when, Wait::IdleAny)
    }
}
