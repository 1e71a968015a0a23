//! `vtr record`

use std::path::PathBuf;

use fleet::SessionAddress;
use grpc::{
    client::Endpoint,
    proto::{CastFormat, DumpAsciinemaRequest, RecordAction, RecordRequest, RecordResponse},
};
use program::{Exit, Failure, Outcome};
use serde_json::json;

use super::record_grep::RecordGrep;
use crate::{
    invocation::{Invocation, SessionTarget},
    wire,
};

/// Record a session to an asciicast file
///
/// The coordinator writes the file until it is told to stop or the program ends. A recording starts with the current
/// screen, so one that is started late is complete from its first moment. `dump` prints the recording of a session so
/// far; `vtr record grep` searches a file.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct RecordArgs {
    #[arg(value_name = "SESSION", required = true)]
    session: Option<SessionAddress>,
    #[arg(value_enum, required = true)]
    action: Option<RecordActionArg>,
    /// Start: the file [default: a file in the coordinator's folder]
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,
    /// Start: the version of the file format [default: the coordinator's choice]
    #[arg(long, value_enum)]
    format: Option<RecordFormatArg>,
    /// Start: also record input, except lines that are read without echo, such as passwords
    #[arg(long)]
    input: bool,
    #[command(subcommand)]
    command: Option<RecordCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum RecordCommand {
    Grep(RecordGrep),
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum RecordActionArg {
    Start,
    Stop,
    Status,
    Dump,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum RecordFormatArg {
    V2,
    V3,
}

impl RecordArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let (session, action) = match (self.command, self.session, self.action) {
            (Some(RecordCommand::Grep(grep)), ..) => return grep.run(invocation),
            (None, Some(session), Some(action)) => (session, action),
            _ => return Err(Failure::usage("give a session and an action: start, stop or dump")),
        };
        let target = invocation.target(&session).await?;
        let action = match action {
            RecordActionArg::Start => RecordAction::Start,
            RecordActionArg::Stop => RecordAction::Stop,
            RecordActionArg::Status => RecordAction::Status,
            RecordActionArg::Dump => return dump(invocation, &target).await,
        };
        let file = file_of_coordinator(self.file, &target, invocation)?;
        let format = match self.format {
            Some(RecordFormatArg::V2) => CastFormat::V2,
            Some(RecordFormatArg::V3) => CastFormat::V3,
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
        for (key, value) in [("file", &answer.file), ("error", &answer.error)] {
            if !value.is_empty() {
                reply[key] = value.as_str().into();
            }
        }
        if let Some(since) = answer.since {
            reply["since"] = wire::rfc3339(since).into();
        }
        invocation.output.answer(&reply, describe(&answer))?;
        // The recording has already ended again.
        let failed = action == RecordAction::Start && !answer.error.is_empty();
        Ok(if failed { Exit::Refused } else { Exit::Done })
    }
}

async fn dump(invocation: &mut Invocation, target: &SessionTarget) -> Outcome {
    let request = DumpAsciinemaRequest { name: target.session.clone() };
    let answer = target.client.vtr().dump_asciinema(request).await.map_err(|status| target.failure(&status))?;
    invocation.output.json_lines(&answer.into_inner().cast)?;
    Ok(Exit::Done)
}

/// A file name for the coordinator: on the same machine, relative paths are resolved here.
pub(super) fn file_of_coordinator(
    file: Option<PathBuf>,
    target: &SessionTarget,
    invocation: &Invocation,
) -> Result<String, Failure> {
    let file = match (file, &target.coordinator.endpoint) {
        (Some(file), Endpoint::Socket(_)) => invocation.surroundings.working_dir.join(file),
        (Some(file), Endpoint::Command(_)) => file,
        (None, _) => PathBuf::new(),
    };
    file.into_os_string()
        .into_string()
        .map_err(|file| Failure::usage(format!("the file name {} is not valid UTF-8", file.display())))
}

fn describe(answer: &RecordResponse) -> String {
    match (answer.recording, answer.file.as_str()) {
        (_, "") => "not recorded".into(),
        (recording, file) => {
            let state = if recording { "recording to" } else { "recorded to" };
            let gaps = if answer.gaps > 0 { format!(", {} gaps", answer.gaps) } else { String::new() };
            let error =
                if answer.error.is_empty() { String::new() } else { format!("; ended early: {}", answer.error) };
            format!("{state} {file} ({} bytes, {} events{gaps}){error}", answer.bytes, answer.events)
        }
    }
}
