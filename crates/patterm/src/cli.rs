//! The command line's grammar.

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand, ValueHint};

use crate::{commands, run::SharePlace};

/// Tabs of agents, shells and commands that can drive each other
///
/// Run it in a project's folder. The agents it starts get tools to start, drive, read and time other sessions; you see
/// everything and can take over at any time. When it ends, everything it started ends too; only files remain.
#[derive(Debug, Parser)]
#[command(name = "patterm", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct PattermCli {
    #[command(flatten)]
    pub(crate) run: RunFlags,
    /// Print JSON, errors included
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<PattermCommand>,
}

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  no such thing, or a check found a fault
  2  wrong usage, or a bad config file
  3  not on a terminal: use --headless
  4  no running patterm answered
  5  the system refused";

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RunFlags {
    /// Serve without a terminal interface, for scripts and tests
    ///
    /// First prints one line of JSON: `socket` is the MCP server's socket, `connect` a file for `patterm mcp-stdio
    /// --connect FILE` that identifies the client as you, `share` the socket of --share. Ends on SIGTERM, SIGINT or
    /// SIGHUP, together with everything it started.
    #[arg(long)]
    pub(crate) headless: bool,
    /// The project's folder, instead of the current folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, global = true)]
    pub(crate) project: Option<PathBuf>,
    /// Serve MCP over HTTP too, on 127.0.0.1:PORT/mcp (0: any port); the token is in the connect file
    #[arg(long, value_name = "PORT")]
    pub(crate) mcp_http: Option<u16>,
    /// Write a connect file that identifies a client as you, as --headless and --mcp-http do
    ///
    /// The file is `operator-1.json` (0600) in the folder of this run, for `patterm mcp-stdio --connect FILE` and
    /// `patterm explain`. Every program that runs as your user can read it, including agents and what they start, and
    /// may then do whatever you may.
    #[arg(long)]
    pub(crate) operator_file: bool,
    /// Let `vtr` reach these sessions as you: `vtr ls --socket SOCKET`, and every other command of it
    ///
    /// Without a path, the socket is in patterm's runtime folder and named after the process id. Only your own user can
    /// open it, but whoever opens it may do everything you may, and agents run as your user too.
    #[arg(long, value_name = "SOCKET", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub(crate) share: Option<Option<PathBuf>>,
    /// Write a log, events, session output and agents' messages into DIR, readable only by you
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, value_hint = ValueHint::DirPath)]
    pub(crate) debug: Option<Option<PathBuf>>,
    /// Write a profile of this run into DIR when it ends: CPU (for pprof), memory, threads
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, value_hint = ValueHint::DirPath)]
    pub(crate) profile: Option<Option<PathBuf>>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PattermCommand {
    McpStdio(McpStdio),
    Presets(commands::presets::PresetsArgs),
    Trust(commands::trust::TrustArgs),
    Config(commands::config::PattermConfig),
    Doctor(commands::doctor::PattermDoctor),
    Keys(commands::keys::KeysArgs),
    Explain(commands::explain::ExplainArgs),
    Report(commands::report::Report),
    Rules(commands::rules::Rules),
    ReplayState(commands::replay_state::ReplayState),
    Status(program::StatusCommand),
    Hook(HookCommand),
    FakeAgent(FakeAgent),
    Completions(commands::completions::PattermCompletions),
    Man(commands::man::PattermMan),
}

/// Connect standard input and output to a running patterm's MCP server
///
/// Agent CLIs start it themselves. It ends when its standard input closes, or when patterm ends.
#[derive(Debug, clap::Args)]
pub(crate) struct McpStdio {
    /// A file with the socket's path and a token
    #[arg(long, value_name = "FILE", conflicts_with_all = ["socket", "identity"])]
    connect: Option<PathBuf>,
    /// The socket
    #[arg(long, value_name = "PATH", requires = "identity")]
    socket: Option<PathBuf>,
    /// The token. Other users can see it in the process list: prefer --connect
    #[arg(long, value_name = "TOKEN", requires = "socket")]
    identity: Option<String>,
}

/// Report an event from an agent's own hook or plugin to a running patterm
///
/// Agent CLIs run it as their presets say. It prints nothing that a CLI could take for part of a prompt.
#[derive(Debug, clap::Args)]
pub(crate) struct HookCommand {
    /// The agent's connect file
    #[arg(long, value_name = "FILE")]
    connect: PathBuf,
    /// The event, by the CLI's name for it
    event: String,
    /// Details from the CLI
    detail: Option<String>,
}

impl RunFlags {
    /// Where to share, if requested. A relative path is resolved against `working_dir`.
    pub(crate) fn share_place(&self, working_dir: &Path) -> Option<SharePlace> {
        let share = self.share.as_ref()?;
        Some(share.as_ref().map_or(SharePlace::InRun, |path| SharePlace::At(working_dir.join(path))))
    }
}

/// Run a fake agent: no model behind it, for trying things out
///
/// Looks and behaves like the CLI it imitates, accepts its flags, and follows a script: --script FILE or --story NAME,
/// with --fast for short delays. See docs/guide/fake-agents.md.
#[derive(Debug, clap::Args)]
pub(crate) struct FakeAgent {
    /// claude, codex or opencode
    #[arg(value_name = "MAKE")]
    make: String,
    /// That CLI's own arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_grammar_is_sound() {
        PattermCli::command().debug_assert();
    }

    #[test]
    fn a_folder_for_debugging_may_be_left_out() {
        let parse = |words: &[&str]| PattermCli::try_parse_from(words).unwrap().run;
        assert_eq!(parse(&["patterm", "--headless"]).debug, None);
        assert_eq!(parse(&["patterm", "--debug", "--headless"]).debug, Some(None));
        assert_eq!(parse(&["patterm", "--profile=x"]).profile, Some(Some("x".into())));
    }
}
