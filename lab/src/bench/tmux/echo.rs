//! Typing a line and waiting for the program's answer, on one connection: `SendText` with a wait, against `send-keys`
//! followed by the notification that the pane has printed it. The same as two calls, `SendText` and `WaitFor`, is shown
//! as well.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use grpc::{
    client::CoordinatorChannel,
    proto::{SendTextRequest, VersionRequest, WaitForRequest, WaitScope, vtr_client::VtrClient},
};

use super::{
    Setup,
    pair::Pair,
    report::{Bar, Report},
};

const ROUNDS: usize = 30;
const LINES: usize = 100;

/// Echoes each line itself; the terminal does not.
pub(super) const ECHO: [&str; 3] = ["/bin/sh", "-c", "stty -echo; echo ready; exec cat"];

pub(super) fn run(setup: &Setup, report: &mut Report) -> Result<()> {
    let mut pair = setup.start()?;
    start(&mut pair)?;
    let [mut ours, mut two_calls, mut theirs, mut empty, mut their_empty] = [const { Vec::new() }; 5];
    let mut vtr = pair.ours.vtr();
    for round in 0..setup.scaled(ROUNDS, 3) {
        for _ in 0..LINES {
            empty.push(timed(|| Ok(pair.ours.wait(vtr.version(VersionRequest {})).map(drop)?))?);
            their_empty.push(timed(|| pair.theirs.control.run("display-message -p x").map(drop))?);
        }
        for line in 0..LINES {
            let text = format!("a {round}-{line}.");
            ours.push(timed(|| pair.ours.wait(send_and_wait(&mut vtr, &text)))?);
        }
        for line in 0..LINES {
            let text = format!("b {round}-{line}.");
            theirs.push(timed(|| {
                pair.theirs.control.run_and_see(&format!("send-keys -t base:echo '{text}' Enter"), text.as_bytes())
            })?);
        }
        for line in 0..LINES {
            let text = format!("c {round}-{line}.");
            two_calls.push(timed(|| pair.ours.wait(send_then_wait(&mut vtr, &text)))?);
        }
    }
    report.times("a call that does nothing", &empty, &their_empty, Bar::None, Bar::None);
    report.times("send and wait for the echo: gRPC, tmux -C", &ours, &theirs, Bar::AtMost(0.3), Bar::AtMost(1.0));
    report.times("  as two calls, one after the other", &two_calls, &theirs, Bar::None, Bar::None);
    Ok(())
}

/// A session `echo` on both sides that is ready for input.
pub(super) fn start(pair: &mut Pair) -> Result<()> {
    pair.ours.spawn("echo", &ECHO)?;
    pair.ours.see("echo", "ready")?;
    pair.theirs.spawn_watched("echo", &ECHO)?;
    pair.theirs.see("base:echo", "ready")
}

pub(super) fn timed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

fn send(text: &str) -> SendTextRequest {
    SendTextRequest { name: "echo".into(), text: text.into(), submit: true, ..Default::default() }
}

/// Searched on the screen, where it is found even if it came before the wait.
fn wait(text: &str) -> WaitForRequest {
    let pattern = text.replace('.', "\\.");
    WaitForRequest { name: "echo".into(), pattern, scope: WaitScope::Grid.into(), ..Default::default() }
}

async fn send_then_wait(vtr: &mut VtrClient<CoordinatorChannel>, text: &str) -> Result<()> {
    vtr.send_text(send(text)).await?;
    found(vtr.wait_for(wait(text)).await?.into_inner().matched)
}

async fn send_and_wait(vtr: &mut VtrClient<CoordinatorChannel>, text: &str) -> Result<()> {
    let request = SendTextRequest { wait_pattern: text.replace('.', "\\."), ..send(text) };
    found(vtr.send_text(request).await?.into_inner().wait.is_some_and(|wait| wait.matched))
}

fn found(matched: bool) -> Result<()> {
    if !matched {
        bail!("no echo came");
    }
    Ok(())
}
