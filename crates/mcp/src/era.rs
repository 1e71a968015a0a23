//! The revisions of MCP, and how to tell which one a request uses.
//!
//! Up to 2025-11-25 a connection starts with `initialize`. From 2026-07-28 each request names its revision in `_meta`,
//! and no state is kept between requests. One connection may use both: some clients probe with `server/discover` and
//! then send `initialize` anyway.

use serde_json::{Map, Value, json};

use crate::message::{MessageRefusal, RpcRequest, UNSUPPORTED_PROTOCOL_VERSION};

pub(crate) const STATELESS: &str = "2026-07-28";
/// Revisions that start with `initialize`, newest first.
pub(crate) const HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProtocolEra {
    Handshake,
    Stateless,
}

pub(crate) fn supported_versions() -> Vec<&'static str> {
    std::iter::once(STATELESS).chain(HANDSHAKE).collect()
}

/// The revision to answer `initialize` with: the requested one, or our newest.
pub(crate) fn negotiate(asked: &str) -> &'static str {
    HANDSHAKE.into_iter().find(|version| *version == asked).unwrap_or(HANDSHAKE[0])
}

pub(crate) fn meta(params: &Map<String, Value>) -> Result<Option<&Map<String, Value>>, MessageRefusal> {
    match params.get("_meta") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(meta)) => Ok(Some(meta)),
        Some(_) => Err(MessageRefusal::invalid_params("`_meta` must be an object")),
    }
}

/// The revision that a request names.
pub(crate) fn revision(params: &Map<String, Value>) -> Option<&str> {
    params.get("_meta")?.get(PROTOCOL_VERSION)?.as_str()
}

impl ProtocolEra {
    pub(crate) fn of(request: &RpcRequest, initialized: bool) -> Result<ProtocolEra, MessageRefusal> {
        let meta = meta(&request.params)?;
        let version = match meta.and_then(|meta| meta.get(PROTOCOL_VERSION)) {
            // `initialize` belongs to the older era, and a ping may precede it.
            _ if request.method == "initialize" => return Ok(ProtocolEra::Handshake),
            None if initialized || request.method == "ping" => return Ok(ProtocolEra::Handshake),
            None => {
                return Err(MessageRefusal::invalid_params(format!(
                    "{} came before `initialize` and without `_meta`: send `initialize` first, or `{PROTOCOL_VERSION}` \
                     and `{CLIENT_CAPABILITIES}` with every request",
                    request.method
                )));
            }
            Some(Value::String(version)) => version.as_str(),
            Some(_) => return Err(MessageRefusal::invalid_params(format!("`{PROTOCOL_VERSION}` must be a string"))),
        };
        if HANDSHAKE.contains(&version) {
            return Ok(ProtocolEra::Handshake);
        }
        if version != STATELESS {
            return Err(MessageRefusal::new(UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version")
                .with_data(json!({ "supported": supported_versions(), "requested": version })));
        }
        match meta.and_then(|meta| meta.get(CLIENT_CAPABILITIES)) {
            Some(Value::Object(_)) => Ok(ProtocolEra::Stateless),
            _ => Err(MessageRefusal::invalid_params(format!("`_meta` must hold `{CLIENT_CAPABILITIES}`, an object"))),
        }
    }

    /// Adds the fields that every result of the era has.
    pub(crate) fn complete(self, mut result: Value, server: &Value) -> Value {
        if self == ProtocolEra::Stateless {
            result["resultType"] = "complete".into();
            result["_meta"][SERVER_INFO] = server.clone();
        }
        result
    }

    /// [`Self::complete`] for results that clients may cache. Ours depend on the caller's role, so the cache is
    /// private; and they expire at once, because a program recognises a started agent by its listing of the tools.
    pub(crate) fn complete_unkept(self, mut result: Value, server: &Value) -> Value {
        if self == ProtocolEra::Stateless {
            result["ttlMs"] = 0.into();
            result["cacheScope"] = "private".into();
        }
        self.complete(result, server)
    }
}
