//! What a server does for 100 sessions that do nothing, seen by nobody.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::{
    super::process,
    Setup,
    report::{Bar, Line, Report},
};

const SESSIONS: usize = 100;

pub(super) fn run(setup: &Setup, report: &mut Report) -> Result<()> {
    let mut pair = setup.start()?;
    for number in 0..SESSIONS {
        let name = format!("s{number}");
        pair.ours.spawn(&name, &["/bin/cat"])?;
        pair.theirs.spawn(&name, &["/bin/cat"])?;
    }
    // What a start sets going has come to rest.
    std::thread::sleep(Duration::from_secs(2));
    let pids = [pair.ours.pid(), pair.theirs.pid()];
    let (start, before) = (Instant::now(), counts(pids)?);
    std::thread::sleep(Duration::from_secs(setup.scaled(20, 3) as u64));
    let (seconds, after) = (start.elapsed().as_secs_f64(), counts(pids)?);
    let rate = |side: usize, what: usize| (after[side][what] - before[side][what]) / seconds;
    // One clock tick in 20 s is 0.05 %.
    for (index, what, unit, factor, most) in [(0, "processor", "%", 100.0, 0.05), (1, "wake-ups", "1/s", 1.0, 1.0)] {
        let [ours, theirs] = [rate(0, index) * factor, rate(1, index) * factor];
        let what = format!("{SESSIONS} idle sessions, {what}");
        report.line(&Line { what: &what, unit, ours, theirs, ratio: ours / theirs, bar: Bar::AtMost(most) });
    }
    Ok(())
}

/// Processor seconds and sleeps of each side.
fn counts(pids: [u32; 2]) -> Result<[[f64; 2]; 2]> {
    let of = |pid| -> Result<[f64; 2]> { Ok([process::processor_seconds(pid)?, process::sleeps(pid)?]) };
    Ok([of(pids[0])?, of(pids[1])?])
}
