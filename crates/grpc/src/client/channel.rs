//! tonic's channel over a socket or a command's streams. It reconnects after the connection was lost.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use hyper_util::rt::TokioIo;
use tonic::{
    Status,
    body::Body,
    transport::{self, Endpoint as Transport},
};
use tower::service_fn;

use super::{Endpoint, busy_wait::BusyWait, dial, dial::DialledStream};

/// Flow-control window: room for a whole screen of cells, so that reading one takes no second round trip.
const WINDOW_BYTES: u32 = 1 << 20;
/// Of the whole connection, HTTP/2's maximum: with less, a few answers that nobody reads yet would hold up all others.
/// What a server can send stays bounded, because it sends on streams that we opened, each with a window of its own.
const CONNECTION_WINDOW_BYTES: u32 = (1 << 31) - 1;
/// The largest HTTP/2 frame to receive, so that a screen comes in few pieces.
const FRAME_BYTES: u32 = 256 << 10;
/// While a call is open, the server is pinged at this interval, and has as long to answer: this notices a connection
/// that is silently dead, as after a sleep.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Cheap to clone; calls of all clones share the connection.
#[derive(Clone)]
pub struct CoordinatorChannel {
    transport: transport::Channel,
    busy_wait: Arc<BusyWait>,
}

impl CoordinatorChannel {
    /// Starts with the stream that was already `dialled`.
    pub(super) fn new(endpoint: Endpoint, dialled: DialledStream) -> Self {
        let mut first = Some(dialled);
        let dial = service_fn(move |_| {
            let (first, endpoint) = (first.take(), endpoint.clone());
            async move {
                match first {
                    Some(dialled) => Ok(TokioIo::new(dialled)),
                    // As a status, so that callers get our own error.
                    None => dial::dial(&endpoint)
                        .await
                        .map(TokioIo::new)
                        .map_err(|error| Status::unavailable(error.to_string())),
                }
            }
        });
        // gRPC over Unix sockets has no host, but HTTP/2 requires a valid authority.
        let transport = Transport::from_static("http://localhost")
            .initial_stream_window_size(WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .max_frame_size(FRAME_BYTES)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .keep_alive_timeout(KEEP_ALIVE)
            .connect_with_connector_lazy(dial);
        CoordinatorChannel { transport, busy_wait: Arc::default() }
    }
}

impl tower::Service<http::Request<Body>> for CoordinatorChannel {
    type Response = http::Response<Body>;
    type Error = transport::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.transport.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let answer = self.transport.call(request);
        let busy_wait = self.busy_wait.clone();
        Box::pin(async move { busy_wait.answer(answer).await })
    }
}

impl fmt::Debug for CoordinatorChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.transport.fmt(f)
    }
}
