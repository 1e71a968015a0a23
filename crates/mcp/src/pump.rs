//! Joins a client's standard input and output to a server's socket, byte by byte.

use std::{io, pin::pin, time::Duration};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// How long the server may take to write its last answers after the client has closed its side.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Which side ended the pump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PumpEnd {
    Client,
    Server,
}

#[derive(Debug, thiserror::Error)]
pub enum PumpError {
    #[error("the MCP client's side of the pump: {0}")]
    Client(#[source] io::Error),
    #[error("the MCP server's side of the pump: {0}: is the server still running?")]
    Server(#[source] io::Error),
}

enum PumpSide {
    Reading(io::Error),
    Writing(io::Error),
}

/// Copies until one side closes. If the server closes, the pump ends at once; if the client closes, answers get a
/// moment to arrive.
///
/// A read of tokio's standard input can't be cancelled: after [`PumpEnd::Server`] a program has to end its process (or
/// call `Runtime::shutdown_background`) instead of waiting for its runtime.
pub async fn pump(
    input: impl AsyncRead,
    output: impl AsyncWrite,
    socket: impl AsyncRead + AsyncWrite,
) -> Result<PumpEnd, PumpError> {
    let (from_server, to_server) = tokio::io::split(socket);
    let mut up = pin!(copy(input, to_server));
    let mut down = pin!(copy(from_server, output));
    let upward = |error| match error {
        PumpSide::Reading(error) => PumpError::Client(error),
        PumpSide::Writing(error) => PumpError::Server(error),
    };
    let downward = |error| match error {
        PumpSide::Reading(error) => PumpError::Server(error),
        PumpSide::Writing(error) => PumpError::Client(error),
    };
    tokio::select! {
        downed = &mut down => downed.map(|()| PumpEnd::Server).map_err(downward),
        upped = &mut up => {
            upped.map_err(upward)?;
            match tokio::time::timeout(LAST_ANSWERS, down).await {
                Ok(downed) => downed.map(|()| PumpEnd::Client).map_err(downward),
                Err(_) => Ok(PumpEnd::Client),
            }
        }
    }
}

async fn copy(from: impl AsyncRead, to: impl AsyncWrite) -> Result<(), PumpSide> {
    let (mut from, mut to) = (pin!(from), pin!(to));
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let length = from.read(&mut buffer).await.map_err(PumpSide::Reading)?;
        if length == 0 {
            return to.shutdown().await.map_err(PumpSide::Writing);
        }
        to.write_all(&buffer[..length]).await.map_err(PumpSide::Writing)?;
        to.flush().await.map_err(PumpSide::Writing)?;
    }
}
