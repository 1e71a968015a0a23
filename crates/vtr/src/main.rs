//! `vtr`: terminal sessions without a terminal. A coordinator that owns them, and a command line for people and agents.
//!
//! Only this file reads the environment, the home folder and the type of our output; everything else gets them passed
//! in. `ops` decides what can be done with a session; here it is only requested and printed.

mod ansi;
mod attach;
mod cli;
mod client_config;
mod commands;
mod completion;
mod host_terminal;
mod invocation;
mod misuse;
mod output;
mod playback;
mod server;
mod surroundings;
mod wire;

use std::{
    env,
    ffi::OsString,
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use clap::{CommandFactory, FromArgMatches, error::ErrorKind};
use fleet::ClientSurroundings;
use program::{Exit, Failure, Outcome, SurroundingsError};

use crate::{
    cli::{VtrCli, VtrCommand},
    commands::completions,
    invocation::Invocation,
    output::Output,
    surroundings::Surroundings,
};

fn main() -> ExitCode {
    let surroundings = match look_around() {
        Ok(surroundings) => surroundings,
        Err(error) => {
            let _ = writeln!(io::stderr(), "vtr: {error}");
            return ExitCode::from(Exit::Refused.code());
        }
    };
    clap_complete::CompleteEnv::with_factory(|| {
        let mut completed = surroundings.clone();
        completed.client.socket = completion::typed_socket(env::args_os()).or(completed.client.socket);
        cli::grammar(&completed)
    })
    .var(completions::VARIABLE)
    .complete();
    let mut grammar = VtrCli::command();
    let mut matches = match grammar.try_get_matches_from_mut(env::args_os()) {
        Ok(matches) => matches,
        // Help and usage errors need the whole grammar. Building it for every command would take longer than parsing
        // the command line.
        Err(_) => match cli::grammar(&surroundings).try_get_matches_from(env::args_os()) {
            Ok(matches) => matches,
            Err(error) => misused(&error),
        },
    };
    // Dropping it would take a tenth of most commands' time; the process's end frees it.
    std::mem::forget(grammar);
    let cli = match VtrCli::from_arg_matches_mut(&mut matches) {
        Ok(cli) => cli,
        Err(error) => misused(&error),
    };
    ExitCode::from(run(cli, surroundings).code())
}

/// Help and version are not errors. Usage errors are reported like all others.
fn misused(error: &clap::Error) -> ! {
    let words: Vec<OsString> = env::args_os().take_while(|word| word != "--").collect();
    let json = words.iter().any(|word| word == "--json");
    let help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if error.use_stderr() && (json || !help) {
        Output::new(json, false, false).failure(&misuse::misuse(error, &words));
        std::process::exit(Exit::Usage.code().into());
    }
    let told = error.print().and_then(|()| io::stdout().flush());
    let unheard = told.err().filter(|_| !error.use_stderr()).map(Failure::from);
    let code = match unheard {
        Some(failure) => end(Err(failure), &Output::new(false, false, false)).code().into(),
        None => error.exit_code(),
    };
    std::process::exit(code)
}

fn run(cli: VtrCli, surroundings: Surroundings) -> Exit {
    if let VtrCommand::Serve(_) | VtrCommand::Doctor(_) = cli.command {
        let terminal = surroundings.stdout_is_terminal;
        let mut output = Output::new(cli.everywhere.json, terminal && !surroundings.no_color, terminal);
        let outcome = match cli.command {
            VtrCommand::Doctor(doctor) => doctor.run(&cli.everywhere, &surroundings, &mut output),
            VtrCommand::Serve(serve) => serve.run(&cli.everywhere, &surroundings, &mut output),
            _ => unreachable!("only these two read the config themselves"),
        };
        return end(outcome, &output);
    }
    let mut invocation = match Invocation::new(cli.everywhere, surroundings) {
        Ok(invocation) => invocation,
        Err(failed) => {
            let (output, failure) = *failed;
            return end(Err(failure), &output);
        }
    };
    // One thread: a command does little, and starting threads would take longer than most answers.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return end(Err(Failure::system("starting the runtime", &error)), &invocation.output),
    };
    let outcome = runtime.block_on(commands::run(cli.command, &mut invocation));
    // A read of standard input can't be cancelled, so we do not wait for it.
    runtime.shutdown_background();
    end(outcome, &invocation.output)
}

fn end(outcome: Outcome, output: &Output) -> Exit {
    program::exit_of(outcome, |failure| output.failure(failure))
}

fn look_around() -> Result<Surroundings, SurroundingsError> {
    let client = ClientSurroundings::of(&program::Surroundings::look_around("vtr")?);
    let variable = |name| client.variable(name);
    let text = |name| variable(name).map(|value| value.to_string_lossy().into_owned());
    Ok(Surroundings {
        shell: variable("SHELL").map(Into::into),
        no_color: variable("NO_COLOR").is_some() || variable("TERM").is_some_and(|term| term == "dumb"),
        term: text("TERM").unwrap_or_default(),
        color_term: text("COLORTERM").unwrap_or_default(),
        stdout_is_terminal: io::stdout().is_terminal(),
        client,
    })
}
