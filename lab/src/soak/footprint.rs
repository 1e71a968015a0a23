//! The resources that a process uses. Linux only.

use std::{
    fmt, fs,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

use crate::process::resident_bytes;

/// How long connections may take to close, idle threads to end, and zombies to be reaped.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Footprint {
    /// Memory in bytes.
    pub(super) memory: f64,
    descriptors: usize,
    threads: usize,
    zombies: usize,
}

impl Footprint {
    pub(super) fn of(pid: u32) -> Result<Self> {
        let count = |what: &str| -> Result<usize> {
            let folder = format!("/proc/{pid}/{what}");
            Ok(fs::read_dir(&folder).with_context(|| format!("the program has ended: reading {folder}"))?.count())
        };
        let memory = resident_bytes(pid)?;
        Ok(Footprint { memory, descriptors: count("fd")?, threads: count("task")?, zombies: zombies_of(pid) })
    }

    /// Waits until it is at rest: the same as at `start` except for its memory, or whatever it is when the time is
    /// over.
    pub(super) fn at_rest(pid: u32, start: &Footprint) -> Result<Self> {
        let begun = Instant::now();
        loop {
            let now = Footprint::of(pid)?;
            if now.differences(start).is_empty() || begun.elapsed() > PATIENCE {
                return Ok(now);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Everything except memory, which is never the same twice.
    pub(super) fn differences(&self, start: &Footprint) -> Vec<String> {
        let counts = [
            ("descriptors", self.descriptors, start.descriptors),
            ("threads", self.threads, start.threads),
            ("zombies", self.zombies, start.zombies),
        ];
        let differ = counts.into_iter().filter(|(_, now, before)| now != before);
        differ.map(|(what, now, before)| format!("{now} {what}, {before} at the start")).collect()
    }
}

impl fmt::Display for Footprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Footprint { memory, descriptors, threads, zombies } = self;
        write!(f, "{:.1} MB, {descriptors} descriptors, {threads} threads, {zombies} zombies", memory / 1e6)
    }
}

/// Children that have ended and were not reaped.
fn zombies_of(parent: u32) -> usize {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = processes.filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
    let is_zombie = |stat: &String| {
        // The name before the last parenthesis may contain anything.
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        (fields.next(), fields.next().and_then(|number| number.parse().ok())) == (Some("Z"), Some(parent))
    };
    stats.filter(is_zombie).count()
}
