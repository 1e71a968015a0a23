//! Recording a session to a file.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, RecordingFormat,
    RecordingStatus, Roles, recordings::NewRecording,
};

/// Record a session to an asciicast file that players replay. `start` begins with the screen as it is and goes on
/// until `stop` or the end of the program; `status` tells how far it is. The file is yours alone (mode 0600) and never
/// written over. What is typed is recorded only if asked for, and never while the terminal hides it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// `status` when left out.
    #[serde(default)]
    pub action: RecordAction,
    /// Start: an absolute path, or a bare file name in the recordings folder. Left out, a name is made.
    #[serde(default)]
    pub file: Option<String>,
    /// Start: `v3` unless the program is set up otherwise; `v2` for older players.
    #[serde(default)]
    pub format: Option<RecordingFormat>,
    /// Start: also record what is typed.
    #[serde(default)]
    pub input: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordAction {
    Start,
    Stop,
    #[default]
    Status,
}

#[derive(Debug)]
pub struct RecordProcess;

impl<C: Context> Operation<C> for RecordProcess {
    const TRAITS: OperationTraits = OperationTraits {
        name: "record_process",
        roles: Roles::OPERATOR,
        faces: Faces::GRPC.union(Faces::CLI).union(Faces::PALETTE),
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::AlreadyExists, ErrorKind::NotRunning, ErrorKind::LimitExceeded];
    type Args = Args;
    type Reply = RecordingStatus;

    async fn run(call: Call<C>, args: Args) -> Result<RecordingStatus, OpError> {
        let session = call.session(&args.process_id)?;
        let recordings = call.context.recordings();
        match args.action {
            RecordAction::Start => {
                let new = NewRecording { file: args.file, format: args.format, input: args.input };
                recordings.start(&call, &session, new).await
            }
            RecordAction::Stop => recordings.stop(&session).await,
            RecordAction::Status => Ok(recordings.status(&session)),
        }
    }
}
