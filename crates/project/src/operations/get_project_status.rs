//! Everything an agent needs to find its way, at once.

use ops::{
    Call, CallEffects, Faces, OpError, Operation, OperationTraits, ProcessEntry, Roles, operations::list_processes,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    scratchpad_list::{self, Scratchpad},
    whoami::{self, ProjectFacts, ProjectWhoami},
};
use crate::project::Project;

/// Where you are, in one call: the project, who you are, the sessions of your tab, and the scratchpads.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub project: ProjectFacts,
    /// The same as whoami returns.
    pub caller: whoami::Reply,
    pub processes: Vec<ProcessEntry>,
    pub scratchpads: Vec<Scratchpad>,
}

#[derive(Debug)]
pub struct GetProjectStatus;

impl Operation<Project> for GetProjectStatus {
    const TRAITS: OperationTraits = OperationTraits {
        name: "get_project_status",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::PALETTE),
        effects: CallEffects::ReadOnly,
    };
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, _: Args) -> Result<Reply, OpError> {
        let caller = ProjectWhoami::run(call.clone(), whoami::Args::default()).await?;
        let listed = list_processes::ListProcesses::run(call.clone(), list_processes::Args::default()).await?;
        Ok(Reply {
            project: caller.project.clone(),
            caller,
            processes: listed.processes,
            scratchpads: scratchpad_list::list(&call.context).await?,
        })
    }
}
