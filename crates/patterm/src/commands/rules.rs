//! `patterm rules`

use std::{
    fs, io,
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use agents::{
    AgentPreset, Catalog, Found, PresetFolders,
    preset::{ParsedRules, Place, RulesError, rules_schema},
};
use clap::{Subcommand, ValueHint};
use serde_json::{Value, json};

use super::presets::{folders, install_shipped};
use program::{Exit, Failure, Outcome, Surroundings};

use crate::output::{Output, counted, printable};

/// Newer rules for an agent's preset, without a newer patterm
///
/// A rules file says how patterm recognises what a CLI is doing. If its version is higher, it replaces the rules,
/// prompts, regions, readiness, submitting and versions of your preset of that name. It can't change what is run, set
/// or allowed. Presets that come with a project keep their own rules.
#[derive(Debug, clap::Args)]
pub(crate) struct Rules {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check these files, or those in use, for mistakes, and say whether they are newer
    Check {
        #[arg(value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
    },
    /// Show what a rules file would change
    Diff {
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Use a rules file from its agent's next start
    Update {
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Print the JSON Schema of rules files
    Schema,
}

impl Rules {
    pub(crate) fn run(self, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        // A project's rules are only those in its presets.
        let folders = PresetFolders { project: None, ..folders(surroundings, Path::new("")) };
        install_shipped(&folders, output);
        let folder = folders.global.join("rules");
        let presets = own_presets(&folders);
        let at = |file: &PathBuf| surroundings.working_dir.join(file);
        match self.command {
            Command::Check { files } => {
                let files = if files.is_empty() { in_use(&folder) } else { files.iter().map(at).collect() };
                check(&files, &presets, output)
            }
            Command::Diff { file } => diff(&at(&file), &presets, output),
            Command::Update { file } => update(&at(&file), &presets, &folder, output),
            Command::Schema => {
                output.line(serde_json::to_string_pretty(&rules_schema()).unwrap_or_default())?;
                Ok(Exit::Done)
            }
        }
    }
}

/// The user's presets, with the rules files in use applied.
fn own_presets(folders: &PresetFolders) -> Vec<Found<AgentPreset>> {
    Catalog::scan(folders).agents().filter(|found| found.place == Place::Global).cloned().collect()
}

fn in_use(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

fn check(files: &[PathBuf], presets: &[Found<AgentPreset>], output: &mut Output) -> Outcome {
    let mut told: Vec<(Value, String)> = Vec::new();
    let mut faulty = 0;
    for file in files {
        let shown = file.display().to_string();
        let used = presets.iter().find(|found| found.rules.as_ref() == Some(file));
        let judged = ParsedRules::read_file(file).map_err(|problem| RulesError::Unusable(Box::new(problem)));
        let judged = judged.and_then(|rules| match used {
            Some(_) => Ok((rules, "in use")),
            None => rules.target(presets).map(|_| "newer: can be installed").map(|word| (rules.clone(), word)),
        });
        match judged {
            Ok((rules, word)) => told.push((
                json!({ "file": shown, "preset": rules.preset, "rules_version": rules.rules_version, "use": word }),
                format!("{shown}: rules {} for {}, {word}", rules.rules_version, rules.preset),
            )),
            Err(error) => {
                faulty += usize::from(!matches!(error, RulesError::NotNewer { .. }));
                told.push((json!({ "file": shown, "error": error.to_string() }), error.to_string()));
            }
        }
    }
    let (values, mut lines): (Vec<Value>, Vec<String>) = told.into_iter().unzip();
    lines.iter_mut().for_each(|line| *line = printable(line));
    lines.push(format!("{}, {}", counted(files.len(), "file"), counted(faulty, "problem")));
    output.answer(&json!({ "files": values, "problems": faulty }), &lines)?;
    Ok(if faulty > 0 { Exit::NotFound } else { Exit::Done })
}

fn refused(error: &RulesError) -> Failure {
    Failure::new(Exit::NotFound, "rules", error.to_string())
        .with_hint("`patterm rules check FILE` lists the problems of a file")
}

fn read(file: &Path) -> Result<ParsedRules, Failure> {
    ParsedRules::read_file(file).map_err(|problem| refused(&RulesError::Unusable(Box::new(problem))))
}

fn diff(file: &Path, presets: &[Found<AgentPreset>], output: &mut Output) -> Outcome {
    let rules = read(file)?;
    let found = rules.target(presets).map_err(|error| refused(&error))?;
    let unusable = |problem| refused(&RulesError::Unusable(Box::new(problem)));
    let changes: Vec<String> = rules.changes(found).map_err(unusable)?.iter().map(ToString::to_string).collect();
    let lines: Vec<String> = changes.iter().map(|change| printable(change)).collect();
    output
        .answer(&json!({ "preset": rules.preset, "rules_version": rules.rules_version, "changes": changes }), &lines)?;
    Ok(Exit::Done)
}

fn update(file: &Path, presets: &[Found<AgentPreset>], folder: &Path, output: &mut Output) -> Outcome {
    let rules = read(file)?;
    rules.target(presets).map_err(|error| refused(&error))?;
    let target = folder.join(format!("{}.json", rules.preset));
    let write = || {
        let text = engine::read_short_file(file)?;
        fs::create_dir_all(folder)?;
        replace(&target, text.as_bytes())
    };
    write().map_err(|error| Failure::system(format_args!("writing {}", target.display()), &error))?;
    let line =
        format!("{} will use rules {} from its next start: {}", rules.preset, rules.rules_version, target.display());
    let told = json!({ "preset": rules.preset, "rules_version": rules.rules_version, "file": target });
    output.answer(&told, &[printable(&line)])?;
    Ok(Exit::Done)
}

/// Replaces the file atomically: a running patterm never reads half of it.
fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = target.with_extension("json.part");
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&part)?;
    let done = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&part, target));
    if done.is_err() {
        let _ = fs::remove_file(&part);
    }
    done
}
