//! `patterm config`

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Subcommand;
use interface::app;
use program::{Exit, Failure, Outcome, Surroundings};
use project::{
    Settings,
    settings::{Checked, SettingsWarning, default_text},
};
use serde_json::json;

use crate::output::{Output, counted, printable};

/// The settings in config.json
#[derive(Debug, clap::Args)]
pub(crate) struct PattermConfig {
    #[command(subcommand)]
    command: ConfigSubcommand,
}

#[derive(Debug, Subcommand)]
enum ConfigSubcommand {
    /// Check the file for mistakes
    Check {
        /// Another file
        file: Option<PathBuf>,
    },
    /// Print the path of the file
    Path,
    /// Print a commented file with every setting at its default
    Default,
    /// Print the JSON Schema of the file
    Schema,
}

/// The path of the file.
pub(crate) fn file(surroundings: &Surroundings) -> PathBuf {
    surroundings.config_dir.join("config.json")
}

/// The settings of a run; defaults if there is no file, and in place of invalid values.
pub(crate) fn load(surroundings: &Surroundings, output: &Output) -> Result<Settings, Failure> {
    let file = file(surroundings);
    let Some(text) = current(&file)? else { return Ok(Settings::default()) };
    let checked = read(&file, &text)?;
    for warning in &checked.warnings {
        let stand_in = if is_wrong(warning) { ": the default is used" } else { "" };
        output.warn(format_args!("{}: {warning}{stand_in}", file.display()));
    }
    Ok(checked.settings)
}

/// The file as the interface follows it.
pub(crate) fn followed(surroundings: &Surroundings) -> app::SettingsFile {
    let of = surroundings.clone();
    app::SettingsFile { path: file(surroundings), read: Arc::new(move || look(&of)) }
}

/// The current settings of the file, and warnings about it; an invalid value is an error. `None` while the file is
/// empty: many editors truncate a file before they write it, and the next change will bring the content.
fn look(surroundings: &Surroundings) -> Result<Option<(Settings, Vec<String>)>, Failure> {
    let file = file(surroundings);
    let checked = match current(&file)? {
        Some(text) if text.is_empty() => return Ok(None),
        Some(text) => read(&file, &text)?,
        None => return Ok(Some((Settings::default(), Vec::new()))),
    };
    let told = |warning: &SettingsWarning| format!("{}: {warning}", file.display());
    match checked.warnings.iter().find(|warning| is_wrong(warning)) {
        Some(wrong) => Err(Failure::new(Exit::Usage, "config", told(wrong))),
        None => Ok(Some((checked.settings, checked.warnings.iter().map(told).collect()))),
    }
}

fn is_wrong(warning: &SettingsWarning) -> bool {
    matches!(warning, SettingsWarning::Wrong { .. })
}

/// The file's content; `None` if there is no file.
fn current(file: &Path) -> Result<Option<String>, Failure> {
    match engine::read_short_file(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::system(format_args!("reading {}", file.display()), &error)),
    }
}

fn read(file: &Path, text: &str) -> Result<Checked, Failure> {
    Settings::read(text).map_err(|error| {
        Failure::new(Exit::Usage, "config", format!("{}: {error}", file.display()))
            .with_hint("`patterm config default` prints a file with every setting")
    })
}

impl PattermConfig {
    pub(crate) fn run(self, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        match self.command {
            ConfigSubcommand::Check { file: given } => {
                let file = given.map_or_else(|| file(surroundings), |given| surroundings.working_dir.join(given));
                check(&file, surroundings, output)
            }
            ConfigSubcommand::Path => {
                let file = file(surroundings);
                output.answer(&json!({ "file": file, "exists": file.exists() }), &[file.display().to_string()])?;
                Ok(Exit::Done)
            }
            ConfigSubcommand::Default => {
                output.line(default_text().trim_end())?;
                Ok(Exit::Done)
            }
            ConfigSubcommand::Schema => {
                output.line(serde_json::to_string_pretty(&Settings::json_schema()).unwrap_or_default())?;
                Ok(Exit::Done)
            }
        }
    }
}

fn check(file: &Path, surroundings: &Surroundings, output: &mut Output) -> Outcome {
    let Some(warnings) = warnings(file, surroundings)? else {
        let line = format!("there is no {}: every setting has its default", file.display());
        output.answer(&json!({ "file": file, "exists": false, "warnings": [] }), &[line])?;
        return Ok(Exit::Done);
    };
    let mut lines = warnings.clone();
    lines.push(format!("{}: {}", file.display(), counted(warnings.len(), "warning")));
    output.answer(&json!({ "file": file, "exists": true, "warnings": warnings }), &lines)?;
    Ok(if warnings.is_empty() { Exit::Done } else { Exit::NotFound })
}

/// Everything that is wrong with the file's settings, keys and theme; `None` if there is no file.
pub(crate) fn warnings(file: &Path, surroundings: &Surroundings) -> Result<Option<Vec<String>>, Failure> {
    let Some(text) = current(file)? else { return Ok(None) };
    let checked = read(file, &text)?;
    let told = checked.warnings.iter().map(ToString::to_string);
    let faults = app::bindings(&checked.settings).faults;
    let theme = app::theme_fault(&checked.settings, &surroundings.config_dir);
    Ok(Some(told.chain(faults).chain(theme).map(|warning| printable(&warning)).collect()))
}
