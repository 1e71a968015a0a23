//! A server's memory for each session with a full history.

use anyhow::Result;

use super::{
    super::workload::Workload,
    Setup,
    pair::{HISTORY, ROWS},
    report::{Bar, Line, Report},
};
use crate::process;

const SESSIONS: usize = 10;

pub(super) fn run(setup: &Setup, report: &mut Report) -> Result<()> {
    for (workload, most) in [(Workload::Log, 3.5), (Workload::Coloured, 8.0)] {
        // Separate servers, so that leftovers of one stream in the allocator don't count for the next.
        let mut pair = setup.start()?;
        let stream = workload.lines(HISTORY as u64 + u64::from(ROWS));
        let file = pair.write("lines", &stream)?;
        let script = format!("stty raw -echo; cat {file}; printf full; exec sleep 100000");
        let argv = ["/bin/sh", "-c", &script];
        let sessions = setup.scaled(SESSIONS, 3);
        let [mut ours, mut theirs] = [0.0; 2];
        for number in 0..=sessions {
            if number == 1 {
                // The first session has paid for what all of them share.
                ours = process::resident_bytes(pair.ours.pid())?;
                theirs = process::resident_bytes(pair.theirs.pid())?;
            }
            let name = format!("s{number}");
            pair.ours.spawn(&name, &argv)?;
            pair.ours.see(&name, "full")?;
            pair.theirs.spawn(&name, &argv)?;
            pair.theirs.see(&name, "full")?;
        }
        let each = |after: f64, before: f64| (after - before) / sessions as f64 / 1e6;
        let ours = each(process::resident_bytes(pair.ours.pid())?, ours);
        let theirs = each(process::resident_bytes(pair.theirs.pid())?, theirs);
        let what = format!("memory of a session full of {} lines", workload.name());
        report.line(&Line { what: &what, unit: "MB", ours, theirs, ratio: ours / theirs, bar: Bar::AtMost(most) });
    }
    Ok(())
}
