//! `vtr record`

use std::path::PathBuf;

use grpc::{
    client::Endpoint,
    proto::{CastFormat, RecordAction, RecordRequest, RecordResponse},
};
use serde_json::json;

use crate::{
    coordinators::Address,
    failure::{Exit, Failure, Outcome},
    invocation::Invocation,
    wire,
};

/// Record a session to an asciicast file
///
/// The coordinator writes the file, and goes on until it is told to stop or the session is removed.
#[derive(Debug, clap::Args)]
pub(crate) struct Record {
    #[arg(value_name = "SESSION")]
    session: Address,
    #[arg(value_enum)]
    action: Action,
    /// Where to write [default: a file in the coordinator's state folder]
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,
    /// Version of the file format [default: the coordinator's choice]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Also record what is typed, while the terminal echoes it
    #[arg(long)]
    input: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Action {
    Start,
    Stop,
    Status,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    V2,
    V3,
}

impl Record {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let target = invocation.target(&self.session).await?;
        let file = match (self.file, &target.coordinator.endpoint) {
            (Some(file), Endpoint::Socket(_)) => invocation.surroundings.working_dir.join(file),
            (Some(file), Endpoint::Command(_)) => file,
            (None, _) => PathBuf::new(),
        };
        let file = file
            .into_os_string()
            .into_string()
            .map_err(|file| Failure::usage(format!("the file name {} is not valid UTF-8", file.display())))?;
        let action = match self.action {
            Action::Start => RecordAction::Start,
            Action::Stop => RecordAction::Stop,
            Action::Status => RecordAction::Status,
        };
        let format = match self.format {
            Some(Format::V2) => CastFormat::V2,
            Some(Format::V3) => CastFormat::V3,
            None => CastFormat::Unspecified,
        };
        let request = RecordRequest {
            name: target.session.clone(),
            action: action.into(),
            file,
            format: format.into(),
            include_input: self.input,
        };
        let answer = target.client.vtr().record(request).await.map_err(|status| target.failure(&status))?.into_inner();
        let mut reply = json!({
            "coordinator": target.coordinator.name, "session": target.session, "recording": answer.recording,
            "bytes": answer.bytes, "events": answer.events, "gaps": answer.gaps,
        });
        if !answer.file.is_empty() {
            reply["file"] = answer.file.as_str().into();
        }
        if let Some(since) = answer.since {
            reply["since"] = wire::rfc3339(since).into();
        }
        invocation.output.answer(&reply, describe(&answer))?;
        Ok(Exit::Done)
    }
}

fn describe(answer: &RecordResponse) -> String {
    match (answer.recording, answer.file.as_str()) {
        (_, "") => "not recorded".into(),
        (recording, file) => {
            let state = if recording { "recording to" } else { "recorded to" };
            let gaps = if answer.gaps > 0 { format!(", {} gaps", answer.gaps) } else { String::new() };
            format!("{state} {file} ({} bytes, {} events{gaps})", answer.bytes, answer.events)
        }
    }
}
