//! `mcp/N-ROLE.jsonl`: every message of a connection, with the time and its direction. Tokens are not in it: they were
//! said before.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    pin::Pin,
    task::{Context, Poll},
};

use ops::{Caller, Role};
use serde::de::IgnoredAny;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::files;

/// Of one message; what is longer is cut.
const LINE_LIMIT: usize = 1 << 20;

/// A stream as it is, or one whose lines are written down as they pass.
#[derive(Debug)]
pub(crate) struct Transcribed<S> {
    stream: S,
    transcript: Option<Transcript>,
}

#[derive(Debug)]
struct Transcript {
    file: File,
    from_client: Vec<u8>,
    to_client: Vec<u8>,
}

impl<S> Transcribed<S> {
    pub(super) fn silent(stream: S) -> Self {
        Transcribed { stream, transcript: None }
    }

    pub(super) fn to_file(stream: S, folder: &Path, number: u64, caller: &Caller) -> Self {
        let role = match caller.role {
            Role::Operator => "operator",
            Role::Orchestrator => "orchestrator",
            Role::SubAgent => "sub_agent",
        };
        let session = caller.session.map(|session| format!("-{session}")).unwrap_or_default();
        let file = files::private_folder(folder)
            .and_then(|()| files::append(&folder.join(format!("{number}-{role}{session}.jsonl"))));
        let transcript = match file {
            Ok(file) => Some(Transcript { file, from_client: Vec::new(), to_client: Vec::new() }),
            Err(error) => {
                tracing::warn!(%error, "a connection is not written down");
                None
            }
        };
        Transcribed { stream, transcript }
    }

    /// A file that can't be written any more ends the transcript, not the connection.
    fn note(&mut self, direction: Direction, bytes: &[u8]) {
        if let Some(transcript) = &mut self.transcript
            && let Err(error) = transcript.note(direction, bytes)
        {
            tracing::warn!(%error, "a connection is no longer written down");
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

/// The message itself; as a string if it is no JSON, or was cut.
fn written(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    match serde_json::from_str::<IgnoredAny>(&text) {
        Ok(_) => text.trim().to_owned(),
        Err(_) => serde_json::Value::from(text).to_string(),
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Transcribed<S> {
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

impl<S: AsyncWrite + Unpin> AsyncWrite for Transcribed<S> {
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
