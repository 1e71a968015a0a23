//! Fake agents: programs that look and behave in a terminal like claude, codex or opencode, and follow a script instead
//! of a model. They allow testing orchestration, and trying out patterm, without spending a token.
//!
//! [`run()`] is the whole program: it takes the vendor's own command line, starts the MCP servers it was configured
//! with, draws on standard output and reads keys from standard input. Called by `main.rs` alone, which
//! patterm's package builds as `patterm-fake-agent`. It knows nothing of sessions, presets or patterm's tools, and reads no
//! environment: everything comes in through [`FakeOptions`].
//!
//! One thread owns all state (`actor.rs`); helper threads of two kinds only pass on what they read: keys, and lines
//! from MCP servers. The screens of a vendor are in `costume/`, and nowhere else.

mod actor;
mod command_line;
mod costume;
mod draft;
mod hooks;
mod keys;
mod line;
mod make;
mod mcp_client;
mod options;
mod painter;
mod run;
mod scene;
mod script;
mod server_config;
mod stage;
mod stories;
mod terminal;
mod turn;
mod values;
mod wrap;

pub use make::{AgentMake, UnknownMake};
pub use options::FakeOptions;
pub use run::run;
pub use script::{FakeScript, ScriptError};
pub use stories::STORIES;
