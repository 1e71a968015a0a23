//! `patterm config`

use std::{io, path::PathBuf};

use clap::Subcommand;
use project::{
    Settings,
    settings::{Checked, SettingsWarning, default_text},
};
use serde_json::json;

use crate::{
    app,
    failure::{Exit, Failure, Outcome},
    output::{Output, counted, printable},
    surroundings::Surroundings,
};

/// The settings in config.json
#[derive(Debug, clap::Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Look for mistakes in the file
    Check {
        /// Another file
        file: Option<PathBuf>,
    },
    /// Print where the file lies
    Path,
    /// Print a file with every setting at its default, explained
    Default,
    /// Print the JSON Schema of the file
    Schema,
}

/// Where the file lies.
pub(crate) fn file(surroundings: &Surroundings) -> PathBuf {
    surroundings.config_dir.join("config.json")
}

/// The settings of a run; the defaults when there is no file, and for values that can't be.
pub(crate) fn load(surroundings: &Surroundings, output: &Output) -> Result<Settings, Failure> {
    let Some(checked) = current(surroundings)? else { return Ok(Settings::default()) };
    let file = file(surroundings);
    for warning in &checked.warnings {
        let stand_in = if is_wrong(warning) { ": the default is used" } else { "" };
        output.warn(format_args!("{}: {warning}{stand_in}", file.display()));
    }
    Ok(checked.settings)
}

/// The settings as the file has them now, and what is to be said of it; a value that can't be is an error.
pub(crate) fn look(surroundings: &Surroundings) -> Result<(Settings, Vec<String>), Failure> {
    let Some(checked) = current(surroundings)? else { return Ok((Settings::default(), Vec::new())) };
    let file = file(surroundings);
    let told = |warning: &SettingsWarning| format!("{}: {warning}", file.display());
    match checked.warnings.iter().find(|warning| is_wrong(warning)) {
        Some(wrong) => Err(Failure::new(Exit::Usage, "config", told(wrong))),
        None => Ok((checked.settings, checked.warnings.iter().map(told).collect())),
    }
}

fn is_wrong(warning: &SettingsWarning) -> bool {
    matches!(warning, SettingsWarning::Wrong { .. })
}

/// What the file says; none when there is none.
fn current(surroundings: &Surroundings) -> Result<Option<Checked>, Failure> {
    let file = file(surroundings);
    match engine::read_short_file(&file) {
        Ok(text) => read(&file, &text).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::system(format_args!("reading {}", file.display()), &error)),
    }
}

fn read(file: &std::path::Path, text: &str) -> Result<Checked, Failure> {
    Settings::read(text).map_err(|error| {
        Failure::new(Exit::Usage, "config", format!("{}: {error}", file.display()))
            .with_hint("`patterm config default` prints a file with every setting")
    })
}

impl Config {
    pub(crate) fn run(self, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        match self.command {
            Command::Check { file: given } => {
                let file = given.map_or_else(|| file(surroundings), |given| surroundings.working_dir.join(given));
                check(&file, output)
            }
            Command::Path => {
                let file = file(surroundings);
                output.answer(&json!({ "file": file, "exists": file.exists() }), &[file.display().to_string()])?;
                Ok(Exit::Done)
            }
            Command::Default => {
                output.line(default_text().trim_end())?;
                Ok(Exit::Done)
            }
            Command::Schema => {
                output.line(serde_json::to_string_pretty(&Settings::json_schema()).unwrap_or_default())?;
                Ok(Exit::Done)
            }
        }
    }
}

fn check(file: &std::path::Path, output: &mut Output) -> Outcome {
    let text = match engine::read_short_file(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let line = format!("there is no {}: every setting has its default", file.display());
            output.answer(&json!({ "file": file, "exists": false, "warnings": [] }), &[line])?;
            return Ok(Exit::Done);
        }
        Err(error) => return Err(Failure::system(format_args!("reading {}", file.display()), &error)),
    };
    let checked = read(file, &text)?;
    let told = checked.warnings.iter().map(ToString::to_string);
    let warnings: Vec<String> =
        told.chain(app::bindings(&checked.settings).faults).map(|warning| printable(&warning)).collect();
    let mut lines = warnings.clone();
    lines.push(format!("{}: {}", file.display(), counted(warnings.len(), "warning")));
    output.answer(&json!({ "file": file, "exists": true, "warnings": warnings }), &lines)?;
    Ok(if warnings.is_empty() { Exit::Done } else { Exit::NotFound })
}
