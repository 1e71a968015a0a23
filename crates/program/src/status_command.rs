//! `vtr status` and `patterm status`, which need no coordinator and no running patterm.

use std::{
    fs::OpenOptions,
    io::{self, IsTerminal, Write},
};

use vt::{BlockedKind, ProgramState, StatusRecord, status_text};

use crate::failure::{Exit, Failure, Outcome};

/// Tell the terminal what a script is doing: working, waiting for you, done or failed
///
/// Prints one escape sequence (OSC 7501, the Program Status Protocol) to the terminal that it runs in, also when its output
/// goes elsewhere. A terminal that keeps such records shows it: patterm in its rail, `vtr ls` in its list, and others in
/// their own ways; the rest ignore it. A report replaces the one before it: give again what is to stay.
#[derive(Debug, clap::Args)]
pub struct StatusCommand {
    /// What it is doing; clear takes back what was reported, with --id only that part and those below it
    #[arg(value_name = "STATE", value_parser = ["idle", "working", "blocked", "done", "error", "clear"])]
    state: String,
    /// One line on what it does, waits for or has done
    #[arg(long, value_name = "TEXT")]
    msg: Option<String>,
    /// What people call it
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Percent, of what is working or blocked
    #[arg(long, value_name = "0-100", value_parser = clap::value_parser!(u8).range(0..=100))]
    progress: Option<u8>,
    /// The part of the work that this is about, as in deploy/eu-west
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// What it needs, when it is blocked
    #[arg(long, value_name = "KIND", value_parser = ["permission", "question", "auth"])]
    kind: Option<String>,
    /// What programs know it by, as in terraform
    #[arg(long, value_name = "NAME")]
    app: Option<String>,
}

impl StatusCommand {
    pub fn run(self) -> Outcome {
        let sequence = self.sequence().map_err(|message| Failure::new(Exit::Usage, "usage", message))?;
        tell_terminal(sequence.as_bytes()).map_err(|error| {
            let message = format!("there is no terminal to tell: {error}");
            Failure::new(Exit::Refused, "system", message)
                .with_hint("run it in a terminal, or below a program that runs in one")
        })?;
        Ok(Exit::Done)
    }

    fn sequence(&self) -> Result<String, String> {
        let id = self.id.clone().unwrap_or_default();
        let Some(state) = ProgramState::ALL.into_iter().find(|state| state.as_str() == self.state) else {
            let given = [
                ("--msg", self.msg.is_some()),
                ("--title", self.title.is_some()),
                ("--progress", self.progress.is_some()),
                ("--kind", self.kind.is_some()),
                ("--app", self.app.is_some()),
            ];
            if let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) {
                return Err(format!("clear takes a report back and tells nothing: leave out {flag}"));
            }
            return StatusRecord::clear_sequence(&id).map_err(|error| error.to_string());
        };
        let text = |text: &Option<String>, max| text.as_ref().map(|text| status_text(text, max));
        let record = StatusRecord {
            id,
            kind: BlockedKind::ALL.into_iter().find(|kind| Some(kind.as_str()) == self.kind.as_deref()),
            progress: self.progress,
            app: self.app.clone(),
            title: text(&self.title, StatusRecord::MAX_TITLE),
            msg: text(&self.msg, StatusRecord::MAX_MSG),
            ..StatusRecord::new(state)
        };
        record.check().map_err(|error| error.to_string())?;
        Ok(record.sequence())
    }
}

/// Standard output if it is a terminal, or else the one that this process belongs to.
fn tell_terminal(bytes: &[u8]) -> io::Result<()> {
    let stdout = io::stdout();
    if stdout.is_terminal() {
        let mut stdout = stdout.lock();
        stdout.write_all(bytes)?;
        return stdout.flush();
    }
    OpenOptions::new().write(true).open("/dev/tty")?.write_all(bytes)
}
