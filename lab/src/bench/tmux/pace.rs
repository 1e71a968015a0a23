//! A program that prints 1 MB/s in steps of 10 kB, like a busy build or server: the sessions of `rate` run it.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use anyhow::Result;

use super::super::workload::Workload;
use crate::Verdict;

const STEP: Duration = Duration::from_millis(10);
const STEP_BYTES: usize = 10_000;

/// Print 1 MB/s until the terminal is closed
#[derive(clap::Args)]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments) -> Result<Verdict> {
    let block = Workload::Log.bytes(STEP_BYTES);
    let mut stdout = std::io::stdout().lock();
    let mut due = Instant::now();
    loop {
        stdout.write_all(&block)?;
        stdout.flush()?;
        due += STEP;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
}
