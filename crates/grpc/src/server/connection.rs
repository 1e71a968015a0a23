//! One HTTP/2 connection: accepts its calls, and makes sure that each ends with its client.

use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use futures_util::{
    FutureExt,
    stream::{FuturesUnordered, StreamExt},
};
use h2::{RecvStream, server::SendResponse};
use tokio::io::{AsyncRead, AsyncWrite};
use tower::{Service, ServiceExt};

use super::{
    authority::ReadableAuthority,
    body::{self, ReceivedBody},
    too_long,
    uptake::GivenRoom,
};

/// Receive window of a client: one input of full size without a pause.
const WINDOW_BYTES: u32 = 1 << 20;
/// Maximum simultaneous calls on a connection. A page that watches every session of a full engine fits.
const MAX_CALLS: u32 = 2048;
/// Maximum bytes of an answer queued for a client: together with a frame in progress, the cost of a client that never
/// reads.
const MAX_WAITING_BYTES: usize = 512 << 10;
/// Maximum bytes of a call's headers. Ours take a few hundred bytes.
const MAX_HEADER_BYTES: u32 = 16 << 10;
/// Streams that a client may reset before the connection is considered an attack.
const MAX_BROKEN_STREAMS: usize = 1024;

/// The call whose events are made after its reader has received the earlier ones.
const PACED: &str = "/vtr.VTR/Subscribe";

/// A connection that broke; others are not affected.
#[derive(Debug, thiserror::Error)]
#[error("a gRPC connection broke: {0}")]
pub struct ConnectionError(#[from] h2::Error);

/// Serves until the client closes, or until `stop`: then no new calls are accepted, and those in progress are finished.
/// Dropping the future drops them.
///
/// All of it is one task: a call's answer leaves with the connection's next write.
pub(super) async fn serve<S>(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    service: S,
    stop: impl Future<Output = ()>,
) -> Result<(), ConnectionError>
where
    S: Service<http::Request<ReceivedBody>, Response = http::Response<tonic::body::Body>, Error = Infallible> + Clone,
{
    let room = Arc::<GivenRoom>::default();
    let stream = ReadableAuthority::new(stream, Arc::clone(&room));
    let mut connection = h2::server::Builder::new()
        .initial_window_size(WINDOW_BYTES)
        .initial_connection_window_size(4 * WINDOW_BYTES)
        .max_concurrent_streams(MAX_CALLS)
        .max_send_buffer_size(MAX_WAITING_BYTES)
        .max_header_list_size(MAX_HEADER_BYTES)
        .max_local_error_reset_streams(Some(MAX_BROKEN_STREAMS))
        .handshake(stream)
        .await?;
    let pings = connection.ping_pong().expect("asked for the first time");
    let mut pinging = pin!(room.ping(pings).fuse());
    let mut stop = pin!(stop.fuse());
    let mut calls = FuturesUnordered::new();
    loop {
        let accepted = tokio::select! {
            biased;
            // Calls are polled first, so that their answers leave with the connection's next write.
            Some(_) = calls.next(), if !calls.is_empty() => continue,
            accepted = connection.accept() => accepted,
            () = &mut pinging => continue,
            () = &mut stop => {
                connection.graceful_shutdown();
                continue;
            }
        };
        let Some(accepted) = accepted else { return Ok(()) };
        let (mut request, respond) = accepted?;
        if request.uri().path() == PACED {
            let uptake = room.watch(respond.stream_id().as_u32(), request.headers());
            // Shared because extensions must be `Clone`; the call takes it out.
            request.extensions_mut().insert(Arc::new(Mutex::new(uptake)));
        }
        // A panic in one call ends only that call.
        let mut call = Box::pin(AssertUnwindSafe(answer(service.clone(), request, respond)).catch_unwind());
        // Most calls finish at once.
        if call.as_mut().now_or_never().is_none() {
            calls.push(call);
        }
    }
}

/// One call. It is dropped with all its work when its client cancels it.
async fn answer<S>(service: S, request: http::Request<RecvStream>, mut respond: SendResponse<Bytes>)
where
    S: Service<http::Request<ReceivedBody>, Response = http::Response<tonic::body::Body>, Error = Infallible>,
{
    let asked = service.oneshot(request.map(ReceivedBody::new));
    let response = tokio::select! {
        biased;
        Ok(response) = asked => too_long::explain(response),
        _ = poll_fn(|cx| respond.poll_reset(cx)) => return,
    };
    let (head, body) = response.into_parts();
    let empty = http_body::Body::is_end_stream(&body);
    // Fails if the client is gone.
    let Ok(mut stream) = respond.send_response(http::Response::from_parts(head, ()), empty) else { return };
    if empty {
        return;
    }
    body::send(&mut stream, body, too_long::explain_trailers).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_that_panics_takes_no_other_with_it() {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let service = tower::service_fn(|request: http::Request<ReceivedBody>| async move {
            assert_ne!(request.uri().path(), "/boom", "as asked");
            Ok(http::Response::new(tonic::body::Body::empty()))
        });
        let serving = tokio::spawn(serve(ours, service, std::future::pending()));
        let (send, connection) = h2::client::handshake(theirs).await.unwrap();
        tokio::spawn(connection);
        let ask = |path: &str| {
            let request = http::Request::get(format!("http://localhost{path}")).body(()).unwrap();
            let send = send.clone();
            async move { send.ready().await.unwrap().send_request(request, true).unwrap().0.await }
        };
        assert!(ask("/boom").await.unwrap_err().is_reset());
        assert_eq!(ask("/fine").await.unwrap().status(), http::StatusCode::OK);
        drop(send);
        serving.await.unwrap().unwrap();
    }
}
