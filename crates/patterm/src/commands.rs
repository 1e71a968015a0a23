//! The commands, one file each: the arguments (their doc comments are the help text) and `run`.

pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod headless;
pub(crate) mod interface;
pub(crate) mod keys;
pub(crate) mod man;
pub(crate) mod presets;
pub(crate) mod replay_state;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod trust;

use program::{Failure, Outcome, Surroundings};

use crate::{
    cli::{PattermCli, PattermCommand, RunFlags},
    output::Output,
    run::RunOptions,
};

pub(crate) fn run(cli: PattermCli, surroundings: &Surroundings, output: &mut Output) -> Outcome {
    let project = surroundings.working_dir.join(cli.run.project.clone().unwrap_or_default());
    match cli.command {
        None if cli.run.headless => headless::run(cli.run, surroundings, output),
        None => interface::run(cli.run, surroundings, output),
        Some(PattermCommand::McpStdio(_) | PattermCommand::Hook(_) | PattermCommand::FakeAgent(_)) => {
            unreachable!("main dispatches these before anything is parsed")
        }
        Some(PattermCommand::Presets(command)) => command.run(&project, surroundings, output),
        Some(PattermCommand::Trust(command)) => command.run(&project, surroundings, output),
        Some(PattermCommand::Explain(command)) => command.run(surroundings, output),
        Some(PattermCommand::Report(command)) => command.run(surroundings, output),
        Some(PattermCommand::Rules(command)) => command.run(surroundings, output),
        Some(PattermCommand::ReplayState(command)) => command.run(&project, surroundings, output),
        Some(PattermCommand::Config(command)) => command.run(surroundings, output),
        Some(PattermCommand::Doctor(command)) => command.run(&project, surroundings, output),
        Some(PattermCommand::Keys(command)) => command.run(surroundings, output),
        Some(PattermCommand::Status(command)) => command.run(),
        Some(PattermCommand::Completions(command)) => command.run(output),
        Some(PattermCommand::Man(command)) => command.run(surroundings, output),
    }
}

/// What a run needs with or without a terminal: the settings, and presets installed where the run looks for them.
fn run_options(flags: &RunFlags, surroundings: &Surroundings, output: &mut Output) -> Result<RunOptions, Failure> {
    let project_dir = surroundings.working_dir.join(flags.project.clone().unwrap_or_default());
    presets::install_shipped(&presets::folders(surroundings, &project_dir), output);
    presets::install_more(surroundings, output);
    Ok(RunOptions {
        project_dir,
        http: flags.mcp_http,
        // Without a screen the file is the only way in, and HTTP clients need the token from it.
        operator_file: flags.operator_file || flags.headless || flags.mcp_http.is_some(),
        share: flags.share_place(&surroundings.working_dir),
        settings: config::load(surroundings, output)?,
    })
}
