//! Makes the recordings in `fixtures/recordings/programs`.

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result};

use crate::{Verdict, repository};

/// Record vim, less, tmux and others on a PTY into fixtures/recordings/programs
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Which programs; all if omitted
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[arg(long, value_name = "PY", default_value = "python3")]
    python: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let status = Command::new(&arguments.python)
        .arg(repository("tools/record_programs.py"))
        .arg(repository("fixtures/recordings/programs"))
        .args(&arguments.names)
        .status()
        .with_context(|| format!("cannot run {}; name another with --python", arguments.python.display()))?;
    Ok(if status.success() { Verdict::Good } else { Verdict::Bad })
}
