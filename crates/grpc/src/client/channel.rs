//! Calls over one HTTP/2 connection, which is dialled anew when it was lost.
//!
//! tonic's own channel hands a call through three tasks and writes its head and its body one by one, and each write wakes
//! the coordinator. Here a call's head and as much of its body as there is leave in one write, from the task that asks.

use std::{
    convert::Infallible,
    fmt,
    future::Future,
    pin::{Pin, pin},
    sync::{Arc, Mutex, PoisonError, Weak},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures_util::FutureExt;
use h2::{
    Ping, PingPong,
    client::{Builder, Connection, SendRequest},
};
use http_body::{Body, Frame};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::oneshot,
    time::{sleep, timeout},
};
use tonic::Status;

use super::{Endpoint, dial, dial::Dialled, pace::Pace};
use crate::body::{self, Received};

/// Bytes a server may send before this client has read the ones before: a whole screen of cells, so
/// that reading one takes no second round trip.
const WINDOW_BYTES: u32 = 1 << 20;
/// The largest HTTP/2 frame to receive: a screen in few pieces.
const FRAME_BYTES: u32 = 256 << 10;
/// While an answer is awaited or a stream is open, the server is asked for a sign of life this often, and has as long to
/// give it: a line that is dead without a word, as after a sleep, is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Cheap to clone; calls of all clones share the connection.
#[derive(Clone)]
pub struct Channel {
    shared: Arc<Shared>,
}

struct Shared {
    endpoint: Endpoint,
    line: Mutex<Line>,
    /// Held by whoever dials: the others wait for the same line.
    dialling: tokio::sync::Mutex<()>,
    pace: Pace,
}

/// A connection.
#[derive(Clone)]
struct Line {
    send: SendRequest<Bytes>,
    /// Held by each call under way.
    calls: Arc<()>,
}

impl Channel {
    pub(super) async fn new(endpoint: Endpoint, dialled: Dialled) -> Result<Self, h2::Error> {
        let line = Line::open(dialled).await?;
        Ok(Channel {
            shared: Arc::new(Shared {
                endpoint,
                line: Mutex::new(line),
                dialling: Default::default(),
                pace: Pace::default(),
            }),
        })
    }

    async fn ask(self, request: http::Request<tonic::body::Body>) -> Result<http::Response<Answer>, Status> {
        let Line { mut send, calls } = self.shared.open_line().await?;
        let (head, body) = request.into_parts();
        let (response, mut stream) =
            send.send_request(http::Request::from_parts(head, ()), false).map_err(body::status)?;
        let (kept, dropped) = oneshot::channel::<Infallible>();
        let mut sending = Box::pin(async move {
            tokio::select! {
                biased;
                () = body::send(&mut stream, body, std::convert::identity) => {}
                _ = dropped => {}
            }
        });
        // Most often all of it is there, and goes with the head.
        if sending.as_mut().now_or_never().is_none() {
            tokio::spawn(sending);
        }
        let response = self.shared.pace.answer(response).await.map_err(body::status)?;
        Ok(response.map(|stream| Answer { body: Received::new(stream), _kept: kept, _call: calls }))
    }
}

impl Shared {
    async fn open_line(&self) -> Result<Line, Status> {
        if let Some(line) = self.usable().await {
            return Ok(line);
        }
        let _dialling = self.dialling.lock().await;
        if let Some(line) = self.usable().await {
            return Ok(line);
        }
        let dialled = dial::dial(&self.endpoint).await.map_err(|error| Status::unavailable(error.to_string()))?;
        let line = Line::open(dialled).await.map_err(body::status)?;
        *self.line.lock().unwrap_or_else(PoisonError::into_inner) = line.clone();
        Ok(line)
    }

    /// The connection, when it can take a call; `None` when it was lost.
    async fn usable(&self) -> Option<Line> {
        let Line { send, calls } = self.line.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let send = send.ready().await.ok()?;
        Some(Line { send, calls })
    }
}

impl Line {
    async fn open(dialled: Dialled) -> Result<Self, h2::Error> {
        let opening = Builder::new()
            .initial_window_size(WINDOW_BYTES)
            .initial_connection_window_size(4 * WINDOW_BYTES)
            .max_frame_size(FRAME_BYTES)
            .enable_push(false)
            .handshake(dialled);
        let (send, mut connection) = opening.await?;
        let pings = connection.ping_pong().expect("asked for the first time");
        let calls = Arc::new(());
        tokio::spawn(keep(connection, pings, Arc::downgrade(&calls)));
        Ok(Line { send, calls })
    }
}

/// Moves the connection's bytes until it ends, or the server is silent for too long while calls wait.
async fn keep<T>(connection: Connection<T, Bytes>, mut pings: PingPong, calls: Weak<()>)
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    let mut connection = pin!(connection);
    loop {
        tokio::select! {
            // Those who wait are told why by the connection itself.
            _ = &mut connection => return,
            () = sleep(KEEP_ALIVE) => {}
        }
        // One is held by the channel.
        if calls.strong_count() > 1 {
            tokio::select! {
                _ = &mut connection => return,
                sign = timeout(KEEP_ALIVE, pings.ping(Ping::opaque())) => {
                    if !matches!(sign, Ok(Ok(_))) {
                        return;
                    }
                }
            }
        }
    }
}

/// The body of an answer. Dropping it before its end tells the server that nobody waits for the rest.
#[derive(Debug)]
pub struct Answer {
    body: Received,
    _kept: oneshot::Sender<Infallible>,
    _call: Arc<()>,
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

impl tower::Service<http::Request<tonic::body::Body>> for Channel {
    type Response = http::Response<Answer>;
    type Error = Status;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Status>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<tonic::body::Body>) -> Self::Future {
        Box::pin(self.clone().ask(request))
    }
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel").field("endpoint", &self.shared.endpoint).finish_non_exhaustive()
    }
}
