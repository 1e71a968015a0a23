//! The work of a server for 100 idle sessions that nobody watches.

use std::{
    collections::HashMap,
    ffi::OsString,
    time::{Duration, Instant},
};

use anyhow::Result;

use super::{
    Setup,
    report::{Bar, Line, Report},
};
use crate::process;

const SESSIONS: usize = 100;

pub(super) fn run(setup: &Setup, report: &mut Report) -> Result<()> {
    let mut pair = setup.start()?;
    for number in 0..SESSIONS {
        let name = format!("s{number}");
        pair.ours.spawn(&name, &["/bin/cat"])?;
        pair.theirs.spawn(&name, &["/bin/cat"])?;
    }
    // By now the effects of the start have settled.
    std::thread::sleep(Duration::from_secs(2));
    let (start, before) = (Instant::now(), [Counts::of(pair.ours.pid())?, Counts::of(pair.theirs.pid())?]);
    std::thread::sleep(Duration::from_secs(setup.scaled(20, 3) as u64));
    let (seconds, after) =
        (start.elapsed().as_secs_f64(), [Counts::of(pair.ours.pid())?, Counts::of(pair.theirs.pid())?]);
    let [ours, theirs] = [0, 1].map(|side| after[side].since(&before[side]));
    let mut show = |what: &str, unit, ours: f64, theirs: f64, most| {
        let what = format!("{SESSIONS} idle sessions, {what}");
        let [ours, theirs] = [ours / seconds, theirs / seconds];
        report.line(&Line { what: &what, unit, ours, theirs, ratio: ours / theirs, bar: Bar::AtMost(most) });
    };
    // One clock tick in 20 s is 0.05 %.
    show("processor", "%", 100.0 * ours.0, 100.0 * theirs.0, 0.05);
    show("wake-ups", "1/s", ours.1, theirs.1, 1.0);
    Ok(())
}

struct Counts {
    processor_seconds: f64,
    sleeps: HashMap<OsString, u64>,
}

impl Counts {
    fn of(pid: u32) -> Result<Self> {
        Ok(Counts { processor_seconds: process::processor_seconds(pid)?, sleeps: process::sleeps(pid)? })
    }

    /// Seconds of CPU time, and the wake-ups of the current threads.
    fn since(&self, before: &Self) -> (f64, f64) {
        let woken = self.sleeps.iter().map(|(thread, count)| count - before.sleeps.get(thread).unwrap_or(&0));
        (self.processor_seconds - before.processor_seconds, woken.sum::<u64>() as f64)
    }
}
