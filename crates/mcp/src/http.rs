//! Streamable HTTP: one endpoint, `/mcp`, for clients without stdio. It listens where its program says, which should be
//! loopback, and serves only callers with a token; others can't crowd them out (`places.rs`).
//!
//! Each request is served by a connection object of its own, which routes progress and answers without further
//! bookkeeping. In the older era a session records that a client has initialized, and lets one request cancel another.

mod guard;
mod headers;
mod places;
mod reply;
mod sessions;

use std::{convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::{Method, Request, Response, StatusCode, body::Incoming as Body, header, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use ops::{Caller, Context};
use program::OriginGuard;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use self::{
    places::{ConnectionPlace, ConnectionPlaces},
    reply::{HttpAnswer, status_of},
    sessions::{HttpSessions, SESSION_HEADER},
};
use crate::{
    MESSAGE_LIMIT,
    admission::resolved,
    connection::{CallerPresence, McpConnection},
    era::{self, ProtocolEra},
    message::{INVALID_REQUEST, IncomingMessage, MessageRefusal, RequestId, RpcRequest as McpRequest},
    outbox::outbox,
    serve::ServerInfo,
};

/// Time limit for a request's headers, and for its body, from a client that has shown a token before.
const REQUEST_TIME: Duration = Duration::from_secs(30);
/// Delay after a failed accept: when file descriptors run out, retrying at once is useless.
const PAUSE: Duration = Duration::from_millis(100);

type Reply = Response<reply::Body>;

/// Serves until this future is dropped, which also drops all calls.
pub async fn serve_http<C: Context>(listener: TcpListener, context: C, info: ServerInfo) {
    let server =
        Arc::new(HttpServer { context, info, sessions: HttpSessions::default(), guard: OriginGuard::loopback() });
    let places = ConnectionPlaces::new();
    let mut connections = JoinSet::new();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "an HTTP connection could not be taken");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        // Answers are small, and clients wait for them.
        let _ = stream.set_nodelay(true);
        let place = places.take().await;
        let server = server.clone();
        connections.spawn(async move {
            tokio::select! {
                () = server.converse(stream, &place) => {}
                () = place.has_to_leave() => tracing::debug!("an HTTP connection that had shown no token was closed"),
            }
        });
        while connections.try_join_next().is_some() {}
    }
}

struct HttpServer<C: Context> {
    context: C,
    info: ServerInfo,
    sessions: HttpSessions<C>,
    guard: OriginGuard,
}

