//! Typing a line and seeing the answer with the command lines: `vtr send` and `vtr wait` against `tmux send-keys` and
//! `tmux capture-pane` until the text is there (tmux has no wait for a text). Two processes a turn, or more for tmux
//! when the first look comes too early.

use std::process::Command;

use anyhow::{Result, bail};

use super::{
    Setup, echo,
    report::{Bar, Report},
};

const ROUNDS: usize = 20;
const LINES: usize = 20;

pub(super) fn run(setup: &Setup, report: &mut Report) -> Result<()> {
    let mut pair = setup.start()?;
    echo::start(&mut pair)?;
    let [mut ours, mut theirs] = [const { Vec::new() }; 2];
    for round in 0..setup.scaled(ROUNDS, 3) {
        for line in 0..LINES {
            let text = format!("line {round}-{line}.");
            ours.push(echo::timed(|| {
                finish(pair.ours.command(&["send", "echo", &text, "--enter"]))?;
                finish(pair.ours.command(&["wait", "echo", &text, "--scope", "screen"])).map(drop)
            })?);
        }
        for line in 0..LINES {
            let text = format!("line {round}-{line}.");
            theirs.push(echo::timed(|| {
                finish(pair.theirs.command(&["send-keys", "-t", "base:echo", &text, "Enter"]))?;
                while !finish(pair.theirs.command(&["capture-pane", "-p", "-t", "base:echo"]))?.contains(&text) {}
                Ok(())
            })?);
        }
    }
    let bars = (Bar::TimesAtMost(1.0), Bar::TimesAtMost(1.5));
    report.times("send, then wait for the echo: command lines", &ours, &theirs, bars.0, bars.1);
    Ok(())
}

fn finish(mut command: Command) -> Result<String> {
    let output = command.output()?;
    if !output.status.success() {
        bail!("{command:?}: {} {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
