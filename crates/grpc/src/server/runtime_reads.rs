//! A byte stream that only the runtime's threads read.
//!
//! A session's thread that is lent to a connection writes an answer. It takes no calls: they may be of any kind and
//! number, and the session would have to wait for them.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use engine::on_the_spot;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

pub(super) struct RuntimeReads<T> {
    stream: T,
    /// The last read found nothing: whoever made it is woken when there is something.
    awaited: bool,
}

impl<T> RuntimeReads<T> {
    pub(super) fn new(stream: T) -> Self {
        RuntimeReads { stream, awaited: false }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for RuntimeReads<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if on_the_spot::is_lent() {
            if !self.awaited {
                on_the_spot::leave_to_runtime();
            }
            return Poll::Pending;
        }
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.awaited = read.is_pending();
        read
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for RuntimeReads<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
