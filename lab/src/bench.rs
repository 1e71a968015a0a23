//! Benchmarks: `vt` (instructions and time to parse, memory, reads), `vtr` and patterm compared with tmux, and the
//! latency of a tool call. Figures go to docs/benchmarks.md.

mod attach;
mod mcp;
mod memory;
mod parse;
mod read;
mod relay;
mod tmux;
mod tui;
mod workload;

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};

use crate::Verdict;

/// Compare `vt` with `alacritty_terminal`, `vtr` with tmux, and tool calls with a bare socket
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
    Mcp(mcp::Arguments),
    Tui(tui::Arguments),
    Attach(attach::Arguments),
    #[command(hide = true)]
    Relay(relay::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    match &arguments.what {
        What::Parse(arguments) => parse::run(arguments),
        What::Memory(arguments) => memory::run(arguments),
        What::Read(arguments) => read::run(arguments),
        What::Tmux(arguments) => tmux::run(arguments),
        What::Pace(arguments) => tmux::pace::run(arguments),
        What::Mcp(arguments) => mcp::run(arguments),
        What::Tui(arguments) => tui::run(arguments),
        What::Attach(arguments) => attach::run(arguments),
        What::Relay(arguments) => relay::run(arguments),
    }
}

/// How much of a comparison with tmux is run.
#[derive(Args)]
struct Extent<W: ValueEnum + Send + Sync + 'static> {
    /// A tenth of the work: to see that it runs; don't quote the figures
    #[arg(long)]
    quick: bool,
    /// Run only this measurement; can be repeated
    #[arg(long, value_enum)]
    only: Vec<W>,
}

impl<W: ValueEnum + PartialEq + Send + Sync + 'static> Extent<W> {
    /// The measurements, in the order of the suite.
    fn chosen(&self) -> impl Iterator<Item = &'static W> {
        W::value_variants().iter().filter(|what| self.only.is_empty() || self.only.contains(what))
    }

    /// The first line: what is compared with which tmux, and under which load.
    fn announce(&self, what: &str, load: &str) -> Result<()> {
        println!("{what} (release) beside {}, by turns; load before: {load}", tmux::version()?);
        if self.quick {
            println!("--quick: these figures are not to be quoted");
        }
        Ok(())
    }
}

/// The median of some measurements.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
