//! `patterm man`

use std::path::PathBuf;

use clap::CommandFactory;
use program::{Exit, Failure, Outcome, Surroundings};
use serde_json::json;

use crate::{cli::PattermCli, output::Output};

/// Write the manual pages into a folder
#[derive(Debug, clap::Args)]
pub(crate) struct PattermMan {
    /// For example ~/.local/share/man/man1; created if it is missing
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: PathBuf,
}

impl PattermMan {
    pub(crate) fn run(self, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        let dir = surroundings.working_dir.join(self.dir);
        let failed = |error: std::io::Error| Failure::system(format_args!("writing to {}", dir.display()), &error);
        program::write_manual(PattermCli::command(), &dir).map_err(failed)?;
        output.answer(&json!({ "dir": dir }), &[format!("manual pages are in {}", dir.display())])?;
        Ok(Exit::Done)
    }
}
