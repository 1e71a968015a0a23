//! `vtr man`

use std::path::PathBuf;

use program::{Exit, Failure, Outcome};
use serde_json::json;

use crate::{cli, invocation::Invocation};

/// Write the manual pages into a folder
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// For example ~/.local/share/man/man1; created if it is missing
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: PathBuf,
}

impl ManArgs {
    pub(crate) fn run(self, invocation: &mut Invocation) -> Outcome {
        let dir = invocation.surroundings.working_dir.join(self.dir);
        let failed = |error: std::io::Error| Failure::system(format_args!("writing to {}", dir.display()), &error);
        let files = program::write_manual(cli::grammar(&invocation.surroundings), &dir).map_err(failed)?;
        let line = format!("{} pages in {}", files.len(), dir.display());
        invocation.output.answer(&json!({ "dir": dir, "files": files }), line)?;
        Ok(Exit::Done)
    }
}
