//! Identifies a client: a line with a token comes before the first message, and the program knows whose token it is.
//!
//! The line is our own, not part of MCP: `{"patterm_identity":"TOKEN"}`. It may contain one call, in which case no MCP
//! follows: an agent's hook makes a single call and is not counted as a client. Clients behind
//! [`relay`](crate::relay()) never see the line. A refused client gets the reason as the answer to its first request,
//! because clients show those.

use std::{io, time::Duration};

use ops::{Caller, Context, ErrorKind};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    time::timeout,
};

use crate::{
    lines::{InputLine, InputLines},
    message::{IncomingMessage, MessageRefusal, REFUSED_CALLER, RequestId},
    sniff::ReplayedStream,
};

/// Maximum bytes of the line: a token has sixty-four, and a hook's payload is short.
const GREETING_LIMIT: usize = 8 * 1024;
/// Time limit for the line. A proxy sends it at once; the limit leaves time for someone who types it.
const GREETING_TIME: Duration = Duration::from_secs(10);
/// Time limit for a refused client's first request, and for the client to read the refusal.
const REFUSAL_TIME: Duration = Duration::from_secs(2);

const KEY: &str = "patterm_identity";
const CALL: &str = "call";

/// A client whose token was accepted.
#[derive(Debug)]
pub struct AdmittedClient<S> {
    pub caller: Caller,
    /// The single call that this connection is for; `None` means that MCP follows.
    pub call: Option<OneCall>,
    /// The stream, as if nothing had been read from it.
    pub stream: ReplayedStream<S>,
}

/// An operation called without MCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneCall {
    pub operation: String,
    pub arguments: Value,
}

