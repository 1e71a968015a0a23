//! Who is at the other end: a line with a token comes before the first message, and the program knows whose it is.
//!
//! The line is ours, not MCP's: `{"patterm_identity":"TOKEN"}`. A client behind [`relay`](crate::relay()) never sees
//! it. Whoever is refused is told why under the id of its first request, because that is where clients look.

use std::{io, time::Duration};

use ops::{Caller, Context, ErrorKind};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    time::timeout,
};

use crate::{
    lines::{Line, Lines},
    message::{Incoming, REFUSED_CALLER, Refusal, RequestId},
    sniff::Replay,
};

/// Bytes of the whole line: ours are a hundred.
const GREETING_LIMIT: usize = 1024;
/// For the line to come. A proxy sends it at once; somebody who types has time to think.
const GREETING_TIME: Duration = Duration::from_secs(10);
/// For the first request of somebody who is refused, and for the refusal to be taken.
const REFUSAL_TIME: Duration = Duration::from_secs(2);

const KEY: &str = "patterm_identity";

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
    fn refusal(&self) -> Refusal {
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
        Refusal::new(REFUSED_CALLER, message)
            .with_data(json!({ "kind": ErrorKind::RoleForbidden.as_str(), "hint": hint }))
    }
}

/// The line that says who connects, with its newline.
pub fn greeting(token: &str) -> String {
    format!("{}\n", json!({ KEY: token }))
}

/// Reads who connects and asks the host for the caller. Whoever is refused has been told so when this returns.
pub async fn admit<S, C>(mut stream: S, context: &C) -> Result<(Caller, Replay<S>), AdmissionError>
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
        Ok(newline) => match token_in(&first[..newline]) {
            Some(token) => resolve(context, token).await.map(|caller| (caller, first.split_off(newline + 1))),
            None => Err(AdmissionError::NoGreeting),
        },
        Err(error) => Err(error),
    };
    match known {
        Ok((caller, rest)) => Ok((caller, Replay::new(rest, stream))),
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
            let _ = timeout(REFUSAL_TIME, refuse(Replay::new(unread, stream), &error)).await;
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

/// The token, if the line is nothing but a greeting.
fn token_in(line: &[u8]) -> Option<String> {
    let Ok(Value::Object(mut line)) = serde_json::from_slice(line) else { return None };
    match line.remove(KEY) {
        Some(Value::String(token)) if line.is_empty() => Some(token),
        _ => None,
    }
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
    let mut lines = Lines::new(stream);
    let look = async {
        loop {
            match lines.next().await.ok()?? {
                Line::TooLong { id } => return id,
                Line::Message(line) => match Incoming::parse(&line) {
                    Incoming::Request(request) => return Some(request.id),
                    Incoming::Refused { id, .. } => return id,
                    Incoming::Notification { .. } | Incoming::Response => {}
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
    fn a_greeting_is_one_key_and_nothing_else() {
        assert_eq!(token_in(greeting("abc").trim_end().as_bytes()).as_deref(), Some("abc"));
        for line in [
            "",
            "abc",
            "{}",
            r#"{"patterm_identity":1}"#,
            r#"{"patterm_identity":"a","more":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
        ] {
            assert_eq!(token_in(line.as_bytes()), None, "{line}");
        }
    }
}
