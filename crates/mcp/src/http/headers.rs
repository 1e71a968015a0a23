//! Checks that a request's headers agree with its body, so that intermediaries can rely on the headers.

use hyper::{
    HeaderMap,
    header::{ACCEPT, CONTENT_TYPE},
};
use serde_json::{Value, json};

use crate::{
    era::{self, ProtocolEra},
    message::{HEADER_MISMATCH, METHOD_NOT_FOUND, MessageRefusal, RpcRequest, UNSUPPORTED_PROTOCOL_VERSION},
};

const REVISION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";
/// Methods removed in the stateless era. Over stdio they are still answered for old clients; over HTTP, where we have
/// no old clients, the specification is followed strictly.
const REMOVED: [&str; 5] = ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let kind = text(headers, CONTENT_TYPE.as_str()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

pub(super) fn takes_events(headers: &HeaderMap) -> bool {
    let accepted = text(headers, ACCEPT.as_str()).unwrap_or("*/*");
    accepted.contains("text/event-stream") || accepted.contains("*/*")
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

/// An unknown revision is refused whatever the body says.
pub(super) fn check_revision(headers: &HeaderMap) -> Result<(), MessageRefusal> {
    match text(headers, REVISION) {
        Some(revision) if !era::supported_versions().contains(&revision) => {
            Err(MessageRefusal::new(UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version")
                .with_data(json!({ "supported": era::supported_versions(), "requested": revision })))
        }
        _ => Ok(()),
    }
}

pub(super) fn checked_era(
    headers: &HeaderMap,
    request: &RpcRequest,
    initialized: bool,
) -> Result<ProtocolEra, MessageRefusal> {
    let revision = era::revision(&request.params);
    if revision == Some(era::STATELESS) && REMOVED.contains(&request.method.as_str()) {
        return Err(MessageRefusal::new(METHOD_NOT_FOUND, format!("unknown method: {}", request.method)));
    }
    // Checked before the revision itself: with two values it is unclear which one is meant.
    if revision.is_some() {
        agrees(headers, REVISION, revision)?;
    }
    let era = ProtocolEra::of(request, initialized)?;
    if era == ProtocolEra::Stateless {
        let name = request.params.get("name").and_then(Value::as_str).filter(|_| request.method == "tools/call");
        agrees(headers, METHOD, Some(&request.method))?;
        agrees(headers, NAME, name)?;
    }
    Ok(era)
}

fn agrees(headers: &HeaderMap, name: &str, expected: Option<&str>) -> Result<(), MessageRefusal> {
    let Some(expected) = expected else { return Ok(()) };
    let fault = match text(headers, name) {
        Some(said) if said == expected => return Ok(()),
        Some(_) => "does not agree with the body",
        None => "is missing",
    };
    Err(MessageRefusal::new(HEADER_MISMATCH, format!("the header {name} {fault}")))
}
