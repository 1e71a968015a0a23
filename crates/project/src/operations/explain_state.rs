//! Why a session is said to be doing what it is said to do.

use agents::{
    Source, State,
    state::{CountedVote, InputText, Prompt},
    version::{CliVersion, VersionFit},
};
use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wait_for_state::StateFacts;
use crate::project::Project;

/// Every piece of evidence behind a session's state, and which one decides; and what a blocked agent asks: kind, tool,
/// command, choices. For when a state surprises you, and before you answer a prompt with send_input.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub process_id: String,
    pub state: StateFacts,
    /// Whether a first prompt may be typed.
    pub ready: bool,
    /// What is missing for that.
    pub missing: Vec<String>,
    /// Whether its prompt box contains a draft; left out when the box is not visible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<bool>,
    /// The question, if a decision is pending and can be read. Your answer is checked against its digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Prompt>,
    pub votes: Vec<ExplainedVote>,
    /// The version of the agent's CLI, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionFacts>,
}

/// The version of an agent's CLI, and whether its preset was made for it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VersionFacts {
    pub found: String,
    /// `tested`, `untested` (between tested ones), `newer` than those, or `too_old`.
    pub fit: VersionFit,
    /// The consequence for the state reported here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl From<CliVersion> for VersionFacts {
    fn from(version: CliVersion) -> Self {
        VersionFacts { found: version.version.to_string(), fit: version.fit, note: version.sentence }
    }
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExplainedVote {
    pub rule: String,
    pub source: Source,
    /// The state that it votes for.
    pub state: State,
    /// `decides`, `outvoted`, `too_young`, `stale` or `absent`.
    pub standing: String,
    pub detail: String,
}

impl From<&CountedVote> for ExplainedVote {
    fn from(vote: &CountedVote) -> Self {
        ExplainedVote {
            rule: vote.evidence.rule.clone(),
            source: vote.evidence.source,
            state: vote.evidence.vote.into(),
            standing: vote.standing.as_str().to_owned(),
            detail: vote.evidence.detail.clone(),
        }
    }
}

#[derive(Debug)]
pub struct ExplainState;

impl Operation<Project> for ExplainState {
    const TRAITS: OperationTraits = OperationTraits {
        name: "explain_state",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::PALETTE),
        effects: CallEffects::ReadOnly,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, args: Args) -> Result<Reply, OpError> {
        let session = call.session(&args.process_id)?;
        let explanation = call.context.crew().explain(&session);
        let digest = explanation.prompt.as_ref().map(|prompt| prompt.digest.as_str());
        call.context.inner.read_prompts.note(&call.caller, session.id(), digest);
        Ok(Reply {
            process_id: session.id().to_string(),
            state: StateFacts::of(&call.context.crew().with_version(session.id(), explanation.status)),
            ready: explanation.readiness.ready,
            missing: explanation.readiness.missing.iter().map(ToString::to_string).collect(),
            draft: match explanation.input {
                InputText::Absent => None,
                InputText::Empty => Some(false),
                InputText::Text(_) => Some(true),
            },
            prompt: explanation.prompt,
            votes: explanation.votes.iter().map(ExplainedVote::from).collect(),
            version: call.context.crew().version(session.id()).map(VersionFacts::from),
        })
    }
}
