//! Starting 100 sessions one after the other on one connection: `Spawn` against `new-session -d` and, cheaper for
//! tmux, `new-window -d`.

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
    let [mut ours, mut sessions, mut windows] = [const { Vec::new() }; 3];
    for _ in 0..setup.scaled(ROUNDS, 3) {
        let start = Instant::now();
        for number in 0..SESSIONS {
            pair.ours.spawn(&format!("s{number}"), &IDLER)?;
        }
        ours.push(start.elapsed().as_secs_f64() * 1e3);
        for number in 0..SESSIONS {
            pair.ours.remove(&format!("s{number}"))?;
        }

        let start = Instant::now();
        for number in 0..SESSIONS {
            pair.theirs.spawn(&format!("s{number}"), &IDLER)?;
        }
        sessions.push(start.elapsed().as_secs_f64() * 1e3);
        for number in 0..SESSIONS {
            pair.theirs.remove(&format!("s{number}"))?;
        }

        pair.theirs.spawn("holder", &IDLER)?;
        let start = Instant::now();
        for _ in 0..SESSIONS {
            pair.theirs.control.run(&format!("new-window -d -t holder: {}", IDLER.join(" ")))?;
        }
        windows.push(start.elapsed().as_secs_f64() * 1e3);
        pair.theirs.remove("holder")?;
    }
    report.rounds(&format!("start {SESSIONS} sessions"), "ms", &ours, &sessions, Bar::TimesAtMost(0.5));
    report.rounds("  against windows of one tmux session", "ms", &ours, &windows, Bar::TimesAtMost(0.5));
    Ok(())
}
