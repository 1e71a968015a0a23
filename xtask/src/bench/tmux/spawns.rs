//! Starting 100 sessions on one connection, one after the other and all at once: `Spawn` against `new-session -d` and,
//! cheaper for tmux, `new-window -d`.

use std::time::Instant;

use anyhow::Result;

use super::{
    Setup,
    report::{Bar, Report},
};

const ROUNDS: usize = 10;
const SESSIONS: usize = 100;
const IDLER: [&str; 2] = ["/bin/sleep", "100000"];

pub(super) fn run(setup: &Setup, report: &mut Report) -> Result<()> {
    let mut pair = setup.start()?;
    let names: Vec<String> = (0..SESSIONS).map(|number| format!("s{number}")).collect();
    let [mut ours, mut at_once, mut sessions, mut their_at_once, mut windows] = [const { Vec::new() }; 5];
    for _ in 0..setup.scaled(ROUNDS, 3) {
        ours.push(millis(|| names.iter().try_for_each(|name| pair.ours.spawn(name, &IDLER)))?);
        names.iter().try_for_each(|name| pair.ours.remove(name))?;
        at_once.push(millis(|| pair.ours.spawn_all(&names, &IDLER))?);
        names.iter().try_for_each(|name| pair.ours.remove(name))?;

        sessions.push(millis(|| names.iter().try_for_each(|name| pair.theirs.spawn(name, &IDLER)))?);
        names.iter().try_for_each(|name| pair.theirs.remove(name))?;
        their_at_once.push(millis(|| pair.theirs.spawn_all(&names, &IDLER))?);
        names.iter().try_for_each(|name| pair.theirs.remove(name))?;

        pair.theirs.spawn("holder", &IDLER)?;
        let window = format!("new-window -d -t holder: {}", IDLER.join(" "));
        windows.push(millis(|| names.iter().try_for_each(|_| pair.theirs.control.run(&window).map(drop)))?);
        pair.theirs.remove("holder")?;
    }
    let bar = Bar::TimesAtMost(0.5);
    report.rounds(&format!("start {SESSIONS} sessions"), "ms", &ours, &sessions, bar);
    report.rounds("  against windows of one tmux session", "ms", &ours, &windows, bar);
    report.rounds("  all asked for at once, on both sides", "ms", &at_once, &their_at_once, bar);
    Ok(())
}

fn millis(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
