//! `vtr status` and `patterm status`, which need no coordinator and no running patterm.

use std::{
    fs::OpenOptions,
    io::{self, IsTerminal, Write},
};

use vt::{BlockedKind, ProgramState, StatusRecord, status_text};

use crate::failure::{Exit, Failure, Outcome};

/// Tell the terminal what a script is doing: working, waiting for you, done or failed
///
/// Prints one escape sequence (OSC 7501, the Program Status Protocol) to the terminal that the script runs in, even
/// when standard output is redirected. Terminals that support it show the report: patterm in its rail, `vtr ls` in its
/// list, others in their own way; the rest ignore it. Each report replaces the previous one as a whole, so repeat
/// whatever should stay.
#[derive(Debug, clap::Args)]
pub struct StatusCommand {
    /// What the script is doing; clear withdraws the report, or with --id only that part and the parts below it
    #[arg(value_name = "STATE", value_parser = ["idle", "working", "blocked", "done", "error", "clear"])]
    state: String,
    /// One line: what it is doing, waiting for or has finished
    #[arg(long, value_name = "TEXT")]
    msg: Option<String>,
    /// The name to show to people
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Progress in percent, while working or blocked
    #[arg(long, value_name = "0-100", value_parser = clap::value_parser!(u8).range(0..=100))]
    progress: Option<u8>,
    /// The part of the work that this report is about, for example deploy/eu-west
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// What it needs from you, if it is blocked
    #[arg(long, value_name = "KIND", value_parser = ["permission", "question", "auth"])]
    kind: Option<String>,
    /// The program's name for other programs, for example terraform
    #[arg(long, value_name = "NAME")]
    app: Option<String>,
}

impl StatusCommand {
    pub fn run(self) -> Outcome {
        let sequence = self.sequence().map_err(|message| Failure::new(Exit::Usage, "usage", message))?;
        tell_terminal(sequence.as_bytes()).map_err(|error| {
            let message = format!("there is no terminal to report to: {error}");
            Failure::new(Exit::Refused, "system", message)
                .with_hint("run it in a terminal, or from a program that runs in one")
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
                return Err(format!("clear withdraws a report and has no content: leave out {flag}"));
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

/// Writes to standard output if it is a terminal, and otherwise to the controlling terminal of this process.
fn tell_terminal(bytes: &[u8]) -> io::Result<()> {
    let stdout = io::stdout();
    if stdout.is_terminal() {
        let mut stdout = stdout.lock();
        stdout.write_all(bytes)?;
        return stdout.flush();
    }
    OpenOptions::new().write(true).open("/dev/tty")?.write_all(bytes)
}
