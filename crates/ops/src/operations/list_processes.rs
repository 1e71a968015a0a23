//! Listing sessions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Call, CallEffects, Context, Faces, OpError, Operation, OperationTraits, ProcessEntry, ProcessKind, Roles};

/// List sessions. An agent gets those of its own tab, the agent at its root and everything below it, or with `all`
/// those of every tab, to read only; who is in no tab gets all. `idle_state` is judged by silence alone.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Only sessions of this kind.
    #[serde(default)]
    pub kind: Option<ProcessKind>,
    /// List the sessions of every tab, not only the caller's.
    #[serde(default)]
    pub all: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    /// In order of creation.
    pub processes: Vec<ProcessEntry>,
}

#[derive(Debug)]
pub struct ListProcesses;

impl<C: Context> Operation<C> for ListProcesses {
    const TRAITS: OperationTraits = OperationTraits {
        name: "list_processes",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::GRPC).union(Faces::CLI),
        effects: CallEffects::ReadOnly,
    };
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, args: Args) -> Result<Reply, OpError> {
        let everything = args.all || call.caller.session.is_none();
        // A caller whose own session is gone has no tab.
        let tab = call.own_tab();
        let in_scope = |session: &engine::Session| everything || tab.is_some_and(|root| call.is_in_tree(session, root));
        let wanted = args.kind.map(engine::Kind::from);
        let sessions = call.engine().list().into_iter();
        let listed = sessions.filter(|session| wanted.is_none_or(|kind| session.kind() == kind)).filter(in_scope);
        let entry = |session: engine::Session| {
            call.host().looked(&call.caller, &session);
            ProcessEntry::of(&session, call.host())
        };
        let processes = listed.map(entry).collect();
        Ok(Reply { processes })
    }
}
