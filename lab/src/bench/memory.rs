//! The memory of a filled terminal: the growth of this process's memory over several of them.

use anyhow::{Context, Result};
use clap::Args;
use vt::Size;

use super::workload::Workload;
use crate::{
    Verdict,
    emulator::{Factory, Kind},
    process,
};

const LINES: u64 = 10_000 + 40;
const TERMINALS: usize = 8;

/// Memory of a 120x40 terminal with 10,000 lines of history
#[derive(Args)]
pub(crate) struct Arguments {
    /// Measure one terminal on one stream in this process
    #[arg(long, hide = true, num_args = 2, value_names = ["TERMINAL", "WORKLOAD"])]
    only: Option<Vec<String>>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    if let Some(only) = &arguments.only {
        use clap::ValueEnum;
        let parse = |error: String| anyhow::anyhow!(error);
        let kind = Kind::from_str(&only[0], true).map_err(parse)?;
        let workload = Workload::from_str(&only[1], true).map_err(parse)?;
        println!("{:.2}", megabytes_each(kind, workload)?);
        return Ok(Verdict::Good);
    }
    println!("{:<10} {:<11} {:>14}", "stream", "terminal", "MB a terminal");
    let program = std::env::current_exe().context("finding this program")?;
    for workload in [Workload::Log, Workload::Coloured] {
        for kind in [Kind::Vt, Kind::Alacritty] {
            // A separate process for each, so that leftovers in the allocator don't count for the next one.
            let output = std::process::Command::new(&program)
                .args(["bench", "memory", "--only", kind.name(), workload.name()])
                .output()
                .context("measuring in a process of its own")?;
            let figure = String::from_utf8_lossy(&output.stdout);
            println!("{:<10} {:<11} {:>14}", workload.name(), kind.name(), figure.trim());
        }
    }
    println!("(a session's raw ring adds 1.05 MB)");
    Ok(Verdict::Good)
}

fn megabytes_each(kind: Kind, workload: Workload) -> Result<f64> {
    let stream = workload.lines(LINES);
    let factory = Factory::new(kind, None)?;
    let before = process::resident_bytes(std::process::id())?;
    let mut terminals = Vec::new();
    for _ in 0..TERMINALS {
        let mut terminal = factory.make(Size::new(120, 40))?;
        for chunk in stream.chunks(64 << 10) {
            terminal.feed(chunk)?;
        }
        terminals.push(terminal);
    }
    let grown = process::resident_bytes(std::process::id())? - before;
    Ok(grown / TERMINALS as f64 / 1e6)
}
