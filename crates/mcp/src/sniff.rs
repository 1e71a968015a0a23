//! Tells gRPC from MCP by a connection's first bytes, which are then read again.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf},
    time::{Instant, timeout_at},
};

/// The HTTP/2 connection preface, compared as a whole.
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Time limit for the rest of the preface: programs send it in one piece.
const REST: Duration = Duration::from_secs(10);
/// Maximum white space before the first message.
const BLANK_LIMIT: usize = 1024;

/// A client's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireProtocol {
    /// gRPC.
    Http2,
    /// MCP.
    Json,
}

/// Why a connection can't be served.
#[derive(Debug, thiserror::Error)]
pub enum SniffError {
    #[error("the connection begins with \"{}\": neither HTTP/2 (gRPC) nor a JSON object (MCP)", .first.escape_ascii())]
    Unknown { first: Vec<u8> },
    #[error("the client said nothing to tell gRPC from MCP by within {within:?}")]
    Silent { within: Duration },
    #[error("the client closed the connection before it said anything")]
    Closed,
    #[error("reading the first bytes: {0}")]
    Read(#[from] io::Error),
}

/// Reads as many bytes as are needed to know the protocol, and returns a stream that yields them again.
pub async fn sniff<S: AsyncRead + Unpin>(
    mut stream: S,
    within: Duration,
) -> Result<(WireProtocol, ReplayedStream<S>), SniffError> {
    let mut first = Vec::new();
    let mut rest = None;
    let decide = async {
        loop {
            if let Some(protocol) = decided(&first)? {
                return Ok(protocol);
            }
            let room = BLANK_LIMIT - first.len();
            let half = !first.is_empty() && HTTP2.starts_with(&first);
            let begun = half.then(|| *rest.get_or_insert_with(|| Instant::now() + REST));
            let mut limited = (&mut stream).take(room as u64);
            let read = limited.read_buf(&mut first);
            let read = match begun {
                Some(until) => timeout_at(until, read).await.map_err(|_| SniffError::Silent { within: REST })?,
                None => read.await,
            };
            if read? == 0 {
                return Err(SniffError::Closed);
            }
        }
    };
    let protocol = tokio::time::timeout(within, decide).await.map_err(|_| SniffError::Silent { within })??;
    Ok((protocol, ReplayedStream::new(first, stream)))
}

/// `None`: more bytes are needed, and the limit is not reached.
fn decided(first: &[u8]) -> Result<Option<WireProtocol>, SniffError> {
    if first.starts_with(HTTP2) {
        return Ok(Some(WireProtocol::Http2));
    }
    if HTTP2.starts_with(first) {
        return Ok(None);
    }
    match first.trim_ascii_start().first() {
        Some(b'{') => Ok(Some(WireProtocol::Json)),
        None if first.len() < BLANK_LIMIT => Ok(None),
        _ => Err(SniffError::Unknown { first: first[..first.len().min(32)].to_vec() }),
    }
}

/// A stream that yields the bytes already read, then the rest.
#[derive(Debug)]
pub struct ReplayedStream<S> {
    first: Vec<u8>,
    at: usize,
    stream: S,
}

impl<S> ReplayedStream<S> {
    pub(crate) fn new(first: Vec<u8>, stream: S) -> Self {
        ReplayedStream { first, at: 0, stream }
    }

    pub fn get_ref(&self) -> &S {
        &self.stream
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ReplayedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let rest = &self.first[self.at..];
        if rest.is_empty() {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        let length = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..length]);
        self.at += length;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ReplayedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
