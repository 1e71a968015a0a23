//! `vtr` compared with tmux: the release program on its socket, through our own client, against a tmux server of its
//! own, through control mode; in alternating rounds on the same machine. Each measurement is a file here.

mod cli;
mod control;
mod coordinator;
mod drain;
mod echo;
mod filled;
mod idle;
pub(crate) mod pace;
mod pair;
mod rate;
mod reads;
mod report;
mod search;
mod server;
mod spawns;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

use self::{pair::Pair, report::Report};
use super::Extent;
use crate::{Verdict, repository};

/// Compare `vtr serve` with a tmux server, in alternating rounds
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    extent: Extent<What>,
    /// Use this vtr instead of building one
    #[arg(long, value_name = "FILE")]
    vtr: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// Bytes through a session
    Drain,
    /// Type and wait for the echo, on one connection
    Echo,
    /// Commands as agents run them: screen, spawn, send and wait
    Cli,
    /// Read a screen, idle and flooding
    Reads,
    /// Start 100 sessions
    Spawns,
    /// Ten sessions at 1 MB/s each
    Rate,
    /// Search 10,000 lines
    Search,
    /// Memory of a filled session
    Memory,
    /// 100 idle sessions
    Idle,
}

/// What all measurements need.
struct Setup {
    vtr: PathBuf,
    quick: bool,
    load: String,
}

impl Setup {
    /// The number of rounds, calls or bytes; a tenth of it in a quick run, but at least `least`.
    fn scaled(&self, full: usize, least: usize) -> usize {
        if self.quick { (full / 10).max(least) } else { full }
    }

    fn start(&self) -> Result<Pair> {
        Pair::start(&self.vtr)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let vtr = match &arguments.vtr {
        Some(vtr) => std::path::absolute(vtr)?,
        None => build()?,
    };
    let setup = Setup { vtr, quick: arguments.extent.quick, load: load()? };
    arguments.extent.announce("vtr", &setup.load)?;
    let mut report = Report::begin();
    for what in arguments.extent.chosen() {
        match what {
            What::Drain => drain::run(&setup, &mut report),
            What::Echo => echo::run(&setup, &mut report),
            What::Cli => cli::run(&setup, &mut report),
            What::Reads => reads::run(&setup, &mut report),
            What::Spawns => spawns::run(&setup, &mut report),
            What::Rate => rate::run(&setup, &mut report),
            What::Search => search::run(&setup, &mut report),
            What::Memory => filled::run(&setup, &mut report),
            What::Idle => idle::run(&setup, &mut report),
        }
        .with_context(|| format!("measuring {what:?}"))?;
    }
    println!("load after: {}", load()?);
    Ok(report.verdict())
}

pub(super) fn version() -> Result<String> {
    let output = Command::new("tmux").arg("-V").output();
    let output = output.context("tmux can't be run: install it (Debian: apt-get install tmux)")?;
    if !output.status.success() {
        bail!("tmux -V failed: install tmux anew (Debian: apt-get install --reinstall tmux)");
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The release program. It is beside this one, which cargo has just built with the same profile.
fn build() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--release", "--package", "vtr"])
        .current_dir(repository(""))
        .status()
        .context("running cargo")?;
    let ours = std::env::current_exe().context("finding this program")?;
    let vtr = ours.parent().unwrap_or(Path::new("")).join("vtr");
    if !built.success() || !vtr.exists() {
        bail!("no release vtr: run `cargo build --release -p vtr` and give --vtr FILE");
    }
    Ok(vtr)
}

/// The load average over 1, 5 and 15 minutes: whether the machine was busy with other things.
pub(super) fn load() -> Result<String> {
    let text = std::fs::read_to_string("/proc/loadavg").context("reading the load (Linux only)")?;
    Ok(text.split(' ').take(3).collect::<Vec<_>>().join(" "))
}
