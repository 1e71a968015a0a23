//! Commands as agents run them, from the start of their process to its end: `vtr screen` against `tmux capture-pane`,
//! `vtr spawn` against `tmux new-session -d`, and `vtr send --wait` against `tmux send-keys` plus `tmux capture-pane`
//! until the text is there (tmux can't wait for a text): one process per round against two, or more if the first
//! capture comes too early. `vtr send` and `vtr wait` as two commands are shown as well.

use std::process::Command;

use anyhow::{Result, bail};

use super::{
    Setup, echo,
    report::{Bar, Report},
    spawns::IDLER,
};

const ROUNDS: usize = 20;
const LINES: usize = 20;

pub(super) fn run(setup: &Setup, report: &mut Report) -> Result<()> {
    let mut pair = setup.start()?;
    echo::start(&mut pair)?;
    let [mut screens, mut captures, mut spawns, mut sessions] = [const { Vec::new() }; 4];
    let [mut ours, mut two_commands, mut theirs] = [const { Vec::new() }; 3];
    for round in 0..setup.scaled(ROUNDS, 3) {
        for _ in 0..LINES {
            screens.push(echo::timed(|| finish(pair.ours.command(&["screen", "echo"])).map(drop))?);
        }
        for _ in 0..LINES {
            let command = ["capture-pane", "-p", "-t", "base:echo"];
            captures.push(echo::timed(|| finish(pair.theirs.command(&command)).map(drop))?);
        }
        let names: Vec<String> = (0..LINES).map(|number| format!("s{number}")).collect();
        for name in &names {
            let command = [&["spawn", name, "--"], &IDLER[..]].concat();
            spawns.push(echo::timed(|| finish(pair.ours.command(&command)).map(drop))?);
        }
        names.iter().try_for_each(|name| pair.ours.remove(name))?;
        for name in &names {
            let command = [&["new-session", "-d", "-s", name], &IDLER[..]].concat();
            sessions.push(echo::timed(|| finish(pair.theirs.command(&command)).map(drop))?);
        }
        names.iter().try_for_each(|name| pair.theirs.remove(name))?;
        for line in 0..LINES {
            let text = format!("line {round}-{line}.");
            let command = ["send", "echo", &text, "--enter", "--wait", &text];
            ours.push(echo::timed(|| finish(pair.ours.command(&command)).map(drop))?);
        }
        for line in 0..LINES {
            let text = format!("line {round}:{line}.");
            two_commands.push(echo::timed(|| {
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
    report.times("vtr screen, tmux capture-pane", &screens, &captures, bars.0, bars.1);
    report.times("vtr spawn, tmux new-session -d", &spawns, &sessions, bars.0, bars.1);
    report.times("send and wait for the echo: command lines", &ours, &theirs, bars.0, bars.1);
    report.times("  as two commands", &two_commands, &theirs, Bar::None, Bar::None);
    Ok(())
}

fn finish(mut command: Command) -> Result<String> {
    let output = command.output()?;
    if !output.status.success() {
        bail!("{command:?}: {} {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
