//! The kernel's counters of a process. Linux only.

use std::{collections::HashMap, ffi::OsString, fs};

use anyhow::{Context, Result};

/// Resident memory.
pub(crate) fn resident_bytes(pid: u32) -> Result<f64> {
    let statm = read(&format!("/proc/{pid}/statm"))?;
    let pages: f64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).context("reading statm")?;
    Ok(pages * rustix::param::page_size() as f64)
}

/// User and system time so far, of all threads including ended ones.
pub(crate) fn processor_seconds(pid: u32) -> Result<f64> {
    let stat = read(&format!("/proc/{pid}/stat"))?;
    // The name before the last parenthesis may contain anything.
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|ticks| ticks.parse::<f64>().ok()).context("reading stat");
    Ok((ticks(11)? + ticks(12)?) / rustix::param::clock_ticks_per_second() as f64)
}

/// How often each thread has gone to sleep so far, by thread id: each time means one wake-up.
pub(crate) fn sleeps(pid: u32) -> Result<HashMap<OsString, u64>> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).context("listing threads")?.flatten();
    let counts = threads.filter_map(|thread| {
        // A thread that has just ended does not count.
        let status = fs::read_to_string(thread.path().join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        Some((thread.file_name(), line.trim().parse().ok()?))
    });
    Ok(counts.collect())
}

fn read(file: &str) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("reading {file} (Linux only)"))
}
