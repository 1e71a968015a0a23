//! The server's CPU time while ten sessions print 1 MB/s each and nobody watches them.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::{
    Setup,
    report::{Bar, Report},
};
use crate::process;

const ROUNDS: usize = 5;
const SESSIONS: usize = 10;
const WATCHED: Duration = Duration::from_secs(4);

pub(super) fn run(setup: &Setup, report: &mut Report) -> Result<()> {
    let mut pair = setup.start()?;
    let program = std::env::current_exe().context("finding this program")?;
    let program = program.to_string_lossy().into_owned();
    let argv = [program.as_str(), "bench", "pace"];
    let names: Vec<String> = (0..SESSIONS).map(|number| format!("s{number}")).collect();
    let [mut ours, mut theirs] = [const { Vec::new() }; 2];
    for _ in 0..setup.scaled(ROUNDS, 2) {
        for name in &names {
            pair.ours.spawn(name, &argv)?;
            pair.ours.see(name, "INFO")?;
        }
        ours.push(percent(pair.ours.pid())?);
        for name in &names {
            pair.ours.remove(name)?;
        }
        for name in &names {
            pair.theirs.spawn(name, &argv)?;
            pair.theirs.see(name, "INFO")?;
        }
        theirs.push(percent(pair.theirs.pid())?);
        for name in &names {
            pair.theirs.remove(name)?;
        }
    }
    report.rounds(
        &format!("{SESSIONS} sessions at 1 MB/s each, processor"),
        "%",
        &ours,
        &theirs,
        Bar::TimesAtMost(0.8),
    );
    Ok(())
}

/// Of one core, over a period.
fn percent(pid: u32) -> Result<f64> {
    let (start, used) = (Instant::now(), process::processor_seconds(pid)?);
    std::thread::sleep(WATCHED);
    let used = process::processor_seconds(pid)? - used;
    Ok(100.0 * used / start.elapsed().as_secs_f64())
}
