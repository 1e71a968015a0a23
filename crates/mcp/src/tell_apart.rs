//! One socket, two protocols: each connection goes to the one who speaks what its first bytes say.

use std::{future::Future, pin::pin, time::Duration};

use tokio::io::AsyncRead;

use crate::sniff::{ReplayedStream, SniffError, WireProtocol, sniff};

/// For a client to say whether it speaks gRPC or MCP. An MCP client may take its time before its first word.
const FIRST_WORD: Duration = Duration::from_secs(600);

/// Hands the connection to `mcp` or to `http2`. `stop` ends the wait for a first word, and MCP, which has no way to
/// say goodbye; whoever speaks HTTP/2 gets a `stop` to end by in order.
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
        // Looking whether we are alive is no mistake.
        Err(SniffError::Closed) => {}
        Err(error) => tracing::warn!(%error, "refused a connection"),
    }
}
