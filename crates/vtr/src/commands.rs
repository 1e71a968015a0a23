//! The commands, one file each: the arguments (their doc comments are the help text) and `run`.

pub(crate) mod attach;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod dial_stdio;
pub(crate) mod doctor;
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
    cli::VtrCommand,
    invocation::{Invocation, SessionTarget},
};

/// Runs a command that talks to coordinators, or needs none.
pub(crate) async fn run(command: VtrCommand, invocation: &mut Invocation) -> Outcome {
    match command {
        VtrCommand::Serve(_) => unreachable!("it has a runtime of its own"),
        VtrCommand::Doctor(_) => unreachable!("it reads the config itself"),
        VtrCommand::Ls(command) => command.run(invocation).await,
        VtrCommand::Spawn(command) => command.run(invocation).await,
        VtrCommand::Attach(command) => command.run(invocation).await,
        VtrCommand::Info(command) => command.run(invocation).await,
        VtrCommand::Screen(command) => command.run(invocation).await,
        VtrCommand::Grep(command) => command.run(invocation).await,
        VtrCommand::Send(command) => command.run(invocation).await,
        VtrCommand::Key(command) => command.run(invocation).await,
        VtrCommand::Raw(command) => command.run(invocation).await,
        VtrCommand::Resize(command) => command.run(invocation).await,
        VtrCommand::Wait(command) => command.run(invocation).await,
        VtrCommand::Idle(command) => command.run(invocation).await,
        VtrCommand::Kill(command) => command.run(invocation).await,
        VtrCommand::Rm(command) => command.run(invocation).await,
        VtrCommand::Rename(command) => command.run(invocation).await,
        VtrCommand::Record(command) => command.run(invocation).await,
        VtrCommand::Play(command) => command.run(invocation).await,
        VtrCommand::Export(command) => command.run(invocation),
        VtrCommand::Status(command) => command.run(),
        VtrCommand::Web(command) => command.run(invocation).await,
        VtrCommand::Config(command) => command.run(invocation),
        VtrCommand::DialStdio(command) => command.run(invocation).await,
        VtrCommand::Mcp(command) => command.run(invocation).await,
        VtrCommand::Completions(command) => command.run(invocation),
        VtrCommand::Man(command) => command.run(invocation),
        VtrCommand::Version(command) => command.run(invocation).await,
    }
}

/// Parses a width.
pub(crate) fn cols(text: &str) -> Result<u16, String> {
    length(text, "columns", vt::Size::MIN.cols, vt::Size::MAX.cols)
}

/// Parses a height.
pub(crate) fn rows(text: &str) -> Result<u16, String> {
    length(text, "rows", vt::Size::MIN.rows, vt::Size::MAX.rows)
}

fn length(text: &str, what: &str, least: u16, most: u16) -> Result<u16, String> {
    let length = text.parse().ok().filter(|length| (least..=most).contains(length));
    length.ok_or_else(|| match text.split_once(['x', 'X']) {
        Some((cols, rows)) => format!("write columns and rows as two numbers, for example {cols} {rows}"),
        None => format!("use {least} to {most} {what}"),
    })
}

/// Parses a duration.
pub(crate) fn time_span(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|_| "write a number and a unit, for example 500ms, 30s or 5m".to_owned())
}

/// The `--json` answer of commands that return nothing.
fn done(target: &SessionTarget) -> Value {
    json!({ "coordinator": target.coordinator.name, "session": target.session, "ok": true })
}
