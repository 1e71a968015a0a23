//! HTTP responses: one JSON message, or an event stream for several messages or a slow call.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    Response, StatusCode,
    body::Frame,
    header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE},
};
use serde_json::Value;
use tokio::task::AbortHandle;

use super::Reply;
use crate::{
    era::ProtocolEra,
    message::{METHOD_NOT_FOUND, MessageRefusal, RequestId},
    outbox::OutgoingMessages,
};

pub(super) type Body = UnsyncBoxBody<Bytes, std::convert::Infallible>;

/// A call that takes longer is answered as a stream, so that no intermediary times out.
const SOON: Duration = Duration::from_secs(1);
/// Interval of keep-alive comments on a stream.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

fn reply(status: StatusCode, kind: &'static str, body: Body) -> Reply {
    let mut reply = Response::new(body);
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}

fn whole(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).boxed_unsync()
}

pub(super) fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(Empty::new().boxed_unsync());
    *reply.status_mut() = status;
    reply
}

pub(super) fn plain(status: StatusCode, text: &'static str) -> Reply {
    reply(status, "text/plain; charset=utf-8", whole(text))
}

pub(super) fn only_post() -> Reply {
    let mut reply = plain(StatusCode::METHOD_NOT_ALLOWED, "POST a message, or DELETE a session");
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static("POST, DELETE"));
    reply
}

pub(super) fn unauthorised() -> Reply {
    let mut reply = plain(StatusCode::UNAUTHORIZED, "send a token as `Authorization: Bearer TOKEN`");
    reply.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    reply
}

pub(super) fn refusal(status: StatusCode, id: Option<&RequestId>, refusal: MessageRefusal) -> Reply {
    json(status, refusal.answer(id).to_string())
}

fn json(status: StatusCode, message: impl Into<Bytes>) -> Reply {
    reply(status, "application/json", whole(message))
}

/// The stateless era has HTTP status codes for refused requests; the older era refuses inside the message.
pub(super) fn status_of(code: i64, era: ProtocolEra) -> StatusCode {
    match (era, code) {
        (ProtocolEra::Handshake, _) => StatusCode::OK,
        (ProtocolEra::Stateless, METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        (ProtocolEra::Stateless, _) => StatusCode::BAD_REQUEST,
    }
}

/// Cancels the call when its answer is no longer wanted.
struct CancelOnDrop(AbortHandle);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

pub(super) struct HttpAnswer {
    outgoing: OutgoingMessages,
    _cancel: CancelOnDrop,
    takes_events: bool,
}

impl HttpAnswer {
    pub(super) fn new(outgoing: OutgoingMessages, cancel: AbortHandle, takes_events: bool) -> Self {
        HttpAnswer { outgoing, _cancel: CancelOnDrop(cancel), takes_events }
    }

    /// The response, and the message if it is the only one.
    pub(super) async fn into_reply(mut self, era: ProtocolEra) -> (Option<Value>, Reply) {
        if !self.takes_events {
            return self.only_answer(era).await;
        }
        match tokio::time::timeout(SOON, self.outgoing.next()).await {
            Ok(Some(line)) => match serde_json::from_slice::<Value>(&line) {
                Ok(message) if message.get("id").is_some() => single(era, message, line),
                _ => (None, self.events(event(&line))),
            },
            Ok(None) => (None, cancelled()),
            Err(_) => (None, self.events(comment())),
        }
    }

    /// Notifications are dropped for a client that does not accept event streams.
    async fn only_answer(mut self, era: ProtocolEra) -> (Option<Value>, Reply) {
        while let Some(line) = self.outgoing.next().await {
            if let Ok(message) = serde_json::from_slice::<Value>(&line)
                && message.get("id").is_some()
            {
                return single(era, message, line);
            }
        }
        (None, cancelled())
    }

    fn events(self, first: Bytes) -> Reply {
        let stream = futures_util::stream::unfold(Some((Some(first), self)), |state| async move {
            let (first, mut answer) = state?;
            if let Some(first) = first {
                return Some((Ok(Frame::data(first)), Some((None, answer))));
            }
            match tokio::time::timeout(SIGN_OF_LIFE, answer.outgoing.next()).await {
                // Nothing follows the answer.
                Ok(line) => {
                    line.map(|line| (Ok(Frame::data(event(&line))), (!is_answer(&line)).then_some((None, answer))))
                }
                Err(_) => Some((Ok(Frame::data(comment())), Some((None, answer)))),
            }
        });
        reply(StatusCode::OK, "text/event-stream", StreamBody::new(stream).boxed_unsync())
    }
}

fn is_answer(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|message| message.get("id").is_some())
}

fn single(era: ProtocolEra, message: Value, line: Vec<u8>) -> (Option<Value>, Reply) {
    let status = match message["error"]["code"].as_i64() {
        Some(code) => status_of(code, era),
        None => StatusCode::OK,
    };
    (Some(message), json(status, line))
}

/// A cancelled request gets no JSON-RPC answer, but HTTP requires a response.
fn cancelled() -> Reply {
    empty(StatusCode::NO_CONTENT)
}

fn event(line: &[u8]) -> Bytes {
    [b"event: message\ndata: ".as_slice(), line.trim_ascii_end(), b"\n\n"].concat().into()
}

fn comment() -> Bytes {
    Bytes::from_static(b": working\n\n")
}
