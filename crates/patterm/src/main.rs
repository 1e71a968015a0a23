//! `patterm`: tabs of agents, shells and commands, and an MCP server through which one agent drives the others.
//!
//! Only this file reads the environment, the home folder and the kind of our output; all else is told. What can be done
//! with sessions is decided in `ops` and `project`; here a run is put together, and its command line answered.

mod app;
mod cli;
mod commands;
mod failure;
mod hook;
mod observe;
mod output;
mod proxy;
mod run;
mod running;
mod spelled;
mod surroundings;
mod watchdog;

use std::{
    env,
    ffi::OsString,
    io::{self, Write},
    os::unix::process::CommandExt,
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, Result};
use clap::Parser;
use etcetera::BaseStrategy;

use crate::{
    cli::Cli,
    failure::{Exit, Outcome},
    output::Output,
    surroundings::Surroundings,
};

fn main() -> ExitCode {
    // Before anything else: an agent's proxy is small because nothing else of this program is ever started in it.
    let mut words = env::args_os().skip(1);
    let command = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    let wants_help = matches!(words.first().and_then(|word| word.to_str()), Some("--help" | "-h"));
    match command.to_str() {
        Some("mcp-stdio") if !wants_help => return ExitCode::from(proxy::run(&words).code()),
        Some(watchdog::COMMAND) => return ExitCode::from(watchdog::run(&words).code()),
        Some("hook") if !wants_help => return ExitCode::from(hook::run(&words).code()),
        // Its arguments are the vendor's, not ours.
        Some("fake-agent") if !wants_help => return fake_agent(&words),
        _ => {}
    }
    let surroundings = match look_around() {
        Ok(surroundings) => surroundings,
        Err(error) => {
            let _ = writeln!(io::stderr(), "patterm: {error:#}");
            return ExitCode::from(Exit::Refused.code());
        }
    };
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misused(&error),
    };
    let mut output = Output::new(cli.json);
    let outcome = commands::run(cli, &surroundings, &mut output);
    end(outcome, &output)
}

fn end(outcome: Outcome, output: &Output) -> ExitCode {
    let exit = outcome.unwrap_or_else(|failure| {
        if failure.exit != Exit::ReaderGone {
            output.failure(&failure);
        }
        failure.exit
    });
    ExitCode::from(exit.code())
}

/// Help and version are no mistakes, unless they can't be written.
fn misused(error: &clap::Error) -> ExitCode {
    let told = error.print().and_then(|()| io::stdout().flush());
    match told {
        Err(unheard) if !error.use_stderr() => end(Err(unheard.into()), &Output::new(false)),
        _ if error.use_stderr() => ExitCode::from(Exit::Usage.code()),
        _ => ExitCode::SUCCESS,
    }
}

/// Becomes the program beside this one that plays agents.
fn fake_agent(words: &[OsString]) -> ExitCode {
    const PROGRAM: &str = "patterm-fake-agent";
    let program = env::current_exe().map_or_else(|_| PROGRAM.into(), |own| own.with_file_name(PROGRAM));
    let error = std::process::Command::new(&program).args(words).exec();
    let hint = "install it beside patterm: `cargo build -p patterm` makes both";
    let _ = writeln!(io::stderr(), "patterm: {} can't be started ({error}): {hint}", program.display());
    ExitCode::from(Exit::Refused.code())
}

/// `PATTERM_PANIC_ON=f9`, for tests of how we end; nothing a user of a release could trip over.
#[cfg(debug_assertions)]
fn panic_key() -> Option<vt::input::KeyEvent> {
    env::var("PATTERM_PANIC_ON").ok()?.parse().ok()
}

#[cfg(not(debug_assertions))]
fn panic_key() -> Option<vt::input::KeyEvent> {
    None
}

fn look_around() -> Result<Surroundings> {
    let folders = etcetera::choose_base_strategy().context("no home folder: set HOME")?;
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let home = folders.home_dir().to_owned();
    let state = folders.state_dir().unwrap_or_else(|| home.join(".local/state"));
    Ok(Surroundings {
        program: env::current_exe().context("finding this program")?,
        working_dir: env::current_dir().context("finding the working folder")?,
        config_dir: folders.config_dir().join("patterm"),
        cache_dir: folders.cache_dir(),
        data_dir: folders.data_dir().join("patterm"),
        state_dir: state.join("patterm"),
        runtime_dir: variable("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute()),
        temp_dir: env::temp_dir(),
        shell: variable("SHELL").unwrap_or_else(|| "/bin/sh".into()),
        inside_patterm: variable("PATTERM").is_some(),
        environment: env::vars_os().collect::<Vec<(OsString, OsString)>>(),
        user: rustix::process::geteuid().as_raw(),
        panic_on: panic_key(),
        home,
    })
}