/// Why a client was not admitted.
#[derive(Debug, thiserror::Error)]
pub enum AdmissionError {
    #[error("the client left before it said who it is")]
    Closed,
    #[error("the client did not say who it is within {0:?}")]
    Silent(Duration),
    #[error("the first line does not say who the client is")]
    NoGreeting,
    #[error("the identity is not known")]
    UnknownIdentity,
    #[error("reading who the client is: {0}")]
    Read(#[from] io::Error),
}

impl AdmissionError {
    fn refusal(&self) -> MessageRefusal {
        let (message, hint) = match self {
            AdmissionError::UnknownIdentity => (
                "this identity is not known here: its session has ended, or it belongs to another run of the program",
                "agents get their own connection when patterm starts them; for a script, use the connect file of this run",
            ),
            _ => (
                "this socket wants to know first who connects",
                "don't speak to the socket yourself: run `patterm mcp-stdio --connect FILE`, or use the MCP server that \
                 your session was given",
            ),
        };
        MessageRefusal::new(REFUSED_CALLER, message)
            .with_data(json!({ "kind": ErrorKind::RoleForbidden.as_str(), "hint": hint }))
    }
}

/// The line that identifies a client, with its newline.
pub fn greeting(token: &str) -> String {
    format!("{}\n", json!({ KEY: token }))
}

/// The line of a client that makes a single call. The answer is one line: the reply, or `{"error": …}`.
pub fn greeting_with_call(token: &str, call: &OneCall) -> String {
    let call = json!({ "name": call.operation, "arguments": call.arguments });
    format!("{}\n", json!({ KEY: token, CALL: call }))
}

/// Reads the client's line and asks the host for its caller. When this returns an error, the client has been told.
pub async fn admit<S, C>(mut stream: S, context: &C) -> Result<AdmittedClient<S>, AdmissionError>
where
    S: AsyncRead + AsyncWrite + Unpin,
    C: Context,
{
    let mut first = Vec::new();
    let known = match timeout(GREETING_TIME, first_line(&mut stream, &mut first)).await {
        Ok(read) => read,
        Err(_) => Err(AdmissionError::Silent(GREETING_TIME)),
    };
    let known = match known {
        Ok(newline) => match read_greeting(&first[..newline]) {
            Some((token, call)) => {
                resolve(context, token).await.map(|caller| (caller, call, first.split_off(newline + 1)))
            }
            None => Err(AdmissionError::NoGreeting),
        },
        Err(error) => Err(error),
    };
    match known {
        Ok((caller, call, rest)) => Ok(AdmittedClient { caller, call, stream: ReplayedStream::new(rest, stream) }),
        Err(error @ (AdmissionError::Closed | AdmissionError::Read(_))) => Err(error),
        Err(error) => {
            // A line that is not a greeting may be a request, and is answered as one.
            let unread = match error {
                AdmissionError::UnknownIdentity => {
                    first.iter().position(|byte| *byte == b'\n').map(|at| first.split_off(at + 1)).unwrap_or_default()
                }
                _ => first,
            };
            // If the client does not read the refusal in time, it is dropped.
            let _ = timeout(REFUSAL_TIME, refuse(ReplayedStream::new(unread, stream), &error)).await;
            Err(error)
        }
    }
}

async fn resolve<C: Context>(context: &C, token: String) -> Result<Caller, AdmissionError> {
    resolved(context, token).await.ok_or(AdmissionError::UnknownIdentity)
}

/// Runs on a blocking thread, since a host may wait briefly for a caller that is being created.
pub(crate) async fn resolved<C: Context>(context: &C, token: String) -> Option<Caller> {
    let context = context.clone();
    tokio::task::spawn_blocking(move || context.host().resolve(&token)).await.ok().flatten()
}

/// The position of the newline.
async fn first_line(stream: &mut (impl AsyncRead + Unpin), first: &mut Vec<u8>) -> Result<usize, AdmissionError> {
    loop {
        if let Some(newline) = first.iter().position(|byte| *byte == b'\n') {
            return Ok(newline);
        }
        let room = GREETING_LIMIT.saturating_sub(first.len());
        if room == 0 {
            return Err(AdmissionError::NoGreeting);
        }
        if (&mut *stream).take(room as u64).read_buf(first).await? == 0 {
            return Err(if first.is_empty() { AdmissionError::Closed } else { AdmissionError::NoGreeting });
        }
    }
}

/// The token, and the call if there is one; `None` if the line is not a greeting.
fn read_greeting(line: &[u8]) -> Option<(String, Option<OneCall>)> {
    let Ok(Value::Object(mut line)) = serde_json::from_slice(line) else { return None };
    let Some(Value::String(token)) = line.remove(KEY) else { return None };
    let call = match line.remove(CALL) {
        None => None,
        Some(Value::Object(mut call)) => match (call.remove("name"), call.remove("arguments")) {
            (Some(Value::String(operation)), Some(arguments @ Value::Object(_))) if call.is_empty() => {
                Some(OneCall { operation, arguments })
            }
            _ => return None,
        },
        Some(_) => return None,
    };
    line.is_empty().then_some((token, call))
}

async fn refuse<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, error: &AdmissionError) -> io::Result<()> {
    let id = match error {
        AdmissionError::Silent(_) => None,
        _ => first_request(&mut stream).await,
    };
    let line = format!("{}\n", error.refusal().answer(id.as_ref()));
    stream.write_all(line.as_bytes()).await?;
    stream.shutdown().await
}

/// The id of the first request, if one comes soon. Half of the time is left for sending the answer.
async fn first_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<RequestId> {
    let mut lines = InputLines::new(stream);
    let look = async {
        loop {
            match lines.next().await.ok()?? {
                InputLine::TooLong { id } => return id,
                InputLine::Message(line) => match IncomingMessage::parse(&line) {
                    IncomingMessage::Request(request) => return Some(request.id),
                    IncomingMessage::Refused { id, .. } => return id,
                    IncomingMessage::Notification { .. } | IncomingMessage::Response => {}
                },
            }
        }
    };
    timeout(REFUSAL_TIME / 2, look).await.ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_is_a_token_and_perhaps_a_call() {
        let read = |line: &str| read_greeting(line.trim_end().as_bytes());
        assert_eq!(read(&greeting("abc")), Some(("abc".into(), None)));
        let call = OneCall { operation: "op".into(), arguments: json!({ "a": 1 }) };
        assert_eq!(read(&greeting_with_call("abc", &call)), Some(("abc".into(), Some(call))));
        for line in [
            "",
            "abc",
            "{}",
            r#"{"patterm_identity":1}"#,
            r#"{"patterm_identity":"a","more":1}"#,
            r#"{"patterm_identity":"a","call":1}"#,
            r#"{"patterm_identity":"a","call":{"name":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
