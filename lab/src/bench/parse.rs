//! The cost of a byte: instructions under valgrind (repeatable), and time in interleaved rounds.

use std::{path::Path, process::Command, time::Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use vt::Size;

use super::{median, workload::Workload};
use crate::{
    Verdict,
    emulator::{Factory, Kind},
};

/// The most instructions per byte that `vt` may take, by workload.
const BARS: [(Workload, f64); 2] = [(Workload::Log, 40.0), (Workload::Repaint, 70.0)];
/// As large as one read of the engine.
const CHUNK: usize = 64 << 10;

/// Instructions and time to parse a stream
#[derive(Args)]
pub(crate) struct Arguments {
    /// Megabytes of each stream
    #[arg(long, default_value_t = 4)]
    megabytes: usize,
    /// Rounds of the timing
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Run one terminal on one stream and print nothing: the process that valgrind measures
    #[arg(long, hide = true, num_args = 2, value_names = ["TERMINAL", "WORKLOAD"])]
    only: Option<Vec<String>>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let bytes = arguments.megabytes << 20;
    if let Some(only) = &arguments.only {
        use clap::ValueEnum;
        let parse = |error: String| anyhow::anyhow!(error);
        let kind = Kind::from_str(&only[0], true).map_err(parse)?;
        let workload = Workload::from_str(&only[1], true).map_err(parse)?;
        feed(kind, &workload.bytes(bytes))?;
        return Ok(Verdict::Good);
    }
    println!("{:<10} {:<11} {:>13} {:>12}", "stream", "terminal", "instr/byte", "MB/s");
    let mut verdict = Verdict::Good;
    for (workload, bar) in BARS {
        let stream = workload.bytes(bytes);
        let mut speeds = [Vec::new(), Vec::new()];
        for _ in 0..arguments.rounds {
            for (kind, speeds) in [Kind::Vt, Kind::Alacritty].into_iter().zip(&mut speeds) {
                let start = Instant::now();
                feed(kind, &stream)?;
                speeds.push(stream.len() as f64 / 1e6 / start.elapsed().as_secs_f64());
            }
        }
        for (kind, speeds) in [Kind::Vt, Kind::Alacritty].into_iter().zip(speeds) {
            let cost = instructions(kind, workload, arguments.megabytes)? / stream.len() as f64;
            println!("{:<10} {:<11} {cost:>13.1} {:>12.0}", workload.name(), kind.name(), median(speeds));
            if kind == Kind::Vt && cost > bar {
                println!("           over the bar of {bar}");
                verdict = Verdict::Bad;
            }
        }
    }
    Ok(verdict)
}

fn feed(kind: Kind, stream: &[u8]) -> Result<()> {
    let mut terminal = Factory::new(kind, None)?.make(Size::new(120, 40))?;
    for chunk in stream.chunks(CHUNK) {
        measured(terminal.as_mut(), chunk)?;
    }
    Ok(())
}

/// Valgrind counts inside this function only.
#[inline(never)]
fn measured(terminal: &mut dyn crate::emulator::Emulator, chunk: &[u8]) -> Result<()> {
    terminal.feed(chunk)
}

fn instructions(kind: Kind, workload: Workload, megabytes: usize) -> Result<f64> {
    let program = std::env::current_exe().context("finding this program")?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*bench::parse::measured*"])
        .arg(Path::new(&program))
        .args(["bench", "parse", "--megabytes", &megabytes.to_string()])
        .args(["--only", kind.name(), workload.name()])
        .output()
        .context("running valgrind: install Debian's package of that name")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let Some(collected) = text.lines().find_map(|line| line.split_once("Collected :").map(|(_, count)| count.trim()))
    else {
        bail!("valgrind gave no count:\n{text}");
    };
    collected.parse().with_context(|| format!("reading valgrind's count {collected:?}"))
}
