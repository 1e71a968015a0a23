//! `mcp/N-ROLE.jsonl`: every message of a connection, with its time and direction. It holds no tokens, which are sent
//! before the first message, and no values of environment variables.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    pin::Pin,
    task::{Context, Poll},
};

use ops::{Caller, Role};
use serde::de::IgnoredAny;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::files;

/// The longest recorded message, in bytes; a longer one is cut.
const LINE_LIMIT: usize = 1 << 20;

/// A stream that is passed through, or one whose lines are also recorded.
#[derive(Debug)]
pub(crate) struct TranscribedStream<S> {
    stream: S,
    transcript: Option<Transcript>,
}

#[derive(Debug)]
struct Transcript {
    file: File,
    from_client: Vec<u8>,
    to_client: Vec<u8>,
}

impl<S> TranscribedStream<S> {
    pub(super) fn silent(stream: S) -> Self {
        TranscribedStream { stream, transcript: None }
    }

    pub(super) fn to_file(stream: S, folder: &Path, number: u64, caller: &Caller) -> Self {
        let role = match caller.role {
            Role::Operator => "operator",
            Role::Orchestrator => "orchestrator",
            Role::SubAgent => "sub-agent",
        };
        let session = caller.session.map(|session| format!("-{session}")).unwrap_or_default();
        let file = files::private_folder(folder)
            .and_then(|()| files::append(&folder.join(format!("{number}-{role}{session}.jsonl"))));
        let transcript = match file {
            Ok(file) => Some(Transcript { file, from_client: Vec::new(), to_client: Vec::new() }),
            Err(error) => {
                tracing::warn!(%error, "a connection is not recorded");
                None
            }
        };
        TranscribedStream { stream, transcript }
    }

    /// If the file can't be written, the transcript ends, not the connection.
    fn note(&mut self, direction: Direction, bytes: &[u8]) {
        if let Some(transcript) = &mut self.transcript
            && let Err(error) = transcript.note(direction, bytes)
        {
            tracing::warn!(%error, "a connection is no longer recorded");
            self.transcript = None;
        }
    }
}

#[derive(Clone, Copy)]
enum Direction {
    FromClient,
    ToClient,
}

impl Transcript {
    fn note(&mut self, direction: Direction, mut bytes: &[u8]) -> io::Result<()> {
        let (line, name) = match direction {
            Direction::FromClient => (&mut self.from_client, "from_client"),
            Direction::ToClient => (&mut self.to_client, "to_client"),
        };
        while !bytes.is_empty() {
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let room = LINE_LIMIT.saturating_sub(line.len());
            line.extend_from_slice(&part[..part.len().min(room)]);
            bytes = &bytes[part.len() + usize::from(end.is_some())..];
            if end.is_some() {
                let at = jiff::Timestamp::now();
                let message = written(line);
                writeln!(self.file, r#"{{"at":"{at}","direction":"{name}","message":{message}}}"#)?;
                line.clear();
            }
        }
        Ok(())
    }
}

/// The message as JSON, or as a string if it is not JSON or was cut.
fn written(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    // A key may be spelled with escapes, or occur twice, so the message is re-serialised from its parsed form.
    if text.contains("\"env\"") || text.contains("\\u") {
        return match serde_json::from_str::<Value>(&text) {
            Ok(mut message) => {
                hide_values(&mut message);
                message.to_string()
            }
            Err(_) => Value::from(format!("{} bytes that may hold values of variables", line.len())).to_string(),
        };
    }
    match serde_json::from_str::<IgnoredAny>(&text) {
        Ok(_) => text.trim().to_owned(),
        Err(_) => Value::from(text).to_string(),
    }
}

/// Replaces the values of the variables that a call sets; the names stay.
fn hide_values(message: &mut Value) {
    if let Value::Array(messages) = message {
        return messages.iter_mut().for_each(hide_values);
    }
    if let Some(Value::Object(variables)) = message.pointer_mut("/params/arguments/env") {
        variables.values_mut().for_each(|value| *value = "(not shown)".into());
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TranscribedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if let Poll::Ready(Ok(())) = polled {
            self.note(Direction::FromClient, &buffer.filled()[before..]);
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TranscribedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        if let Poll::Ready(Ok(length)) = polled {
            self.note(Direction::ToClient, &bytes[..length]);
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_variables_are_not_written() {
        let call = |env: &str| {
            format!(r#"{{"method":"tools/call","params":{{"name":"spawn_process","arguments":{{{env}}}}}}}"#)
        };
        for env in [
            r#""argv":["x"],"env":{"TOKEN":"hush"}"#,
            r#""\u0065nv":{"TOKEN":"hush"}"#,
            r#""env":{"TOKEN":"hush"},"env":{"TOKEN":"x"}"#,
        ] {
            let line = written(call(env).as_bytes());
            assert!(!line.contains("hush") && line.contains("TOKEN") && line.contains("(not shown)"), "{line}");
        }
        let batch = written(format!("[{}]", call(r#""env":{"TOKEN":"hush"}"#)).as_bytes());
        assert!(!batch.contains("hush") && batch.contains("spawn_process"), "{batch}");
        assert!(!written(br#"{"env":{"TOKEN":"hush""#).contains("hush"), "a message that was cut");
        assert_eq!(written(br#" {"id": 1} "#), r#"{"id": 1}"#);
        assert_eq!(written(b"no json"), r#""no json""#);
    }
}
