//! One connection from its first byte to its last.

use std::{io, pin::pin, time::Duration};

use ops::{Caller, Context};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    connection::McpConnection,
    lines::InputLines,
    outbox::{NotReading, outbox},
};

/// Time limit for writing the last answers after the client has stopped sending.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// The server's name and limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    pub name: String,
    pub version: String,
    /// For the model: the tools' purpose and where to start. May be empty.
    pub instructions: String,
    /// Maximum requests in progress on one connection.
    pub max_calls: usize,
}

impl Default for ServerInfo {
    fn default() -> Self {
        ServerInfo { name: String::new(), version: String::new(), instructions: String::new(), max_calls: 256 }
    }
}

/// Why a connection ended, other than by its client closing it. Other connections are not affected.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("reading from the MCP client: {0}")]
    Read(#[source] io::Error),
    #[error("writing to the MCP client: {0}")]
    Write(#[source] io::Error),
    #[error("the MCP client keeps sending requests without reading the answers: it was disconnected")]
    NotReading,
}

impl From<NotReading> for ServeError {
    fn from(_: NotReading) -> Self {
        ServeError::NotReading
    }
}

/// Serves the operations that the program's table offers to `caller`'s role, until the client closes its side.
///
/// Then, or when this future is dropped, the futures of all its calls are dropped.
pub async fn serve<S, C>(stream: S, context: C, caller: Caller, info: ServerInfo) -> Result<(), ServeError>
where
    S: AsyncRead + AsyncWrite,
    C: Context,
{
    let (reader, writer) = tokio::io::split(stream);
    let (outbox, outgoing) = outbox();
    let mut connection = McpConnection::new(context, caller, info, outbox);
    let mut lines = InputLines::new(reader);
    let mut writing = pin!(outgoing.write_to(writer));
    let ended = tokio::select! {
        ended = connection.run(&mut lines) => ended,
        written = &mut writing => Err(ServeError::Write(written.err().unwrap_or_else(|| io::ErrorKind::WriteZero.into()))),
    };
    connection.close().await;
    drop(connection);
    match ended {
        Ok(()) => {
            // The client may be gone, or slow to read.
            let _ = tokio::time::timeout(LAST_ANSWERS, writing).await;
            Ok(())
        }
        Err(error) => Err(error),
    }
}
