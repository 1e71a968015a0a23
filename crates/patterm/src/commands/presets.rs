//! `patterm presets`

use std::path::PathBuf;

use agents::{
    Catalog, Found, PresetFolders, Problem,
    preset::{Place, Severity, agent_schema, parse_agent, parse_process, process_schema},
};
use clap::{Subcommand, ValueEnum};
use program::{Exit, Failure, Outcome, Surroundings};
use serde::Serialize;
use serde_json::{Value, json};

use crate::output::{Output, columns, counted, printable};

/// Show and check what can be started by name: agents and commands
#[derive(Debug, clap::Args)]
pub(crate) struct PresetsArgs {
    #[command(subcommand)]
    command: PresetsAction,
}

#[derive(Debug, Subcommand)]
enum PresetsAction {
    /// List the usable presets
    Ls,
    /// Print a preset with everything filled in
    Show {
        /// The name of an agent's or a command's preset
        name: String,
        /// Which kind, if both have this name
        #[arg(long)]
        kind: Option<PresetKindArg>,
    },
    /// Check all presets, or the given files, for mistakes
    Check {
        /// Preset files, in a folder called agents or processes
        files: Vec<PathBuf>,
    },
    /// Print the folders that hold presets
    Path,
    /// Print the JSON Schema of preset files
    Schema { kind: PresetKindArg },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PresetKindArg {
    Agent,
    Process,
}

impl PresetKindArg {
    pub(crate) fn word(self) -> &'static str {
        match self {
            PresetKindArg::Agent => "agent",
            PresetKindArg::Process => "process",
        }
    }
}

/// The user's own folder, and the project's.
pub(crate) fn folders(surroundings: &Surroundings, project: &std::path::Path) -> PresetFolders {
    PresetFolders {
        global: surroundings.config_dir.join("presets"),
        project: Some(project.join(".patterm").join("presets")),
    }
}

