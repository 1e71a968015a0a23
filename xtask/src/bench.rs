//! Measures `vt` (instructions and time to parse, memory, reads), and `vtr` beside tmux. Figures go to
//! docs/benchmarks.md.

mod memory;
mod parse;
mod process;
mod read;
mod tmux;
mod workload;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::Verdict;

/// Measure `vt` beside `alacritty_terminal`, and `vtr` beside tmux
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Parse(parse::Arguments),
    Memory(memory::Arguments),
    Read(read::Arguments),
    Tmux(tmux::Arguments),
    #[command(hide = true)]
    Pace(tmux::pace::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    match &arguments.what {
        What::Parse(arguments) => parse::run(arguments),
        What::Memory(arguments) => memory::run(arguments),
        What::Read(arguments) => read::run(arguments),
        What::Tmux(arguments) => tmux::run(arguments),
        What::Pace(arguments) => tmux::pace::run(arguments),
    }
}

/// The middle one of some measurements.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
