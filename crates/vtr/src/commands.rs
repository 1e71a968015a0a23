//! The commands, one file each: its arguments, whose doc comments are its help, and its run.

pub(crate) mod attach;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod dial_stdio;
pub(crate) mod export;
pub(crate) mod grep;
pub(crate) mod idle;
pub(crate) mod info;
pub(crate) mod key;
pub(crate) mod kill;
pub(crate) mod ls;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod play;
pub(crate) mod raw;
pub(crate) mod record;
pub(crate) mod record_grep;
pub(crate) mod rename;
pub(crate) mod resize;
pub(crate) mod rm;
pub(crate) mod screen;
pub(crate) mod send;
pub(crate) mod serve;
pub(crate) mod spawn;
pub(crate) mod version;
pub(crate) mod wait;
pub(crate) mod web;

use std::time::Duration;

use program::Outcome;
use serde_json::{Value, json};

use crate::{
    cli::Command,
    invocation::{Invocation, Target},
};

/// Runs a command that speaks to coordinators, or needs none.
pub(crate) async fn run(command: Command, invocation: &mut Invocation) -> Outcome {
    match command {
        Command::Serve(_) => unreachable!("it has a runtime of its own"),
        Command::Ls(command) => command.run(invocation).await,
        Command::Spawn(command) => command.run(invocation).await,
        Command::Attach(command) => command.run(invocation).await,
        Command::Info(command) => command.run(invocation).await,
        Command::Screen(command) => command.run(invocation).await,
        Command::Grep(command) => command.run(invocation).await,
        Command::Send(command) => command.run(invocation).await,
        Command::Key(command) => command.run(invocation).await,
        Command::Raw(command) => command.run(invocation).await,
        Command::Resize(command) => command.run(invocation).await,
        Command::Wait(command) => command.run(invocation).await,
        Command::Idle(command) => command.run(invocation).await,
        Command::Kill(command) => command.run(invocation).await,
        Command::Rm(command) => command.run(invocation).await,
        Command::Rename(command) => command.run(invocation).await,
        Command::Record(command) => command.run(invocation).await,
        Command::Play(command) => command.run(invocation).await,
        Command::Export(command) => command.run(invocation),
        Command::Status(command) => command.run(),
        Command::Web(command) => command.run(invocation).await,
        Command::Config(command) => command.run(invocation),
        Command::DialStdio(command) => command.run(invocation).await,
        Command::Mcp(command) => command.run(invocation).await,
        Command::Completions(command) => command.run(invocation),
        Command::Man(command) => command.run(invocation),
        Command::Version(command) => command.run(invocation).await,
    }
}

/// A width, as people type it.
pub(crate) fn cols(text: &str) -> Result<u16, String> {
    length(text, "columns", vt::Size::MIN.cols, vt::Size::MAX.cols)
}

/// A height.
pub(crate) fn rows(text: &str) -> Result<u16, String> {
    length(text, "rows", vt::Size::MIN.rows, vt::Size::MAX.rows)
}

fn length(text: &str, what: &str, least: u16, most: u16) -> Result<u16, String> {
    let length = text.parse().ok().filter(|length| (least..=most).contains(length));
    length.ok_or_else(|| match text.split_once(['x', 'X']) {
        Some((cols, rows)) => format!("write columns and rows as two numbers, as in {cols} {rows}"),
        None => format!("use {least} to {most} {what}"),
    })
}

/// A stretch of time, as people type it.
pub(crate) fn time_span(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|_| "write a number and its unit, as in 500ms, 30s or 5m".to_owned())
}

/// What commands that only do something answer with `--json`.
fn done(target: &Target) -> Value {
    json!({ "coordinator": target.coordinator.name, "session": target.session, "ok": true })
}
