//! Starting an agent.

use std::{path::PathBuf, sync::Arc};

use agents::{
    AgentLaunch, AgentPreset, ConversationId, Found, LaunchFolder, LaunchRequest,
    delivery::{PREFACE, compose},
    preset::slug,
};
use engine::{Kind, NameChoice, NewSession, Session, SessionName};
use ops::{Call, CallEffects, Caller, ErrorKind, Faces, OpError, Operation, OperationTraits, Role, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::send_message::{self, check_length};
use crate::{
    delivery::DeliveryState,
    host::there_are,
    identities::Entrance,
    presets,
    project::Project,
    trust::{Key, Subject},
};

/// Start another agent below you, from an agent preset, and give it its first prompt. This is the only right way: an
/// agent CLI that you start from a shell, or through patterm's socket, has no identity here and nobody sees or ends it.
/// It answers within two seconds; the prompt is typed in when the agent is ready, and wait_for_state with the turn_id
/// follows it. What you start is yours: when it has reported and you need it no longer, close it with close_process.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Name of an agent preset, such as claude or codex.
    pub agent: String,
    /// The first prompt. Say what to do, where, and how to report.
    #[serde(default)]
    pub agent_instructions: Option<String>,
    /// An unused name of 1 to 64 characters of A-Z a-z 0-9 . _ - ; generated from the preset's name when left out.
    #[serde(default)]
    pub name: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub process_id: String,
    pub name: String,
    /// The id of the first prompt's turn, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// The state of the first prompt. `queued`: it will be typed in when the agent is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<DeliveryState>,
    /// How delivery was verified, or why it waits or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

#[derive(Debug)]
pub struct SpawnAgent;

impl Operation<Project> for SpawnAgent {
    /// If `max_depth` is more than 2, the project's table admits sub-agents as well.
    const TRAITS: OperationTraits = OperationTraits {
        name: "spawn_agent",
        roles: Roles::OPERATOR.union(Roles::ORCHESTRATOR),
        faces: Faces::MCP,
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::NotFound,
        ErrorKind::AlreadyExists,
        ErrorKind::NotRunning,
        ErrorKind::NeedsTrust,
        ErrorKind::UnknownAgent,
        ErrorKind::LimitExceeded,
        ErrorKind::SpawnFailed,
        ErrorKind::ShuttingDown,
    ];
    const ROLE_HINT: &'static str = WAY_OUT;
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, args: Args) -> Result<Reply, OpError> {
        let began = Instant::now();
        check_depth(&call)?;
        let project = &call.context;
        let catalog = project.presets().current();
        let Some(found) = catalog.agent(&args.agent) else {
            let names: Vec<&str> = catalog.agents().map(|found| found.preset.name.as_str()).collect();
            let message = format!("there is no agent preset '{}'", engine::shown_name(&args.agent));
            return Err(OpError::new(ErrorKind::UnknownAgent, message)
                .with_hint(there_are(&names, "put a preset into the presets/agents folder")));
        };
        let name = match args.name.filter(|name| !name.is_empty()) {
            Some(name) => NameChoice::Exactly(SessionName::new(name)?),
            None => NameChoice::FromSlug(slug(&found.preset.name, "agent")),
        };
        let instructions = args.agent_instructions.filter(|text| !text.trim().is_empty());
        if let Some(text) = &instructions {
            check_length(text)?;
        }
        let subject = presets::of_agent(found);
        project.trust().authorise(&subject, call.caller.session)?;
        let session = start_agent(&call, found, &subject, AgentStart { name, ..AgentStart::default() }).await?;
        first_prompt(&call, &session, &found.preset, instructions.as_deref(), began).await
    }
}

const WAY_OUT: &str = "sub-agents start no agents: ask your parent with send_message to start one for you, or use the \
                       sub-agents that your own program has";

/// Levels of agents above and including the caller.
fn check_depth(call: &Call<Project>) -> Result<(), OpError> {
    let mut depth = 0;
    let mut at = call.caller.session;
    while let Some(session) = at.and_then(|session| call.engine().get(session).ok()) {
        depth += u32::from(session.kind() == Kind::Agent);
        at = session.parent();
    }
    let limit = call.context.settings().max_depth;
    if depth < limit {
        return Ok(());
    }
    Err(OpError::new(ErrorKind::RoleForbidden, format!("agents may be {limit} levels deep here, and you are the last"))
        .with_hint(WAY_OUT))
}

/// What a start of an agent has of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct AgentStart {
    pub(crate) name: NameChoice,
    /// To be gone on with, if the preset knows how.
    pub(crate) conversation: Option<ConversationId>,
    /// In place of the preset's.
    pub(crate) folder: Option<PathBuf>,
}

