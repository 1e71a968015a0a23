//! One HTTP/2 connection: takes its calls, and sees that each ends with its client.

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

/// What a client may send before we have read it: one input of full size without a pause.
const WINDOW_BYTES: u32 = 1 << 20;
/// Calls at a time on one connection. A page that watches every session of a full engine fits.
const MAX_CALLS: u32 = 2048;
/// Bytes of one answer that wait for a client to read: with a frame being made, what a client that never
/// reads costs us.
const MAX_WAITING_BYTES: usize = 512 << 10;
/// Names and values of one call's headers. Ours take a few hundred bytes.
const MAX_HEADER_BYTES: u32 = 16 << 10;
/// Streams a client may break before the connection is taken for an attack.
const MAX_BROKEN_STREAMS: usize = 1024;

/// The call whose events are made when its reader has taken those before.
const PACED: &str = "/vtr.VTR/Subscribe";

/// A connection that broke; the others don't notice.
#[derive(Debug, thiserror::Error)]
#[error("a gRPC connection broke: {0}")]
pub struct ConnectionError(#[from] h2::Error);

/// Serves until the client goes, or until `stop`: then no new calls are taken, and those under way are finished.
/// Dropping the future drops them.
///
/// All of it is one task: what a call answers leaves with the connection's next write.
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
            // First, so that what they say leaves with the connection's next write.
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
        // A bug of ours in one call ends that call alone.
        let mut call = Box::pin(AssertUnwindSafe(answer(service.clone(), request, respond)).catch_unwind());
        // Most are done at once.
        if call.as_mut().now_or_never().is_none() {
            calls.push(call);
        }
    }
}

/// One call. It is dropped, and all it does with it, when its client does not want it any more.
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
    // It fails when the client has gone.
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
