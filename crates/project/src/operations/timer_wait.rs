//! The plainest timer.

use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::Deserialize;

use super::timer_set::{self, Reply};
use crate::{
    messages::{Speaker, tagged},
    project::Project,
};

/// Set a timer that tells you after some seconds, by a `[system]` line of its own, that it has completed. It answers at
/// once. timer_set does the same with a text of yours.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// From now on.
    pub seconds: f64,
    /// Included in the line when it has completed.
    #[serde(default)]
    pub label: Option<String>,
}

#[derive(Debug)]
pub struct TimerWait;

impl Operation<Project> for TimerWait {
    const TRAITS: OperationTraits =
        OperationTraits { name: "timer_wait", roles: Roles::ANYONE, faces: Faces::MCP, effects: CallEffects::Additive };
    const ERRORS: &'static [ErrorKind] = timer_set::ERRORS;
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, args: Args) -> Result<Reply, OpError> {
        let owner = timer_set::owner(&call, None)?;
        let label = timer_set::label(args.label);
        let text = match &label {
            Some(label) => format!("Your timer [{label}] has completed."),
            None => "Your timer has completed.".to_owned(),
        };
        timer_set::delay(&call, owner, args.seconds, tagged(&Speaker::System, &text), label)
    }
}
