//! Starts a coordinator in the background: this program again, in a session of its own, which reports on standard
//! output that it listens, or why it can't.

use std::{
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::{folder, settings::ServeSettings};
use program::{Exit, Failure};

use crate::surroundings::Surroundings;

/// Passed to the background process only; not for users.
pub(crate) const CHILD_FLAG: &str = "--in-background";

/// A coordinator that listens.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct StartedDaemon {
    pub(crate) socket: PathBuf,
    pub(crate) pid: u32,
    pub(crate) log: PathBuf,
    /// What a coordinator that was killed before left behind, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lost: Option<String>,
}

pub(crate) fn start(settings: &ServeSettings, surroundings: &Surroundings) -> Result<StartedDaemon, Failure> {
    let log = settings.log_file.clone();
    let failed = |what: &str, error: &io::Error| Failure::system(what, error);
    let log_file =
        folder::open_log(&log).map_err(|error| failed(&format!("opening the log {}", log.display()), &error))?;
    let mut child = Command::new(&surroundings.program)
        .arg("serve")
        .args(settings.to_flags())
        .arg(CHILD_FLAG)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log_file)
        .spawn()
        .map_err(|error| failed("starting the coordinator", &error))?;
    let mut announcement = String::new();
    let stdout = child.stdout.take().expect("it was asked for above");
    // Returns when the child writes something or ends: it holds the only other end of the pipe.
    let read = BufReader::new(stdout).read_line(&mut announcement);
    let said: Value = serde_json::from_str(&announcement).unwrap_or_default();
    if read.is_ok() && said.get("ready").is_some() {
        let lost = said["lost"].as_str().map(str::to_owned);
        return Ok(StartedDaemon { socket: settings.socket.clone(), pid: child.id(), log, lost });
    }
    // It is about to end.
    let status = child.wait().map_err(|error| failed("waiting for the coordinator", &error))?;
    let text = |key: &str| said["error"][key].as_str().map(str::to_owned);
    let message = text("message").unwrap_or_else(|| format!("the coordinator ended before it listened: {status}"));
    let exit = if status.code() == Some(Exit::Usage.code().into()) { Exit::Usage } else { Exit::Refused };
    Err(Failure::new(exit, text("kind").unwrap_or_else(|| "internal".into()), message)
        .with_hint(text("hint").unwrap_or_else(|| format!("see the log: {}", log.display()))))
}

/// In the background: leaves the terminal's session.
pub(crate) fn detach() -> Result<(), Failure> {
    rustix::process::setsid()
        .map(drop)
        .map_err(|error| Failure::system("leaving the terminal's session", &error.into()))
}

/// In the background: reports the result to the process that started us, and lets it go.
pub(crate) fn announce(outcome: Result<Option<String>, &Failure>) {
    let said = match outcome {
        Ok(lost) => json!({ "ready": true, "lost": lost }),
        Err(failure) => json!({ "error": failure }),
    };
    let mut stdout = io::stdout().lock();
    // If nobody is waiting any more, nobody misses this.
    let _ = writeln!(stdout, "{said}").and_then(|()| stdout.flush());
    if let Ok(nowhere) = std::fs::OpenOptions::new().write(true).open(Path::new("/dev/null")) {
        let _ = rustix::stdio::dup2_stdout(&nowhere);
    }
}
