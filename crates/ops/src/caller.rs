//! Callers and their roles.

use bitflags::bitflags;
use engine::SessionId;
use serde::Serialize;

/// The caller's role, which decides what it may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Acts for the human: the palette, a script with the operator's file, a client of vtr.
    Operator,
    /// The agent at the root of a tab.
    Orchestrator,
    /// An agent that another agent started.
    #[serde(rename = "sub-agent")]
    SubAgent,
}

bitflags! {
    /// The roles that may call an operation.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Roles: u8 {
        const OPERATOR = 1;
        const ORCHESTRATOR = 2;
        const SUB_AGENT = 4;
    }
}

impl Roles {
    pub const ANYONE: Roles = Roles::all();

    pub fn allow(self, role: Role) -> bool {
        self.contains(match role {
            Role::Operator => Roles::OPERATOR,
            Role::Orchestrator => Roles::ORCHESTRATOR,
            Role::SubAgent => Roles::SUB_AGENT,
        })
    }
}

/// A caller of operations, identified before its first call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub role: Role,
    /// The session that the caller runs in; `None` for an operator.
    pub session: Option<SessionId>,
}

impl Caller {
    pub fn operator() -> Self {
        Caller { role: Role::Operator, session: None }
    }
}
