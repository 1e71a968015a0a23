//! Listing timers.

use ops::{Call, CallEffects, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    project::Project,
    timers::{Timer, TimerCondition},
};

/// List the timers that you own or have set and that have not fired, oldest first.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub timers: Vec<TimerEntry>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TimerEntry {
    pub timer_id: String,
    pub kind: TimerKind,
    pub status: TimerStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The text that will be delivered.
    pub body: String,
    pub owner_process_id: String,
    /// The sessions or turns that an idle timer watches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub watched: Vec<String>,
    /// Until it fires in any case; left out when only the watched sessions decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining_seconds: Option<f64>,
    pub created_at: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimerKind {
    Delay,
    IdleAny,
    IdleAll,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimerStatus {
    Pending,
    Paused,
}

#[derive(Debug)]
pub struct TimerList;

impl Operation<Project> for TimerList {
    const TRAITS: OperationTraits = OperationTraits {
        name: "timer_list",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::PALETTE),
        effects: CallEffects::ReadOnly,
    };
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, _: Args) -> Result<Reply, OpError> {
        let now = call.engine().clock().now();
        let entry = |timer: Timer| TimerEntry {
            kind: match timer.condition {
                TimerCondition::Delay => TimerKind::Delay,
                TimerCondition::IdleAny(_) => TimerKind::IdleAny,
                TimerCondition::IdleAll(_) => TimerKind::IdleAll,
            },
            status: if timer.is_paused() { TimerStatus::Paused } else { TimerStatus::Pending },
            watched: timer.condition.watched().iter().map(|watched| watched.target.to_string()).collect(),
            remaining_seconds: timer.remaining(now).map(|left| left.as_secs_f64()),
            owner_process_id: timer.owner.to_string(),
            created_at: ops::rfc3339(timer.created_at),
            timer_id: timer.id,
            label: timer.label,
            body: timer.text,
        };
        Ok(Reply { timers: call.context.timers().list(call.caller.session).into_iter().map(entry).collect() })
    }
}
