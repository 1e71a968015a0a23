//! `cargo xtask COMMAND`: makes what this repository holds as generated files, and checks that they are what would be made;
//! its tests are the rules of the house. It must build without the faces and the programs, so that their code can be made
//! while they don't compile. Nothing here ships.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "these commands talk to a person")]

mod proto;
mod reference;
mod states;
mod unicode;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Parser;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Makes what is generated, and checks it")]
enum Command {
    Reference(reference::Arguments),
    States(states::Arguments),
    Proto(proto::Arguments),
    Unicode(unicode::Arguments),
}

/// How a check ended.
enum Verdict {
    Good,
    Bad,
}

fn main() -> ExitCode {
    let verdict = match Command::parse() {
        Command::Reference(arguments) => reference::run(&arguments),
        Command::States(arguments) => states::run(&arguments),
        Command::Proto(arguments) => proto::run(&arguments),
        Command::Unicode(arguments) => unicode::run(&arguments),
    };
    match verdict {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        Ok(Verdict::Bad) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            // Apart from a check that ran and failed.
            ExitCode::from(2)
        }
    }
}

/// A file of this repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository's root").join(path)
}