impl PresetsArgs {
    pub(crate) fn run(self, project: &std::path::Path, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        let folders = folders(surroundings, project);
        install_more(surroundings, output);
        match self.command {
            PresetsAction::Ls => list(&folders, output),
            PresetsAction::Show { name, kind } => show(&folders, &name, kind, output),
            PresetsAction::Check { files } if files.is_empty() => check_all(&folders, output),
            PresetsAction::Check { files } => {
                check_files(&files.iter().map(|file| surroundings.working_dir.join(file)).collect::<Vec<_>>(), output)
            }
            PresetsAction::Path => {
                let project = folders.project.clone().unwrap_or_default();
                let lines = [folders.global.display().to_string(), project.display().to_string()];
                output.answer(&json!({ "global": folders.global, "project": project }), &lines)?;
                Ok(Exit::Done)
            }
            PresetsAction::Schema { kind } => {
                let schema = match kind {
                    PresetKindArg::Agent => agent_schema(),
                    PresetKindArg::Process => process_schema(),
                };
                output.line(pretty(&json!(schema)))?;
                Ok(Exit::Done)
            }
        }
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// Writes the three shipped presets to where the user can edit them, unless that was done before.
pub(crate) fn install_shipped(folders: &PresetFolders, output: &Output) {
    if let Err(error) = agents::preset::install_shipped(&folders.global) {
        let folder = folders.global.display();
        output
            .warn(format_args!("the presets of claude, codex and opencode could not be written to {folder}: {error}"));
    }
}

/// Writes the presets of further CLIs that are on the PATH.
pub(crate) fn install_more(surroundings: &Surroundings, output: &Output) {
    let path = surroundings.environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let folders: Vec<PathBuf> = std::env::split_paths(&path.unwrap_or_default()).collect();
    let is_there = |program: &str| folders.iter().any(|folder| folder.join(program).is_file());
    let own = surroundings.config_dir.join("presets");
    if let Err(error) = agents::preset::install_more(&own, is_there) {
        output.warn(format_args!("presets of more agents could not be written to {}: {error}", own.display()));
    }
}

#[derive(Serialize)]
struct ListedPreset {
    kind: PresetKindArg,
    name: String,
    argv: Vec<String>,
    of_project: bool,
    /// Replaces the user's own preset of the same name.
    overrides: bool,
    file: PathBuf,
    hash: String,
}

impl ListedPreset {
    fn new<P>(kind: PresetKindArg, found: &Found<P>, name: &str, argv: Vec<String>) -> Self {
        ListedPreset {
            kind,
            name: name.to_owned(),
            argv,
            of_project: found.place != Place::Global,
            overrides: found.place == Place::Project { overrides: true },
            file: found.file.clone(),
            hash: found.hash.as_str().to_owned(),
        }
    }

    fn all(catalog: &Catalog) -> Vec<Self> {
        let agents = catalog
            .agents()
            .map(|found| ListedPreset::new(PresetKindArg::Agent, found, &found.preset.name, found.preset.argv.clone()));
        let processes = catalog
            .processes()
            .map(|found| ListedPreset::new(PresetKindArg::Process, found, &found.preset.name, found.preset.command()));
        agents.chain(processes).collect()
    }
}

fn list(folders: &PresetFolders, output: &mut Output) -> Outcome {
    install_shipped(folders, output);
    let catalog = Catalog::scan(folders);
    let listed = ListedPreset::all(&catalog);
    let rows: Vec<_> = listed
        .iter()
        .map(|preset| {
            let place = match (preset.of_project, preset.overrides) {
                (false, _) => "yours",
                (true, false) => "project's",
                (true, true) => "project's, in place of yours",
            };
            [preset.kind.word().into(), preset.name.clone(), place.into(), preset.argv.join(" ")]
        })
        .collect();
    let lines = columns(["KIND", "NAME", "WHOSE", "COMMAND"], &rows);
    let problems: Vec<Value> = catalog.problems.iter().map(problem).collect();
    output.answer(&json!({ "presets": listed, "problems": problems }), &lines)?;
    if !output.json {
        catalog.problems.iter().for_each(|problem| output.warn(problem));
    }
    Ok(Exit::Done)
}

fn show(folders: &PresetFolders, name: &str, kind: Option<PresetKindArg>, output: &mut Output) -> Outcome {
    install_shipped(folders, output);
    let catalog = Catalog::scan(folders);
    let agent = catalog.agent(name).filter(|_| kind != Some(PresetKindArg::Process));
    let process = catalog.process(name).filter(|_| kind != Some(PresetKindArg::Agent));
    let (kind, file, content) = match (agent, process) {
        (Some(agent), None) => (PresetKindArg::Agent, &agent.file, agent.content.canonical()),
        (None, Some(process)) => (PresetKindArg::Process, &process.file, process.content.canonical()),
        (Some(_), Some(_)) => {
            return Err(Failure::new(Exit::Usage, "ambiguous", format!("an agent and a process are called '{name}'"))
                .with_hint("say which with --kind"));
        }
        (None, None) => {
            return Err(Failure::not_found(format!("there is no preset '{}'", printable(name)))
                .with_hint("see `patterm presets ls`, and `patterm presets check` for files that could not be read"));
        }
    };
    let content: Value = serde_json::from_str(&content).unwrap_or_default();
    let shown = json!({ "kind": kind, "file": file, "preset": content });
    output.answer(&shown, &[pretty(&content)])?;
    Ok(Exit::Done)
}

fn problem(problem: &Problem) -> Value {
    let severity = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    json!({
        "file": problem.file, "line": problem.line, "column": problem.column,
        "severity": severity, "message": problem.message,
    })
}

fn check_all(folders: &PresetFolders, output: &mut Output) -> Outcome {
    let catalog = Catalog::scan(folders);
    judge(&catalog.problems, ListedPreset::all(&catalog).len(), output)
}

fn check_files(files: &[PathBuf], output: &mut Output) -> Outcome {
    let mut problems = Vec::new();
    let mut sound = 0;
    for file in files {
        let text = engine::read_short_file(file)
            .map_err(|error| Failure::system(format_args!("reading {}", file.display()), &error))?;
        let folder = file.parent().and_then(|folder| folder.file_name());
        let parsed = if folder.is_some_and(|folder| folder == "processes") {
            parse_process(file, &text).map(|parsed| parsed.warnings)
        } else {
            parse_agent(file, &text).map(|parsed| parsed.warnings)
        };
        match parsed {
            Ok(warnings) => {
                sound += 1;
                problems.extend(warnings);
            }
            Err(problem) => problems.push(problem),
        }
    }
    judge(&problems, sound, output)
}

fn judge(problems: &[Problem], sound: usize, output: &mut Output) -> Outcome {
    let listed: Vec<Value> = problems.iter().map(problem).collect();
    let faulty = problems.iter().any(|problem| problem.severity == Severity::Error);
    let mut lines: Vec<String> = problems.iter().map(|problem| printable(&problem.to_string())).collect();
    lines.push(format!("{sound} can be used, {}", counted(problems.len(), "problem")));
    output.answer(&json!({ "sound": sound, "problems": listed }), &lines)?;
    Ok(if faulty { Exit::NotFound } else { Exit::Done })
}
