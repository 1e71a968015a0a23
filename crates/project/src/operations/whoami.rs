//! Telling an agent who it is here.

use ops::{Call, CallEffects, Context, Faces, OpError, Operation, OperationTraits, Role, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::own_session;
use crate::project::Project;

/// Who you are here: your session, your role, who started you, the project, and the tools you may call.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    /// Your own session; absent for an operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub role: Role,
    /// The agent that started you, and that you report to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_process_id: Option<String>,
    pub project: ProjectFacts,
    pub available_tools: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProjectFacts {
    pub path: String,
    /// The name of the project's folder of scratchpads and trust.
    pub key: String,
}

impl ProjectFacts {
    pub(super) fn of(project: &Project) -> Self {
        let layout = project.layout();
        ProjectFacts { path: layout.project_dir.to_string_lossy().into_owned(), key: layout.key.to_string() }
    }
}

#[derive(Debug)]
pub struct ProjectWhoami;

impl Operation<Project> for ProjectWhoami {
    const TRAITS: OperationTraits =
        OperationTraits { name: "whoami", roles: Roles::ANYONE, faces: Faces::MCP, effects: CallEffects::ReadOnly };
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, _: Args) -> Result<Reply, OpError> {
        // A caller may ask a moment after its session was closed.
        let session = own_session(&call).unwrap_or_default();
        let offered = call.context.table().offered(Faces::MCP, call.caller.role);
        Ok(Reply {
            process_id: call.caller.session.map(|session| session.to_string()),
            name: session.as_ref().and_then(|session| session.name()).map(|name| name.to_string()),
            role: call.caller.role,
            parent_process_id: session.and_then(|session| session.parent()).map(|parent| parent.to_string()),
            project: ProjectFacts::of(&call.context),
            available_tools: offered.map(|entry| entry.name().to_owned()).collect(),
        })
    }
}
