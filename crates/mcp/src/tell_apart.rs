//! One socket for two protocols: dispatches each connection by its first bytes.

use std::{future::Future, pin::pin, time::Duration};

use tokio::io::AsyncRead;

use crate::sniff::{ReplayedStream, SniffError, WireProtocol, sniff};

/// Time limit for a client's first bytes. An MCP client may be silent for long before its first message.
const FIRST_WORD: Duration = Duration::from_secs(600);

/// Hands the connection to `mcp` or to `http2`. `stop` ends the wait for first bytes, and MCP connections, since MCP
/// has no goodbye message; an HTTP/2 connection gets a `stop` of its own for an orderly shutdown.
pub async fn tell_apart<S, T, M, H>(
    stream: S,
    stop: impl Fn() -> T,
    mcp: impl FnOnce(ReplayedStream<S>) -> M,
    http2: impl FnOnce(ReplayedStream<S>, T) -> H,
) where
    S: AsyncRead + Unpin,
    T: Future<Output = ()>,
    M: Future<Output = ()>,
    H: Future<Output = ()>,
{
    let mut stopped = pin!(stop());
    let sniffed = tokio::select! {
        sniffed = sniff(stream, FIRST_WORD) => sniffed,
        () = &mut stopped => return,
    };
    match sniffed {
        Ok((WireProtocol::Http2, stream)) => http2(stream, stop()).await,
        Ok((WireProtocol::Json, stream)) => tokio::select! {
            () = mcp(stream) => {}
            () = &mut stopped => {}
        },
        // A connection that only checks whether we are alive is no error.
        Err(SniffError::Closed) => {}
        Err(error) => tracing::warn!(%error, "refused a connection"),
    }
}