/// Starts an agent that may be started.
pub(crate) async fn start_agent(
    call: &Call<Project>,
    found: &Found<AgentPreset>,
    subject: &Subject,
    wanted: AgentStart,
) -> Result<Session, OpError> {
    let (call, found, key) = (call.clone(), found.clone(), Key::of(subject));
    // If the caller goes away meanwhile, the agent must still be recorded.
    engine::to_the_end(async move {
        let session = start(&call, &found, wanted).await?;
        call.context.trust().started(session.id(), key);
        Ok(session)
    })
    .await
}

/// From the preset to a running session that can call us.
async fn start(call: &Call<Project>, found: &Found<AgentPreset>, wanted: AgentStart) -> Result<Session, OpError> {
    let project = &call.context;
    let identities = &project.inner.identities;
    let failed = |error: std::io::Error| {
        OpError::new(ErrorKind::SpawnFailed, format!("the agent can't be let in: {error}"))
            .with_hint("tell the human: the folder of this run needs room and permissions")
    };
    let entrance = identities.open().map_err(failed)?;
    let conversation = wanted.conversation.clone();
    let started = start_with(call, found, wanted, &entrance).await;
    match started {
        Ok((session, launch)) => {
            let role = if session.parent().is_some() { Role::SubAgent } else { Role::Orchestrator };
            project.ask_version(&session, found.preset.clone(), &launch);
            // Before the agent is admitted, so that its listing of the tools is not missed.
            project.inner.crew.join(&session, found.preset.clone(), launch);
            // Until it tells of another one.
            if let Some(conversation) = conversation {
                project.inner.crew.note_conversation(session.id(), conversation);
            }
            identities.assign(&entrance, Caller { role, session: Some(session.id()) });
            Ok(session)
        }
        Err(error) => {
            identities.close(&entrance);
            Err(error)
        }
    }
}

async fn start_with(
    call: &Call<Project>,
    found: &Found<AgentPreset>,
    wanted: AgentStart,
    entrance: &Entrance,
) -> Result<(Session, AgentLaunch), OpError> {
    let AgentStart { name, conversation, folder } = wanted;
    let launch = prepare(call.context.clone(), found.preset.clone(), entrance.clone(), conversation).await?;
    let session = call
        .engine()
        .spawn(NewSession {
            name,
            parent: call.caller.session,
            env: launch.env.clone(),
            env_unset: launch.env_unset.clone(),
            working_dir: Some(folder.unwrap_or_else(|| launch.working_dir.clone())),
            size: call.host().default_size(),
            origin: call.origin(),
            ..NewSession::new(Kind::Agent, launch.argv.clone())
        })
        .await?;
    Ok((session, launch))
}

/// Writes the launch's files, outside of the async tasks.
async fn prepare(
    project: Project,
    preset: Arc<AgentPreset>,
    entrance: Entrance,
    conversation: Option<ConversationId>,
) -> Result<AgentLaunch, OpError> {
    let failed = |message: String| OpError::from_text(ErrorKind::SpawnFailed, message);
    let work = move || {
        let folder = LaunchFolder::create_in(&project.inner.run_dir)
            .map_err(|error| failed(format!("the agent's files can't be written ({error}): tell the human")))?;
        AgentLaunch::prepare(LaunchRequest {
            preset: &preset,
            program: &project.inner.program,
            connect_file: &entrance.connect_file,
            folder,
            project_root: &project.inner.layout.project_dir,
            home: &project.inner.home,
            cache: &project.inner.cache_dir,
            conversation: conversation.as_ref(),
        })
        .map_err(|error| failed(error.to_string()))
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(OpError::new(ErrorKind::Internal, format!("preparing the agent: {error}"))),
    }
}

async fn first_prompt(
    call: &Call<Project>,
    session: &Session,
    preset: &AgentPreset,
    instructions: Option<&str>,
    began: Instant,
) -> Result<Reply, OpError> {
    let Some(instructions) = instructions else {
        return Ok(Reply {
            process_id: session.id().to_string(),
            name: session.name().map(|name| name.to_string()).unwrap_or_default(),
            turn_id: None,
            delivery: None,
            detail: None,
        });
    };
    let preface = (session.parent().is_some() && preset.sub_agent_preface).then_some(PREFACE);
    let text = compose(preface, None, instructions);
    let sent = send_message::Reply::send(call, session, text, began).await?;
    Ok(Reply {
        process_id: sent.process_id,
        name: sent.name,
        turn_id: Some(sent.turn_id),
        delivery: Some(sent.delivery),
        detail: Some(sent.detail),
    })
}
