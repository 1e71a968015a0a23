//! A real CLI asks for leave to run a long command of several lines, and somebody at patterm's screen reads the command to its
//! end in the inbox and allows it there.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::model::{ModelAnswer, ModelScript};

use super::{headless, resume, stage::Stage, vendors::Vendor};
use crate::{Verdict, seat::Seat};

/// Allow a long command of a real CLI from patterm's inbox
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// NAME or NAME@VERSION
    #[arg(long = "agent", value_name = "NAME", default_value = "claude")]
    agent: String,
    /// A patterm that is built already
    #[arg(long)]
    patterm: Option<PathBuf>,
}

const ASKED: &str = "please write the lines";
const WRITTEN: &str = "written";
const LINES: usize = 8;
const PATIENCE: Duration = Duration::from_secs(150);

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let vendor = Vendor::named(&arguments.agent)?;
    let program = headless::program(arguments.patterm.as_deref())?;
    let script = ModelScript::new().when(ASKED).then(|said| ModelAnswer::shell(said, &command())).say("done");
    let stage = Stage::new(script, std::slice::from_ref(&vendor))?;
    resume::visit(&stage, &program, |human, seat| {
        let start = json!({ "agent": vendor.name, "name": vendor.name, "agent_instructions": ASKED });
        resume::beside(seat, || human.call("spawn_agent", &start).map(drop))?;
        wait_for(seat, "▲ 1 in the status line", |text| text.lines().last().is_some_and(|row| row.contains("▲ 1")))?;
        let file = stage.project().join(WRITTEN);
        ensure!(!file.exists(), "the command ran before it was allowed");
        seat.write(b"\x1ba")?;
        read_to_the_end(seat)?;
        seat.write(b"o")?;
        let end = Instant::now() + PATIENCE;
        while std::fs::read_to_string(&file).unwrap_or_default().lines().count() < LINES {
            ensure!(Instant::now() < end, "what was allowed was not done:\n{}", seat.text());
            seat.look(Duration::from_millis(100))?;
        }
        wait_for(seat, "nothing waits any more", |text| text.lines().last().is_some_and(|row| !row.contains("▲")))?;
        resume::quit(seat)
    })?;
    let left = stage.left();
    ensure!(left.is_empty(), "left behind: {left:?}");
    println!("{} {}: a command of {} characters, allowed from the inbox", vendor.name, vendor.version, command().len());
    Ok(Verdict::Good)
}

fn command() -> String {
    let line = |number| format!("echo 'line {number} of a command that has several' >>{WRITTEN}");
    (1..=LINES).map(line).collect::<Vec<_>>().join("\n")
}

/// Looks at the inbox until each line of the command was in sight; what does not fit is scrolled to.
fn read_to_the_end(seat: &mut Seat) -> Result<()> {
    seat.see("allow once")?;
    let mut seen = [false; LINES];
    for _ in 0..20 {
        let text = seat.text();
        for (number, seen) in (1..).zip(&mut seen) {
            *seen |= text.contains(&format!("line {number} of a command"));
        }
        if seen.iter().all(|seen| *seen) {
            println!("{text}");
            // Keys of the first moment do not count there.
            let end = Instant::now() + Duration::from_secs(1);
            while Instant::now() < end {
                seat.look(Duration::from_millis(50))?;
            }
            return Ok(());
        }
        seat.write(b"\x1b[6~")?;
        seat.look(Duration::from_millis(300))?;
    }
    anyhow::bail!("not all of the command was in sight: {seen:?}\n{}", seat.text())
}

fn wait_for(seat: &mut Seat, what: &str, holds: impl Fn(&str) -> bool) -> Result<()> {
    let end = Instant::now() + PATIENCE;
    while !holds(&seat.text()) {
        ensure!(Instant::now() < end, "{what}: not seen:\n{}", seat.text());
        seat.look(Duration::from_millis(100))?;
    }
    Ok(())
}
