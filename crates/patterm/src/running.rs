//! The running patterms of this user, and single calls to one of them as its operator.
//!
//! On request, a run keeps its operator's connect file in its folder beside the socket: whoever can read it acts as the
//! human.

use std::{
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

use mcp::OneCall;
use program::{Exit, Failure, Surroundings};
use serde_json::Value;

use crate::{output::printable, run::connect_file::ConnectFile};

/// The time limit of an answer, which comes from memory.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest answer, in bytes.
const ANSWER_LIMIT: u64 = 16 << 20;

/// An operation's answer, or why there is none.
#[derive(Debug)]
pub(crate) enum OperationAnswer {
    Reply(Value),
    Refused { message: String, hint: String },
}

/// The operators' connect files of all runs, found by folder name.
pub(crate) fn operators(surroundings: &Surroundings) -> Vec<PathBuf> {
    let Ok(runs) = fs::read_dir(surroundings.socket_folder("patterm")) else { return Vec::new() };
    let files = runs.flatten().filter_map(|run| fs::read_dir(run.path()).ok()).flatten().flatten();
    let is_operator = |file: &PathBuf| {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("operator-") && name.ends_with(".json")
    };
    let mut operators: Vec<PathBuf> = files.map(|file| file.path()).filter(is_operator).collect();
    operators.sort();
    operators
}

/// Calls one operation of the run that a connect file points to.
pub(crate) fn call(connect_file: &Path, call: &OneCall) -> Result<OperationAnswer, Failure> {
    let way_in =
        ConnectFile::read(connect_file).map_err(|message| Failure::new(Exit::Unreachable, "unreachable", message))?;
    let unreachable = |error: io::Error| {
        let message = format!("patterm can't be reached at {} ({error})", way_in.socket.display());
        Failure::new(Exit::Unreachable, "unreachable", message)
    };
    let mut socket = UnixStream::connect(&way_in.socket).map_err(unreachable)?;
    socket.set_read_timeout(Some(PATIENCE)).map_err(unreachable)?;
    socket.write_all(mcp::greeting_with_call(&way_in.token, call).as_bytes()).map_err(unreachable)?;
    let mut line = String::new();
    BufReader::new(&socket).take(ANSWER_LIMIT).read_line(&mut line).map_err(unreachable)?;
    let answer: Value = serde_json::from_str(&line).map_err(|error| unreachable(error.into()))?;
    let Some(error) = answer.get("error") else { return Ok(OperationAnswer::Reply(answer)) };
    let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(OperationAnswer::Refused { message: text("message"), hint: text("hint") })
}

/// Which runs are asked about a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskedRuns<'a> {
    /// The session as the user named it.
    pub(crate) session: &'a str,
    /// One run, or all of the user's if omitted.
    pub(crate) connect: Option<&'a Path>,
}

/// Calls an operation on a session, in whichever run has it.
pub(crate) fn ask_all(
    asked: AskedRuns<'_>,
    operation: &str,
    arguments: &Value,
    surroundings: &Surroundings,
) -> Result<Value, Failure> {
    let runs = match asked.connect {
        Some(file) => vec![surroundings.working_dir.join(file)],
        None => operators(surroundings),
    };
    let one_call = OneCall { operation: operation.into(), arguments: arguments.clone() };
    let mut answered = Vec::new();
    let mut refused = None;
    let mut unreachable = None;
    for run in runs {
        match call(&run, &one_call) {
            Ok(OperationAnswer::Reply(reply)) => answered.push((run, reply)),
            Ok(OperationAnswer::Refused { message, hint }) => refused = Some((message, hint)),
            // This run may just be ending; another may answer.
            Err(failure) => unreachable = Some(failure),
        }
    }
    if answered.len() > 1 {
        let files: Vec<String> = answered.iter().map(|(file, _)| file.display().to_string()).collect();
        let message = format!("{} runs have a session '{}'", files.len(), printable(asked.session));
        return Err(Failure::new(Exit::Usage, "ambiguous", message)
            .with_hint(format!("name one with --connect: {}", files.join(", "))));
    }
    match (answered.pop(), refused, unreachable) {
        (Some((_, reply)), _, _) => Ok(reply),
        (None, Some((message, hint)), _) => Err(Failure::not_found(message).with_hint(hint)),
        (None, None, Some(failure)) => Err(failure),
        (None, None, None) => {
            let message = "none of your running patterms has a connect file";
            Err(Failure::new(Exit::Unreachable, "unreachable", message)
                .with_hint("start patterm with --operator-file, or use the palette's entry for this"))
        }
    }
}
