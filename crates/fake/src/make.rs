//! Which agent CLI is faked, and what it calls itself.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Make {
    Claude,
    Codex,
    Opencode,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fake of {0:?}: name one of claude, codex, opencode")]
pub struct UnknownMake(pub String);

impl Make {
    pub const ALL: [Make; 3] = [Make::Claude, Make::Codex, Make::Opencode];

    pub fn name(self) -> &'static str {
        match self {
            Make::Claude => "claude",
            Make::Codex => "codex",
            Make::Opencode => "opencode",
        }
    }

    /// Of the CLI whose screens were recorded.
    pub(crate) fn version(self) -> &'static str {
        match self {
            Make::Claude => "2.1.197",
            Make::Codex => "0.166.0",
            Make::Opencode => "1.18.33",
        }
    }

    /// As it introduces itself to MCP servers.
    pub(crate) fn client_name(self) -> &'static str {
        match self {
            Make::Claude => "claude-code",
            Make::Codex => "codex-mcp-client",
            Make::Opencode => "opencode",
        }
    }

    /// The revision of MCP it asks for.
    pub(crate) fn protocol_version(self) -> &'static str {
        match self {
            Make::Claude | Make::Opencode => "2025-11-25",
            Make::Codex => "2025-06-18",
        }
    }
}

impl fmt::Display for Make {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Make {
    type Err = UnknownMake;

    fn from_str(name: &str) -> Result<Self, UnknownMake> {
        Make::ALL.into_iter().find(|make| make.name() == name).ok_or_else(|| UnknownMake(name.into()))
    }
}