impl<C: Context> HttpServer<C> {
    async fn converse(&self, stream: TcpStream, place: &ConnectionPlace) {
        let service = service_fn(async |request| Ok::<_, Infallible>(self.answer(request, place).await));
        let mut http = hyper::server::conn::http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIME);
        if let Err(error) = http.serve_connection(TokioIo::new(stream), service).await {
            tracing::debug!(%error, "an HTTP connection ended");
        }
    }

    async fn answer(&self, request: Request<Body>, place: &ConnectionPlace) -> Reply {
        if request.uri().path() != "/mcp" {
            return reply::plain(StatusCode::NOT_FOUND, "there is only /mcp");
        }
        if let Some(refused) = guard::refused_origin(&self.guard, request.headers()) {
            return refused;
        }
        let Some(token) = guard::token(request.headers()) else { return reply::unauthorised() };
        let Some(caller) = resolved(&self.context, token.to_owned()).await else { return reply::unauthorised() };
        place.keep();
        match *request.method() {
            Method::POST => self.post(request, caller).await,
            Method::DELETE => match self.sessions.named_in(request.headers(), &caller) {
                Some(Ok(session)) => {
                    self.sessions.remove(&session);
                    reply::empty(StatusCode::NO_CONTENT)
                }
                _ => reply::plain(StatusCode::NOT_FOUND, "there is no such session"),
            },
            // There are no server-initiated messages to stream.
            _ => reply::only_post(),
        }
    }

    async fn post(&self, request: Request<Body>, caller: Caller) -> Reply {
        let (head, body) = request.into_parts();
        if !headers::is_json(&head.headers) {
            return reply::plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json");
        }
        let message = match read(body).await {
            Ok(bytes) => IncomingMessage::parse(&bytes),
            Err(refused) => return *refused,
        };
        let session = match self.sessions.named_in(&head.headers, &caller) {
            Some(Ok(session)) => Some(session),
            Some(Err(())) => {
                return reply::refusal(
                    StatusCode::NOT_FOUND,
                    id_of(&message),
                    MessageRefusal::new(INVALID_REQUEST, "this session has ended: send `initialize` again"),
                );
            }
            None => None,
        };
        // A body that names its revision is checked against the headers later.
        let says_revision =
            matches!(&message, IncomingMessage::Request(request) if era::revision(&request.params).is_some());
        if !says_revision && let Err(refusal) = headers::check_revision(&head.headers) {
            return reply::refusal(StatusCode::BAD_REQUEST, id_of(&message), refusal);
        }
        match message {
            IncomingMessage::Refused { id, refusal } => reply::refusal(StatusCode::BAD_REQUEST, id.as_ref(), refusal),
            IncomingMessage::Response => reply::empty(StatusCode::ACCEPTED),
            IncomingMessage::Notification { method, mut params } => {
                let cancelled = params.remove("requestId").filter(|_| method == "notifications/cancelled");
                if let (Some(session), Some(id)) = (session, cancelled.and_then(RequestId::from_value)) {
                    self.sessions.cancel(&session, &id);
                }
                reply::empty(StatusCode::ACCEPTED)
            }
            IncomingMessage::Request(request) => self.request(&head.headers, request, session, caller).await,
        }
    }

    async fn request(
        &self,
        headers: &header::HeaderMap,
        request: McpRequest,
        session: Option<String>,
        caller: Caller,
    ) -> Reply {
        let id = request.id.clone();
        let refused = |refusal: MessageRefusal, era| reply::refusal(status_of(refusal.code, era), Some(&id), refusal);
        let era = match headers::checked_era(headers, &request, session.is_some()) {
            Ok(era) => era,
            Err(refusal) => return refused(refusal, ProtocolEra::Stateless),
        };
        let shakes_hands = request.method == "initialize";
        let presence = match (&session, era) {
            (Some(session), ProtocolEra::Handshake) => self.sessions.presence(session),
            _ => None,
        };
        let presence = presence.unwrap_or_else(|| Arc::new(CallerPresence::new(self.context.clone(), caller.clone())));
        let initialized = session.is_some() && era == ProtocolEra::Handshake;
        let (outbox, outgoing) = outbox();
        let connection = McpConnection::within(presence.clone(), self.info.clone(), outbox, initialized);
        let driver = tokio::spawn(connection.run_one(IncomingMessage::Request(request)));
        let cancel = driver.abort_handle();
        if let (Some(session), ProtocolEra::Handshake) = (&session, era)
            && !self.sessions.started(session, &id, cancel.clone())
        {
            cancel.abort();
            let refusal =
                MessageRefusal::new(INVALID_REQUEST, "this id belongs to a request that is still in progress");
            return reply::refusal(StatusCode::BAD_REQUEST, None, refusal);
        }
        let answer = HttpAnswer::new(outgoing, cancel, headers::takes_events(headers));
        let (first, mut reply) = answer.into_reply(era).await;
        if shakes_hands && first.is_some_and(|first| first.get("result").is_some()) {
            match self.sessions.open(presence).map(|name| name.parse()) {
                Ok(Ok(name)) => _ = reply.headers_mut().insert(SESSION_HEADER, name),
                _ => return reply::plain(StatusCode::INTERNAL_SERVER_ERROR, "the system gave no random bytes"),
            }
        }
        reply
    }
}

fn id_of(message: &IncomingMessage) -> Option<&RequestId> {
    match message {
        IncomingMessage::Request(request) => Some(&request.id),
        IncomingMessage::Refused { id, .. } => id.as_ref(),
        IncomingMessage::Notification { .. } | IncomingMessage::Response => None,
    }
}

async fn read(body: Body) -> Result<Bytes, Box<Reply>> {
    let collected = tokio::time::timeout(REQUEST_TIME, Limited::new(body, MESSAGE_LIMIT).collect()).await;
    match collected {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            let refusal = MessageRefusal::new(INVALID_REQUEST, "the message is longer than 16 MiB: send less at once");
            Err(reply::refusal(StatusCode::PAYLOAD_TOO_LARGE, None, refusal).into())
        }
        Ok(Err(_)) => Err(reply::plain(StatusCode::BAD_REQUEST, "the body broke off").into()),
        Err(_) => Err(reply::plain(StatusCode::REQUEST_TIMEOUT, "the body did not come").into()),
    }
}
