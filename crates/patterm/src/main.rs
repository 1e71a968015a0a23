//! `patterm`: tabs of agents, shells and commands, and an MCP server through which one agent drives the others.
//!
//! Only this file reads the environment, the home folder and the type of our output; everything else gets them passed
//! in. `ops` and `project` decide what can be done with sessions; here a run is assembled and its command line handled.

mod cli;
mod commands;
mod hook;
mod observe;
mod output;
mod proxy;
mod run;
mod running;
mod watchdog;

use std::{
    env,
    ffi::OsString,
    io::{self, Write},
    os::unix::process::CommandExt,
    process::ExitCode,
};

use clap::Parser;
use program::{Exit, Outcome, Surroundings};

use crate::{cli::PattermCli, output::Output};

fn main() -> ExitCode {
    // First of all: an agent's proxy stays small because nothing else of this program is started in it.
    let mut words = env::args_os().skip(1);
    let command = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    let wants_help = matches!(words.first().and_then(|word| word.to_str()), Some("--help" | "-h"));
    match command.to_str() {
        Some("mcp-stdio") if !wants_help => return ExitCode::from(proxy::run(&words).code()),
        Some(watchdog::COMMAND) => return ExitCode::from(watchdog::run(&words).code()),
        Some("hook") if !wants_help => return ExitCode::from(hook::run(&words).code()),
        // Its arguments belong to the imitated CLI, not to us.
        Some("fake-agent") if !wants_help => return fake_agent(&words),
        _ => {}
    }
    let surroundings = match Surroundings::look_around("patterm") {
        Ok(surroundings) => surroundings,
        Err(error) => {
            let _ = writeln!(io::stderr(), "patterm: {error}");
            return ExitCode::from(Exit::Refused.code());
        }
    };
    let cli = match PattermCli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misused(&error),
    };
    let mut output = Output::new(cli.json);
    let outcome = commands::run(cli, &surroundings, &mut output);
    end(outcome, &output)
}

fn end(outcome: Outcome, output: &Output) -> ExitCode {
    ExitCode::from(program::exit_of(outcome, |failure| output.failure(failure)).code())
}

/// Help and version are not errors, unless they can't be written.
fn misused(error: &clap::Error) -> ExitCode {
    let told = error.print().and_then(|()| io::stdout().flush());
    match told {
        Err(unheard) if !error.use_stderr() => end(Err(unheard.into()), &Output::new(false)),
        _ if error.use_stderr() => ExitCode::from(Exit::Usage.code()),
        _ => ExitCode::SUCCESS,
    }
}

/// Replaces this process with the fake agents' program, which is installed beside this one.
fn fake_agent(words: &[OsString]) -> ExitCode {
    const PROGRAM: &str = "patterm-fake-agent";
    let program = env::current_exe().map_or_else(|_| PROGRAM.into(), |own| own.with_file_name(PROGRAM));
    let error = std::process::Command::new(&program).args(words).exec();
    let hint = "install it beside patterm: `cargo build -p patterm` makes both";
    let _ = writeln!(io::stderr(), "patterm: {} can't be started ({error}): {hint}", program.display());
    ExitCode::from(Exit::Refused.code())
}
