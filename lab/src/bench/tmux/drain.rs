//! The throughput of a program's output through a session, compared with a reader that only reads.

use std::time::Instant;

use anyhow::{Result, bail};
use pty::{PollFd, PollFlags, ReadOutcome, SpawnRequest};

use super::{
    super::workload::Workload,
    Setup,
    pair::{COLS, ROWS},
    report::{Bar, Report},
};

const ROUNDS: usize = 7;
const MEGABYTES: usize = 200;

pub(super) fn run(setup: &Setup, report: &mut Report) -> Result<()> {
    let mut pair = setup.start()?;
    let stream = Workload::Log.bytes(setup.scaled(MEGABYTES, 20) * 1_000_000);
    let file = pair.write("drained", &stream)?;
    let script = format!("stty raw -echo; exec cat {file}");
    let argv = ["/bin/sh", "-c", &script];
    let megabytes = stream.len() as f64 / 1e6;
    let [mut bare, mut ours, mut theirs] = [const { Vec::new() }; 3];
    for round in 0..setup.scaled(ROUNDS, 3) {
        let start = Instant::now();
        read_only(&argv, stream.len())?;
        bare.push(megabytes / start.elapsed().as_secs_f64());

        let name = format!("drain-{round}");
        let start = Instant::now();
        pair.ours.spawn(&name, &argv)?;
        pair.ours.see_end(&name)?;
        ours.push(megabytes / start.elapsed().as_secs_f64());
        pair.ours.remove(&name)?;

        let start = Instant::now();
        pair.theirs.spawn(&name, &argv)?;
        pair.theirs.see_end()?;
        theirs.push(megabytes / start.elapsed().as_secs_f64());
    }
    report.rounds(&format!("drain {megabytes:.0} MB of log lines"), "MB/s", &ours, &theirs, Bar::TimesAtLeast(1.5));
    let share = |side: &[f64]| side.iter().zip(&bare).map(|(side, bare)| side / bare).collect::<Vec<f64>>();
    report.rounds("  as a share of a bare reader", "of it", &share(&ours), &share(&theirs), Bar::AtLeast(0.75));
    Ok(())
}

/// The same program on a terminal of its own, whose output is discarded.
fn read_only(argv: &[&str], expected: usize) -> Result<()> {
    let request = SpawnRequest {
        argv: argv.iter().map(Into::into).collect(),
        env: std::env::var_os("PATH").map(|path| ("PATH".into(), path)).into_iter().collect(),
        working_dir: None,
        size: pty::PtySize { cols: COLS, rows: ROWS },
    };
    let (pty, mut child) = pty::spawn(request)?;
    let mut buffer = vec![0; 64 << 10];
    let mut total = 0;
    loop {
        match pty.read(&mut buffer)? {
            ReadOutcome::Bytes(count) => total += count,
            ReadOutcome::Eof => break,
            ReadOutcome::WouldBlock => {
                pty::poll(&mut [PollFd::new(&pty, PollFlags::IN)], None)?;
            }
        }
    }
    child.wait()?;
    if total != expected {
        bail!("{total} bytes came, and {expected} were printed");
    }
    Ok(())
}
