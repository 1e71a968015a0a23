//! patterm's interface: the time from a key to its painted byte, compared with a bare terminal and with tmux in
//! alternating rounds; and the cost of drawing while sessions flood.

mod flood;
mod keys;
mod shared;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use vt::Size;

use super::Extent;
use crate::{Verdict, seat};

/// The size of every terminal.
const SIZE: Size = Size { cols: 120, rows: 40 };

/// Compare patterm on a terminal with tmux and a bare terminal, in alternating rounds
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    extent: Extent<What>,
    /// Use this patterm instead of building one
    #[arg(long, value_name = "FILE")]
    patterm: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// From a key to the byte it paints
    Keys,
    /// A flooding session in sight
    Flood,
    /// A flooding session out of sight
    Hidden,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let patterm = match &arguments.patterm {
        Some(patterm) => std::path::absolute(patterm)?,
        None => seat::build_patterm(true)?,
    };
    let patterm = patterm.to_string_lossy().into_owned();
    arguments.extent.announce("patterm", &super::tmux::load()?)?;
    let quick = arguments.extent.quick;
    let mut missed = 0;
    for what in arguments.extent.chosen() {
        missed += match what {
            What::Keys => keys::run(&patterm, if quick { 100 } else { 1000 })?,
            What::Flood => flood::in_sight(&patterm, if quick { 2 } else { 10 })?,
            What::Hidden => flood::hidden(&patterm, if quick { 20 } else { 200 })?,
        };
    }
    println!("load after: {}", super::tmux::load()?);
    if missed > 0 {
        println!("{missed} below the bar");
        return Ok(Verdict::Bad);
    }
    Ok(Verdict::Good)
}

/// Prints one line of the report; returns 1 if the bar is missed.
fn line(what: &str, figure: &str, bar: &str, reached: bool) -> usize {
    let verdict = match (bar.is_empty(), reached) {
        (true, _) => "",
        (false, true) => "ok",
        (false, false) => "MISSED",
    };
    println!("{what:<58} {figure:>24}  {bar} {verdict}");
    usize::from(!reached)
}
