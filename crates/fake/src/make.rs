//! The agent CLIs that can be faked, and their names.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AgentMake {
    Claude,
    Codex,
    Opencode,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fake of {0:?}: use claude, codex or opencode")]
pub struct UnknownMake(pub String);

impl AgentMake {
    pub const ALL: [AgentMake; 3] = [AgentMake::Claude, AgentMake::Codex, AgentMake::Opencode];

    pub fn name(self) -> &'static str {
        match self {
            AgentMake::Claude => "claude",
            AgentMake::Codex => "codex",
            AgentMake::Opencode => "opencode",
        }
    }

    /// The version whose screens were recorded.
    pub(crate) fn version(self) -> &'static str {
        match self {
            AgentMake::Claude => "2.1.197",
            AgentMake::Codex => "0.166.0",
            AgentMake::Opencode => "1.18.33",
        }
    }

    /// The name it gives to MCP servers.
    pub(crate) fn client_name(self) -> &'static str {
        match self {
            AgentMake::Claude => "claude-code",
            AgentMake::Codex => "codex-mcp-client",
            AgentMake::Opencode => "opencode",
        }
    }

    /// The MCP revision it requests.
    pub(crate) fn protocol_version(self) -> &'static str {
        match self {
            AgentMake::Claude | AgentMake::Opencode => "2025-11-25",
            AgentMake::Codex => "2025-06-18",
        }
    }
}

impl fmt::Display for AgentMake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for AgentMake {
    type Err = UnknownMake;

    fn from_str(name: &str) -> Result<Self, UnknownMake> {
        AgentMake::ALL.into_iter().find(|make| make.name() == name).ok_or_else(|| UnknownMake(name.into()))
    }
}
