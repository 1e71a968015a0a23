//! Who is at the other end: a line with a token comes before the first message, and the program knows whose it is.
//!
//! The line is ours, not MCP's: `{"patterm_identity":"TOKEN"}`. It may hold one call, and then no MCP follows: an agent's
//! hook has one thing to say, and is no client that comes and goes. A client behind [`relay`](crate::relay()) never sees
//! it. Whoever is refused is told why under the id of its first request, because that is where clients look.

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

/// Bytes of the whole line: a token has sixty-four, and a hook's words are few.
const GREETING_LIMIT: usize = 8 * 1024;
/// For the line to come. A proxy sends it at once; somebody who types has time to think.
const GREETING_TIME: Duration = Duration::from_secs(10);
/// For the first request of somebody who is refused, and for the refusal to be taken.
const REFUSAL_TIME: Duration = Duration::from_secs(2);

const KEY: &str = "patterm_identity";
const CALL: &str = "call";

/// Somebody who is known.
#[derive(Debug)]
pub struct AdmittedClient<S> {
    pub caller: Caller,
    /// The one call this connection is for; MCP follows when there is none.
    pub call: Option<OneCall>,
    /// As if nothing had been read.
    pub stream: ReplayedStream<S>,
}

/// An operation that is called without MCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneCall {
    pub operation: String,
    pub arguments: Value,
}

/// Why nobody was let in.
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

/// The line that says who connects, with its newline.
pub fn greeting(token: &str) -> String {
    format!("{}\n", json!({ KEY: token }))
}

/// The line of somebody who has one call to make. The answer is one line: the reply, or `{"error": …}`.
pub fn greeting_with_call(token: &str, call: &OneCall) -> String {
    let call = json!({ "name": call.operation, "arguments": call.arguments });
    format!("{}\n", json!({ KEY: token, CALL: call }))
}

/// Reads who connects and asks the host for the caller. Whoever is refused has been told so when this returns.
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
            // A line that is no greeting may be a request, and is answered as one.
            let unread = match error {
                AdmissionError::UnknownIdentity => {
                    first.iter().position(|byte| *byte == b'\n').map(|at| first.split_off(at + 1)).unwrap_or_default()
                }
                _ => first,
            };
            // Nothing is owed to who does not listen.
            let _ = timeout(REFUSAL_TIME, refuse(ReplayedStream::new(unread, stream), &error)).await;
            Err(error)
        }
    }
}

async fn resolve<C: Context>(context: &C, token: String) -> Result<Caller, AdmissionError> {
    resolved(context, token).await.ok_or(AdmissionError::UnknownIdentity)
}

/// A host may wait a moment for a caller that is just coming into being, so it is not asked on this thread.
pub(crate) async fn resolved<C: Context>(context: &C, token: String) -> Option<Caller> {
    let context = context.clone();
    tokio::task::spawn_blocking(move || context.host().resolve(&token)).await.ok().flatten()
}

/// Where the newline is.
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

/// The token, and the call if there is one; none if the line is anything else.
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

/// The id of the first request, if one comes soon. Half of the time is left for the answer.
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
