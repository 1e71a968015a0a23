//! Reading a screen of 120x40: `GetScreen` against `capture-pane -p` in control mode, of an idle session and of a
//! flooding one.

use std::time::Duration;

use anyhow::{Result, bail};
use grpc::proto::{GetScreenRequest, ScreenFormat};

use super::{
    super::workload::Workload,
    Setup, echo,
    pair::{Pair, ROWS},
    report::{Bar, Report},
};

/// So many that a hiccup of the machine affects only a few, and the slowest hundredth does not consist of one.
const ROUNDS: usize = 60;
const READS: usize = 100;
/// Warm-up on both sides: while a session starts, its shell and its program use the machine, and whichever kind of read
/// came first would pay for it.
const FIRST_READS: usize = 20;

pub(super) fn run(setup: &Setup, report: &mut Report) -> Result<()> {
    let mut pair = setup.start()?;
    let file = pair.write("screen", &Workload::Log.lines(60))?;
    let quiet = format!("stty raw -echo; cat {file}; exec sleep 100000");
    let flood = "exec yes \"$(printf '%0119d' 7)\"";
    for (what, script) in [("idle", quiet.as_str()), ("flooding", flood)] {
        measure(setup, report, &mut pair, what, script)?;
    }
    Ok(())
}

fn measure(setup: &Setup, report: &mut Report, pair: &mut Pair, what: &str, script: &str) -> Result<()> {
    let argv = ["/bin/sh", "-c", script];
    let rounds = setup.scaled(ROUNDS, 3);
    let [mut cells, mut runs, mut theirs, mut coloured] = [const { Vec::new() }; 4];
    for _ in 0..rounds {
        // One side at a time: two floods would compete for the machine.
        pair.ours.spawn(what, &argv)?;
        pair.ours.see(what, "0")?;
        for (format, times) in [(ScreenFormat::Cells, &mut cells), (ScreenFormat::Runs, &mut runs)] {
            for read in 0..FIRST_READS + READS {
                let time = echo::timed(|| ours(pair, what, format))?;
                times.extend((read >= FIRST_READS).then_some(time));
            }
        }
        pair.ours.remove(what)?;
        pair.theirs.spawn(what, &argv)?;
        pair.theirs.see(what, "0")?;
        for (flag, times) in [("", &mut theirs), ("-e ", &mut coloured)] {
            let command = format!("capture-pane -p {flag}-t {what}");
            for read in 0..FIRST_READS + READS {
                let time = echo::timed(|| pair.theirs.control.run(&command).map(drop))?;
                times.extend((read >= FIRST_READS).then_some(time));
            }
        }
        pair.theirs.remove(what)?;
    }
    // Differences that nobody would notice; tmux's figures are for orientation.
    let mut show = |way: &str, ours: &[Duration], theirs: &[Duration]| {
        report.times(&format!("read a screen, {what}, {way}"), ours, theirs, Bar::AtMost(0.3), Bar::AtMost(1.0));
    };
    show("runs, capture -p", &runs, &theirs);
    // Both with attributes and colours; `-p` alone gives plain text.
    show("cells, capture -pe", &cells, &coloured);
    Ok(())
}

fn ours(pair: &Pair, name: &str, format: ScreenFormat) -> Result<()> {
    let request = GetScreenRequest { name: name.into(), format: format.into() };
    let screen = pair.ours.wait(pair.ours.vtr().get_screen(request))?.into_inner();
    if screen.screen_rows.len() != usize::from(ROWS) {
        bail!("a screen of {} rows", screen.screen_rows.len());
    }
    Ok(())
}
