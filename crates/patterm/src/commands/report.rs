//! `patterm report`

use std::{fs, path::PathBuf};

use clap::ValueHint;
use program::{Exit, Failure, Outcome, Surroundings};
use serde_json::{Value, json};

use crate::{
    output::{Output, printable},
    running::{self, AskedRuns},
};

/// Write a report about an agent's wrong state, to send to the maintainers of the rules
///
/// It holds the session's output of the last seconds, the version of the CLI, every vote and the rules. Your name, your
/// home folder and secrets are masked, but it still shows the screen's content, so read it before you send it. Asks
/// your runs that have a connect file (--headless, --mcp-http, --operator-file); on the screen, "Report state…" in the
/// palette does the same. Reports in fixtures/recordings/agents are replayed by the tests.
#[derive(Debug, clap::Args)]
pub(crate) struct Report {
    /// The agent's name or id
    #[arg(value_name = "NAME|ID")]
    session: String,
    /// How many seconds of output to include, 1 to 600
    #[arg(long, value_name = "N", default_value_t = 30)]
    seconds: u32,
    /// The correct state: starting, idle, working, blocked or unknown
    #[arg(long, value_name = "STATE")]
    should_be: Option<agents::State>,
    /// Write the report here, instead of into patterm's data folder
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// The connect file of the run, as `patterm --headless` prints it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    connect: Option<PathBuf>,
}

impl Report {
    pub(crate) fn run(self, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        let arguments = json!({
            "process_id": self.session, "seconds": self.seconds, "should_be": self.should_be,
        });
        let asked = AskedRuns { session: &self.session, connect: self.connect.as_deref() };
        let mut reply = running::ask_all(asked, "report_state", &arguments, surroundings)?;
        if let Some(target) = &self.output {
            let target = surroundings.working_dir.join(target);
            let written = PathBuf::from(reply["file"].as_str().unwrap_or_default());
            // The target may be on another file system, so a failed rename becomes a copy, which keeps the mode.
            let moved = fs::rename(&written, &target)
                .or_else(|_| fs::copy(&written, &target).and_then(|_| fs::remove_file(&written)));
            moved.map_err(|error| Failure::system(format_args!("moving {}", written.display()), &error))?;
            reply["file"] = Value::from(target.display().to_string());
        }
        let file = printable(reply["file"].as_str().unwrap_or_default());
        let lines = [file, "Read it before you send it: it shows the screen's content.".to_owned()];
        output.answer(&reply, &lines)?;
        Ok(Exit::Done)
    }
}
