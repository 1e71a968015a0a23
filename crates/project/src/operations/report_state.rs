//! A file that shows why a state was wrong, for people to send.

use std::time::Duration;

use agents::{
    State,
    report::{ReportRequest, StateReport},
};
use ops::{Call, CallEffects, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{folder::ProjectFolder, project::Project};

/// Write a report of what an agent's session shows and what is told of it, for those who mend its rules: the last seconds
/// of its output, the version of its CLI, every vote, and the rules. Your name, your home and secrets are masked; it still
/// shows what the screen showed, so read it before you send it. Nothing is sent by itself.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the agent's session.
    pub process_id: String,
    /// How much of the past it holds: 1 to 600, 30 when left out.
    #[serde(default)]
    pub seconds: Option<u32>,
    /// The correct state, if it differs from the reported one.
    #[serde(default)]
    pub should_be: Option<State>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    /// The file, readable only by you (0600).
    pub file: String,
    pub agent: String,
    /// The CLI's version, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The state reported now.
    pub state: State,
}

const DEFAULT_SECONDS: u32 = 30;
const MAX_SECONDS: u32 = 600;

#[derive(Debug)]
pub struct ReportState;

impl Operation<Project> for ReportState {
    const TRAITS: OperationTraits = OperationTraits {
        name: "report_state",
        roles: Roles::OPERATOR,
        faces: Faces::PALETTE.union(Faces::HOOK),
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::WrongKind];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<Project>, args: Args) -> Result<Reply, OpError> {
        let session = call.session(&args.process_id)?;
        let seconds = args.seconds.unwrap_or(DEFAULT_SECONDS);
        if !(1..=MAX_SECONDS).contains(&seconds) {
            return Err(OpError::invalid_args(format!("a report holds 1 to {MAX_SECONDS} seconds, not {seconds}"))
                .with_hint("leave seconds out for the last 30"));
        }
        let project = call.context.clone();
        let crew = project.crew();
        let Some((watch, preset)) = crew.watched_agent(session.id()) else {
            let message =
                format!("session {} was not started from an agent preset: no rules tell its state", session.id());
            return Err(OpError::new(ErrorKind::WrongKind, message).with_hint("name an agent's session"));
        };
        let version = crew.version(session.id());
        let report = StateReport::of(
            &watch,
            ReportRequest {
                preset: &preset,
                version: version.as_ref(),
                within: Duration::from_secs(u64::from(seconds)),
                should_be: args.should_be,
                patterm: &project.inner.version,
                redaction: &project.inner.redaction,
            },
        );
        let named = report.version.as_deref().unwrap_or("unknown");
        let made = call.engine().clock().system_now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        // A fixture's name starts with its preset's name.
        let name = format!("{}-{named}-{}-{}.report.json", report.agent, session.id(), made.as_secs());
        let folder = project.layout().reports();
        let text = report.to_text();
        let file = folder.join(&name).display().to_string();
        let write = move || {
            let folder = ProjectFolder::make(&folder)?;
            let lock = folder.lock()?;
            folder.replace(&name, text.as_bytes(), &lock)
        };
        let written = tokio::task::spawn_blocking(write).await;
        let failed = |reason: String| {
            OpError::new(ErrorKind::Internal, format!("the report can't be written to {file}: {reason}"))
                .with_hint("check free space and permissions, and try again")
        };
        match written {
            Ok(Ok(())) => Ok(Reply { file, agent: report.agent, version: report.version, state: report.state }),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(error) => Err(failed(error.to_string())),
        }
    }
}
