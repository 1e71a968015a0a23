//! What an agent's own hooks tell of it.

use agents::ConversationId;
use ops::{Call, CallEffects, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{DONE, Done};
use crate::{ProjectEvent, project::Project};

/// Tell what an agent's hook or plugin says the agent is doing. `patterm hook` calls it; no list shows it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The hook's event, by the agent CLI's name for it.
    pub event: String,
    /// Further details from the CLI.
    #[serde(default)]
    pub detail: Option<String>,
    /// The command that the agent is about to run, as reported by its CLI.
    #[serde(default)]
    pub command: Option<String>,
    /// The id of the conversation that the agent is in, as its program names it.
    #[serde(default)]
    pub conversation: Option<String>,
}

#[derive(Debug)]
pub struct ReportHook;

impl Operation<Project> for ReportHook {
    const TRAITS: OperationTraits = OperationTraits {
        name: "report_hook",
        roles: Roles::ORCHESTRATOR.union(Roles::SUB_AGENT),
        faces: Faces::HOOK,
        effects: CallEffects::Additive,
    };
    type Args = Args;
    type Reply = Done;

    async fn run(call: Call<Project>, args: Args) -> Result<Done, OpError> {
        if let Some(session) = call.caller.session {
            // A caller reports only about itself; the watch bounds and cleans the text.
            let (name, detail) = (args.event, args.detail.unwrap_or_default());
            // Whatever else a program calls its conversation can't be put on a command line.
            if let Some(conversation) = args.conversation.as_deref().and_then(ConversationId::new) {
                call.context.crew().note_conversation(session, conversation);
            }
            call.context.crew().hook(session, &name, &detail, args.command.as_deref());
            call.context.tell(ProjectEvent::HookReported { session, name, detail });
        }
        Ok(DONE)
    }
}
