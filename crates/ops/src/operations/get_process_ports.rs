//! Ports a session has mentioned or listens on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles, rfc3339};

/// Network ports of a session: those its output has mentioned (URLs and host:port), and those its
/// processes really listen on, marked `listening`. Nothing is probed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub ports: Vec<PortEntry>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PortEntry {
    pub port: u16,
    /// The URL as printed by the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub first_seen_at: String,
    /// A process of the session listens on it now.
    pub listening: bool,
}

#[derive(Debug)]
pub struct GetProcessPorts;

impl<C: Context> Operation<C> for GetProcessPorts {
    const TRAITS: OperationTraits = OperationTraits {
        name: "get_process_ports",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::PALETTE),
        effects: CallEffects::ReadOnly,
    };
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, args: Args) -> Result<Reply, OpError> {
        let session = call.session(&args.process_id)?;
        let ports = session.ports().await.into_iter().map(|port| PortEntry {
            port: port.port,
            url: port.url,
            first_seen_at: rfc3339(port.first_seen_at),
            listening: port.listening,
        });
        Ok(Reply { ports: ports.collect() })
    }
}
