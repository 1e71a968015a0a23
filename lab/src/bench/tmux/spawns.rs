//! Starting 100 sessions on one connection, one after the other and all at once: `Spawn` against `new-session -d` and,
//! cheaper for tmux, `new-window -d`. This program is the client of both sides.

use std::time::Instant;

use anyhow::Result;

use super::{
    Setup,
    pair::Pair,
    report::{Bar, Report},
};

const ROUNDS: usize = 10;
const SESSIONS: usize = 100;
pub(super) const IDLER: [&str; 2] = ["/bin/sleep", "100000"];

pub(super) fn run(setup: &Setup, report: &mut Report) -> Result<()> {
    let mut pair = setup.start()?;
    let mut times = Times::default();
    for _ in 0..setup.scaled(ROUNDS, 3) {
        times.add_round(&mut pair)?;
    }
    let bar = Bar::TimesAtMost(1.0);
    report.rounds(&format!("start {SESSIONS} sessions"), "ms", &times.ours, &times.theirs, bar);
    report.rounds("  against windows of one tmux session", "ms", &times.ours, &times.windows, bar);
    report.rounds("  all asked for at once, on both sides", "ms", &times.ours_at_once, &times.theirs_at_once, bar);
    Ok(())
}

/// Milliseconds for all of them, one figure per round.
#[derive(Default)]
struct Times {
    ours: Vec<f64>,
    ours_at_once: Vec<f64>,
    theirs: Vec<f64>,
    theirs_at_once: Vec<f64>,
    windows: Vec<f64>,
}

impl Times {
    fn add_round(&mut self, pair: &mut Pair) -> Result<()> {
        let names: Vec<String> = (0..SESSIONS).map(|number| format!("s{number}")).collect();
        self.ours.push(millis(|| names.iter().try_for_each(|name| pair.ours.spawn(name, &IDLER)))?);
        names.iter().try_for_each(|name| pair.ours.remove(name))?;
        self.ours_at_once.push(millis(|| pair.ours.spawn_all(&names, &IDLER))?);
        names.iter().try_for_each(|name| pair.ours.remove(name))?;

        self.theirs.push(millis(|| names.iter().try_for_each(|name| pair.theirs.spawn(name, &IDLER)))?);
        names.iter().try_for_each(|name| pair.theirs.remove(name))?;
        self.theirs_at_once.push(millis(|| pair.theirs.spawn_all(&names, &IDLER))?);
        names.iter().try_for_each(|name| pair.theirs.remove(name))?;

        pair.theirs.spawn("holder", &IDLER)?;
        let window = format!("new-window -d -t holder: {}", IDLER.join(" "));
        self.windows.push(millis(|| names.iter().try_for_each(|_| pair.theirs.control.run(&window).map(drop)))?);
        pair.theirs.remove("holder")
    }
}

fn millis(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
