//! `vtr spawn`

use std::{collections::HashMap, path::PathBuf, time::Duration};

use fleet::SessionAddress;
use grpc::{
    client::Endpoint,
    proto::{InfoRequest, SpawnRecording, SpawnRequest, WaitScope},
};
use program::{Exit, Failure, Outcome};
use serde::Serialize;

use super::{
    record::file_of_coordinator,
    wait::{WaitResult, wait_for},
};
use crate::{invocation::Invocation, wire::SessionJson};

/// The hint when the awaited output did not come.
const SPAWN_HINT: &str = "`vtr screen` shows what it printed; it stays until `vtr rm`";

/// Start a session
#[derive(Debug, clap::Args)]
pub(crate) struct SpawnArgs {
    /// Its name; coordinator:name if there are several coordinators
    #[arg(value_name = "NAME")]
    name: SessionAddress,
    /// A command line for `sh -c` [default: an interactive shell, the coordinator's --shell]
    #[arg(long, value_name = "COMMAND", conflicts_with = "argv")]
    cmd: Option<String>,
    /// The working folder [default: the home folder of the coordinator's user]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    cwd: Option<PathBuf>,
    /// Width [default: the coordinator's, usually 80]
    #[arg(long, value_name = "N", value_parser = super::cols)]
    cols: Option<u16>,
    /// Height [default: the coordinator's, usually 24]
    #[arg(long, value_name = "N", value_parser = super::rows)]
    rows: Option<u16>,
    /// Set an environment variable; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,
    /// Wait until a line of its output matches
    #[arg(long, value_name = "PATTERN")]
    wait: Option<String>,
    /// The time limit of --wait
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = super::time_span, requires = "wait")]
    timeout: Duration,
    /// Record it from its first byte [default: to a file in the coordinator's folder]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = clap::ValueHint::FilePath)]
    record: Option<Option<PathBuf>>,
    /// A program and its arguments, run without a shell
    #[arg(last = true, value_name = "PROGRAM")]
    argv: Vec<String>,
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        _ => Err("write it as NAME=VALUE".into()),
    }
}

#[derive(Serialize)]
struct Reply {
    #[serde(flatten)]
    session: SessionJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait: Option<WaitResult>,
}

impl SpawnArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        if let Some(pattern) = &self.wait {
            // Checked before the session is started, so that a bad pattern leaves none behind.
            engine::Pattern::new(pattern).map_err(|error| Failure::usage(error.to_string()))?;
        }
        let mut target = invocation.place(&self.name).await?;
        let working_dir = match (&self.cwd, &target.coordinator.endpoint) {
            // The coordinator has another working folder; on the same machine, relative paths are resolved here.
            (Some(dir), Endpoint::Socket(_)) => invocation.surroundings.working_dir.join(dir),
            (Some(dir), Endpoint::Command(_)) => dir.clone(),
            (None, _) => PathBuf::new(),
        };
        let working_dir = working_dir
            .into_os_string()
            .into_string()
            .map_err(|dir| Failure::usage(format!("the folder {} is not valid UTF-8", dir.display())))?;
        let record = match &self.record {
            None => None,
            Some(file) => {
                let file = file_of_coordinator(file.clone(), &target, invocation)?;
                Some(SpawnRecording { file, ..SpawnRecording::default() })
            }
        };
        let request = SpawnRequest {
            record,
            name: self.name.session,
            command: self.cmd.unwrap_or_default(),
            working_dir,
            env: HashMap::from_iter(self.env),
            cols: self.cols.unwrap_or(0).into(),
            rows: self.rows.unwrap_or(0).into(),
            argv: self.argv,
            ..SpawnRequest::default()
        };
        let spawned = target.client.vtr().spawn(request).await.map_err(|status| target.failure(&status))?;
        let spawned = spawned.into_inner();
        if !spawned.warning.is_empty() {
            invocation.output.warn(program::printable(&spawned.warning));
        }
        let mut session = spawned.session.unwrap_or_default();
        target.session.clone_from(if session.id.is_empty() { &session.name } else { &session.id });
        let mut waited = None;
        if let Some(pattern) = &self.wait {
            // Everything it has printed counts: it started before we could wait.
            waited = Some(wait_for(&target, pattern, self.timeout, WaitScope::Scrollback, &invocation.output).await?);
            // It may have ended or been removed meanwhile.
            let request = InfoRequest { name: target.session.clone() };
            if let Ok(info) = target.client.vtr().info(request).await {
                session = info.into_inner().session.unwrap_or(session);
            }
        }
        let session = SessionJson::of(session, &target.coordinator);
        // In the form that the next command accepts.
        let name = SessionAddress { coordinator: self.name.coordinator, session: session.name.clone() }.to_string();
        let exit = waited.as_ref().map_or(Exit::Done, WaitResult::exit);
        invocation.output.answer(&Reply { session, wait: waited.clone() }, name)?;
        if let (Some(waited), false) = (waited, invocation.output.json) {
            waited.explain(&self.timeout, SPAWN_HINT, &mut invocation.output)?;
        }
        Ok(exit)
    }
}
