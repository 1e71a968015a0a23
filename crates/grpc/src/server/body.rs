//! The bodies of calls and answers, between HTTP/2 streams and tonic.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Poll, ready},
};

use bytes::{Buf, Bytes};
use futures_util::FutureExt;
use h2::{Reason, RecvStream, SendStream};
use http::HeaderMap;
use http_body::{Body, Frame};
use tonic::Status;

/// A client's request body.
#[derive(Debug)]
pub(super) struct ReceivedBody {
    stream: RecvStream,
}

impl ReceivedBody {
    pub(super) fn new(stream: RecvStream) -> Self {
        ReceivedBody { stream }
    }
}

impl Body for ReceivedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let stream = &mut self.get_mut().stream;
        if let Some(data) = ready!(stream.poll_data(cx)) {
            let data = data.map_err(status)?;
            // Consumed data frees the window for as much again.
            stream.flow_control().release_capacity(data.len()).map_err(status)?;
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
        let trailers = ready!(stream.poll_trailers(cx)).map_err(status)?;
        Poll::Ready(trailers.map(|trailers| Ok(Frame::trailers(trailers))))
    }

    fn is_end_stream(&self) -> bool {
        self.stream.is_end_stream()
    }
}

/// Sends an answer's body to its end, or until the client cancels. Data that is available already is sent in the first
/// poll, so that it leaves together with the head. `last` may change its trailers.
pub(super) async fn send(
    stream: &mut SendStream<Bytes>,
    body: tonic::body::Body,
    last: impl FnOnce(HeaderMap) -> HeaderMap,
) {
    let mut body = pin!(body);
    let mut next = next_part(stream, body.as_mut()).await;
    loop {
        // Sending fails if the stream is over: the reader of the other side's body gets the reason.
        let data = match next {
            BodyPart::Data(data) => data,
            BodyPart::Trailers(trailers) => return drop(stream.send_trailers(last(trailers))),
            BodyPart::End => return drop(stream.send_data(Bytes::new(), true)),
            // A partial body is of no use.
            BodyPart::Failed => return stream.send_reset(Reason::INTERNAL_ERROR),
            BodyPart::Unwanted => return,
        };
        // The end is sent along with the last data, if it is known by then.
        let known = next_part(stream, body.as_mut()).now_or_never();
        let ended = matches!(known, Some(BodyPart::End));
        if stream.send_data(data, ended).is_err() || ended {
            return;
        }
        next = match known {
            Some(next) => next,
            None => next_part(stream, body.as_mut()).await,
        };
        // Not before the first part: a stream that was just opened has no window yet, and HTTP/2 buffers what does not
        // fit.
        if matches!(next, BodyPart::Data(_)) {
            stream.reserve_capacity(1);
            while stream.capacity() == 0 {
                let Some(Ok(_)) = poll_fn(|cx| stream.poll_capacity(cx)).await else { return };
            }
        }
    }
}

enum BodyPart {
    Data(Bytes),
    Trailers(HeaderMap),
    End,
    /// The answer could not be produced.
    Failed,
    /// The client has reset the stream, or is gone.
    Unwanted,
}

async fn next_part(stream: &mut SendStream<Bytes>, mut body: Pin<&mut tonic::body::Body>) -> BodyPart {
    poll_fn(|cx| {
        loop {
            return Poll::Ready(match body.as_mut().poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) if !data.has_remaining() => continue,
                    Ok(data) => BodyPart::Data(data),
                    Err(frame) => BodyPart::Trailers(frame.into_trailers().unwrap_or_default()),
                },
                Poll::Ready(Some(Err(_))) => BodyPart::Failed,
                Poll::Ready(None) => BodyPart::End,
                Poll::Pending => {
                    let _ = ready!(stream.poll_reset(cx));
                    BodyPart::Unwanted
                }
            });
        }
    })
    .await
}

fn status(error: h2::Error) -> Status {
    Status::from_error(Box::new(error))
}
