//! Reading a screen of 120x40: `GetScreen` against `capture-pane -p` in control mode, of a session that does nothing
//! and of one that floods.

use std::time::Duration;

use anyhow::{Result, bail};
use grpc::proto::{GetScreenRequest, ScreenFormat};

use super::{
    super::workload::Workload,
    Setup, echo,
    pair::{Pair, ROWS},
    report::{Bar, Report},
};

/// A pause of the machine falls into few of them, so that the slowest hundredth is not made of one.
const ROUNDS: usize = 60;
const READS: usize = 100;
/// Not counted, on both sides: while a session starts, its shell and its program take the machine, and whichever kind of
/// read came first would pay for it.
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
        // One side at a time: two floods would take the machine from each other.
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
    // What nobody would notice, beside tmux's figures for orientation.
    let mut show = |way: &str, ours: &[Duration], theirs: &[Duration]| {
        report.times(&format!("read a screen, {what}, {way}"), ours, theirs, Bar::AtMost(0.3), Bar::AtMost(1.0));
    };
    show("runs, capture -p", &runs, &theirs);
    // Both with attributes and colours; -p alone is plain text.
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
