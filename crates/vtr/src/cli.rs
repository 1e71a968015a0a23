//! The command line's grammar, assembled from the commands.

use std::{ffi::OsStr, path::PathBuf};

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::engine::ArgValueCompleter;

use crate::{commands, completion, surroundings::Surroundings};

/// Terminal sessions without a terminal: start programs, read their screens, type, and wait
///
/// A coordinator (`vtr serve`) owns the sessions; every other command talks to one or more coordinators. SESSION is a
/// session's name or id, or coordinator:session if several coordinators are configured.
#[derive(Debug, Parser)]
#[command(name = "vtr", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct VtrCli {
    #[command(flatten)]
    pub(crate) everywhere: GlobalFlags,
    #[command(subcommand)]
    pub(crate) command: VtrCommand,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done, found
  1  no such session, nothing matched, or a check found a fault
  2  wrong usage, an ambiguous name, or a bad config file
  3  the time was up, or the session ended, before what was waited for came
  4  no coordinator answered
  5  the coordinator or the system refused";

const EVERYWHERE: &str = "Options of every command";

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct GlobalFlags {
    /// The coordinator's socket; overrides VTR_SOCKET and the config file
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "PATH", value_hint = clap::ValueHint::FilePath)]
    pub(crate) socket: Option<PathBuf>,
    /// Print JSON, errors included
    #[arg(long, global = true, help_heading = EVERYWHERE, overrides_with = "human")]
    pub(crate) json: bool,
    /// Print text for people, even if the config file says JSON
    #[arg(long, global = true, help_heading = EVERYWHERE, overrides_with = "json")]
    pub(crate) human: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum VtrCommand {
    Serve(commands::serve::ServeArgs),
    #[command(alias = "list")]
    Ls(commands::ls::LsArgs),
    Spawn(commands::spawn::SpawnArgs),
    Attach(commands::attach::AttachArgs),
    Info(commands::info::InfoArgs),
    Screen(commands::screen::ScreenArgs),
    Grep(commands::grep::GrepArgs),
    Send(commands::send::SendArgs),
    Key(commands::key::KeyArgs),
    Raw(commands::raw::RawArgs),
    Resize(commands::resize::ResizeArgs),
    Wait(commands::wait::WaitArgs),
    Idle(commands::idle::IdleArgs),
    Kill(commands::kill::KillArgs),
    Rm(commands::rm::RmArgs),
    Rename(commands::rename::RenameArgs),
    Record(commands::record::RecordArgs),
    Play(commands::play::PlayArgs),
    Export(commands::export::ExportArgs),
    Status(program::StatusCommand),
    Web(commands::web::WebArgs),
    Config(commands::config::ConfigArgs),
    Doctor(commands::doctor::VtrDoctor),
    DialStdio(commands::dial_stdio::DialStdio),
    Mcp(commands::mcp::McpArgs),
    Completions(commands::completions::CompletionsArgs),
    Man(commands::man::ManArgs),
    Version(commands::version::VersionArgs),
}

/// The whole grammar: with completion of session names, and with the help texts about sessions.
pub(crate) fn grammar(surroundings: &Surroundings) -> clap::Command {
    let (asked, configured) = (surroundings.clone(), surroundings.clone());
    let sessions = ArgValueCompleter::new(move |typed: &OsStr| completion::sessions(&asked, typed));
    let coordinators = ArgValueCompleter::new(move |typed: &OsStr| completion::coordinators(&configured, typed));
    let keys = ArgValueCompleter::new(completion::keys);
    let signals = ArgValueCompleter::new(completion::signals);
    // In place: clap's own ways to change one argument or command move it to the end.
    VtrCli::command().mut_subcommands(|command| {
        command.mut_args(|argument| match argument.get_id().as_str() {
            "session" => {
                argument.help("Its name or id, or coordinator:session if there are several").add(sessions.clone())
            }
            "coordinator" => argument.add(coordinators.clone()),
            "keys" => argument.add(keys.clone()),
            "signal" => argument.add(signals.clone()),
            _ => argument,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ops::{Faces, SessionContext, Table};

    use super::*;

    #[test]
    fn the_grammar_is_sound() {
        let root = Path::new("/nowhere");
        grammar(&Surroundings::nowhere(root)).debug_assert();
    }

    /// The operation behind each command that has one.
    const OPERATIONS: [(&str, &str); 15] = [
        ("ls", "list_processes"),
        ("spawn", "spawn_process"),
        ("info", "get_process_status"),
        ("screen", "get_screen"),
        ("grep", "search_output"),
        ("send", "send_input"),
        ("key", "send_input"),
        ("raw", "send_input"),
        ("resize", "resize_process"),
        ("wait", "wait_for_pattern"),
        ("idle", "wait_for_idle"),
        ("kill", "kill_process"),
        ("rm", "close_process"),
        ("rename", "rename_process"),
        ("record", "record_process"),
    ];

    #[test]
    fn every_operation_for_the_command_line_has_a_command() {
        let table: Table<SessionContext> = Table::new(ops::operations::entries());
        let grammar = VtrCli::command();
        let known = OPERATIONS.map(|(_, operation)| operation);
        for entry in table.entries() {
            let expected = entry.traits.faces.contains(Faces::CLI);
            assert_eq!(known.contains(&entry.name()), expected, "{}", entry.name());
        }
        for (command, operation) in OPERATIONS {
            assert!(grammar.find_subcommand(command).is_some(), "{command}");
            assert!(table.get(operation).is_some(), "{operation}");
        }
    }
}
