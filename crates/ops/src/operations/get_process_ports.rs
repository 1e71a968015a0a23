//! Ports a session has mentioned or listens on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Call, Context, Effects, Faces, OpError, Operation, Roles, Traits};

/// Network ports of a session: those its output has mentioned (URLs and host:port), and those its
/// processes really listen on, marked `listening`. Nothing is probed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub ports: Vec<Port>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Port {
    pub port: u16,
    pub listening: bool,
}

#[derive(Debug)]
pub struct GetProcessPorts;

impl<C: Context> Operation<C> for GetProcessPorts {
    const TRAITS: Traits =
        Traits { name: "get_process_ports", roles: Roles::ANYONE, faces: Faces::MCP, effects: Effects::ReadOnly };
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, args: Args) -> Result<Reply, OpError> {
        let session = call.session(&args.process_id)?;
        let ports = session.ports().await;
        Ok(Reply { ports: ports.iter().map(|port| Port { port: port.port, listening: port.listening }).collect() })
    }
}
