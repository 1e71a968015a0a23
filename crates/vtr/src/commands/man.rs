//! `vtr man`

use std::path::PathBuf;

use serde_json::json;

use crate::{
    cli,
    failure::{Exit, Failure, Outcome},
    invocation::Invocation,
};

/// Write the manual pages into a folder
#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// As in ~/.local/share/man/man1; created if it is missing
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: PathBuf,
}

impl Man {
    pub(crate) fn run(self, invocation: &mut Invocation) -> Outcome {
        let dir = invocation.surroundings.working_dir.join(self.dir);
        let failed = |error: std::io::Error| Failure::system(format_args!("writing to {}", dir.display()), &error);
        std::fs::create_dir_all(&dir).map_err(failed)?;
        clap_mangen::generate_to(cli::grammar(&invocation.surroundings), &dir).map_err(failed)?;
        let mut files: Vec<String> = std::fs::read_dir(&dir)
            .map_err(failed)?
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.starts_with("vtr") && name.ends_with(".1"))
            .collect();
        files.sort();
        let line = format!("{} pages in {}", files.len(), dir.display());
        invocation.output.answer(&json!({ "dir": dir, "files": files }), line)?;
        Ok(Exit::Done)
    }
}
