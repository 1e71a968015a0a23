//! `cargo lab COMMAND`: measurements and experiments that need the outside world: other terminals as judges, tmux, real
//! agent CLIs, random streams. Nothing here ships.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "these commands talk to a person")]

mod agents;
mod bench;
mod differential;
mod emulator;
mod esctest;
mod fuzz;
mod outvoted;
mod own_process;
mod pictures;
mod process;
mod python;
mod record;
mod screen;
mod seat;
mod soak;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Parser;

#[derive(Parser)]
#[command(name = "cargo lab", about = "Measurements and experiments, for people who work on this repository")]
enum Command {
    #[command(subcommand)]
    Agents(agents::Arguments),
    Esctest(esctest::Arguments),
    Differential(differential::Arguments),
    Outvoted(outvoted::Arguments),
    Pictures(pictures::Arguments),
    Record(record::Arguments),
    Soak(soak::Arguments),
    Bench(bench::Arguments),
    Fuzz(fuzz::Arguments),
}

/// The result of a check.
enum Verdict {
    Good,
    Bad,
}

fn main() -> ExitCode {
    let verdict = match Command::parse() {
        Command::Agents(arguments) => agents::run(&arguments),
        Command::Esctest(arguments) => esctest::run(&arguments),
        Command::Differential(arguments) => differential::run(&arguments),
        Command::Outvoted(arguments) => outvoted::run(&arguments),
        Command::Pictures(arguments) => pictures::run(&arguments),
        Command::Record(arguments) => record::run(&arguments),
        Command::Soak(arguments) => soak::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Fuzz(arguments) => fuzz::run(&arguments),
    };
    match verdict {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        Ok(Verdict::Bad) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            // Distinguishes an error from a check that ran and failed.
            ExitCode::from(2)
        }
    }
}

/// A file of this repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("lab lies in the repository's root").join(path)
}
