//! Messages of gRPC clients and servers, with valid or broken framing: what can be read is written back unchanged, a
//! real server answers each call with a status that does not blame itself, and a client survives any answer.
//!
//! The first byte selects the call, the second how the rest is sent.
#![no_main]

use std::{convert::Infallible, fmt::Debug, sync::LazyLock, time::Duration};

use bytes::Bytes;
use engine::{Engine, EngineLimits, EngineOptions, Kind, NameChoice, NewSession, SessionName, StopRequest};
use grpc::{
    CallFailure, MAX_MESSAGE_BYTES,
    proto::{vtr_client::VtrClient, *},
    server::{GrpcServer, ServerAbout},
};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full};
use libfuzzer_sys::fuzz_target;
use ops::{Caller, ErrorKind, Host, OpError, SessionContext, StartRequest};
use prost::Message;
use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};
use tonic::{Code, Status};

/// The time limit for work that takes microseconds.
const PATIENCE: Duration = Duration::from_secs(5);
/// The id of the only session.
const NAME: &str = "a";
const GRPC_STATUS: &str = "grpc-status";

static STAGE: LazyLock<Stage> = LazyLock::new(Stage::new);

fuzz_target!(|input: &[u8]| {
    let [call, how, rest @ ..] = input else { return };
    let call = &CALLS[usize::from(*call) % CALLS.len()];
    let body = framed(*how, rest);
    (call.reads_back)(rest);
    failure_is_a_failure(*how, rest);
    STAGE.runtime.block_on(async {
        // With an absolute path, a recording would really be written there.
        if !rest.contains(&b'/') {
            STAGE.ask(call, *how, body.clone()).await;
        }
        (call.client_takes)(body);
    });
});

struct CallKind {
    path: &'static str,
    /// Calls that may take time: waits, and streams.
    waits: bool,
    reads_back: fn(&[u8]),
    client_takes: fn(Bytes),
}

macro_rules! calls {
    ($($name:literal $function:ident $request:ident $response:ident $waits:literal $shape:ident;)*) => {
        const CALLS: &[CallKind] = &[$(CallKind {
            path: concat!("/vtr.VTR/", $name),
            waits: $waits,
            reads_back: |bytes| {
                reads_back::<$request>(bytes);
                reads_back::<$response>(bytes);
            },
            client_takes: |answer| {
                let mut client = client(answer);
                $shape!(client, $function, $request);
            },
        }),*];
    };
}

/// One message and one answer.
macro_rules! plain {
    ($client:ident, $function:ident, $request:ident) => {
        futures_util::FutureExt::now_or_never($client.$function($request::default())).map(|answer| answer.is_ok())
    };
}

/// One message and many answers.
macro_rules! stream {
    ($client:ident, $function:ident, $request:ident) => {
        futures_util::FutureExt::now_or_never(async {
            let mut answers = $client.$function($request::default()).await?.into_inner();
            while answers.message().await?.is_some() {}
            Ok::<(), Status>(())
        })
    };
}

/// Many messages and many answers.
macro_rules! both {
    ($client:ident, $function:ident, $request:ident) => {
        futures_util::FutureExt::now_or_never(async {
            let asked = futures_util::stream::iter([$request::default()]);
            let mut answers = $client.$function(asked).await?.into_inner();
            while answers.message().await?.is_some() {}
            Ok::<(), Status>(())
        })
    };
}

calls! {
    "Spawn" spawn SpawnRequest SpawnResponse false plain;
    "List" list ListRequest ListResponse false plain;
    "Info" info InfoRequest InfoResponse false plain;
    "Kill" kill KillRequest KillResponse false plain;
    "Remove" remove RemoveRequest RemoveResponse true plain;
    "Rename" rename RenameRequest RenameResponse false plain;
    "GetScreen" get_screen GetScreenRequest GetScreenResponse false plain;
    "GetHistory" get_history GetHistoryRequest GetHistoryResponse false plain;
    "Grep" grep GrepRequest GrepResponse false plain;
    "SendText" send_text SendTextRequest SendTextResponse true plain;
    "SendKey" send_key SendKeyRequest SendKeyResponse true plain;
    "SendBytes" send_bytes SendBytesRequest SendBytesResponse true plain;
    "Resize" resize ResizeRequest ResizeResponse false plain;
    "WaitFor" wait_for WaitForRequest WaitForResponse true plain;
    "WaitForIdle" wait_for_idle WaitForIdleRequest WaitForIdleResponse true plain;
    "Subscribe" subscribe SubscribeRequest SubscribeEvent true stream;
    "Attach" attach AttachRequest AttachEvent true both;
    "WatchSessions" watch_sessions WatchSessionsRequest WatchSessionsEvent true stream;
    "Record" record RecordRequest RecordResponse false plain;
    "DumpAsciinema" dump_asciinema DumpAsciinemaRequest DumpAsciinemaResponse false plain;
    "Version" version VersionRequest VersionResponse false plain;
}

/// Even: one message, or several separated by FF. Odd: with lengths from the input.
fn framed(how: u8, rest: &[u8]) -> Bytes {
    if how & 1 == 1 {
        return Bytes::copy_from_slice(rest);
    }
    let mut body = Vec::new();
    for message in rest.split(|&byte| byte == 0xff) {
        body.push(0);
        body.extend(u32::try_from(message.len()).expect("inputs are short").to_be_bytes());
        body.extend(message);
    }
    body.into()
}

fn reads_back<M: Message + Default + PartialEq + Debug>(bytes: &[u8]) {
    let Ok(message) = M::decode(bytes) else { return };
    let written = message.encode_to_vec();
    assert_eq!(message.encoded_len(), written.len());
    let again = M::decode(&written[..]).expect("what is written can be read");
    assert!(again == message, "{message:?} became {again:?}");
}

/// Wherever the details come from.
fn failure_is_a_failure(how: u8, details: &[u8]) {
    let code = Code::from(i32::from(how) % 17);
    let status = Status::with_details(code, "said", Bytes::copy_from_slice(details));
    assert_eq!(CallFailure::from(&status).code, code);
}

type Line = tower::util::BoxCloneSyncService<Request<tonic::body::Body>, Response<tonic::body::Body>, Infallible>;

/// A client of a server that answers everything with these bytes.
fn client(answer: Bytes) -> VtrClient<Line> {
    let line = tower::service_fn(move |_: Request<tonic::body::Body>| {
        let answer = answer.clone();
        async move {
            let trailers =
                HeaderMap::from_iter([(HeaderName::from_static(GRPC_STATUS), HeaderValue::from_static("0"))]);
            let body = Full::new(answer).with_trailers(async { Some(Ok(trailers)) });
            let mut response = Response::new(tonic::body::Body::new(body));
            let kind = HeaderValue::from_static("application/grpc");
            response.headers_mut().insert(http::header::CONTENT_TYPE, kind);
            Ok(response)
        }
    });
    VtrClient::new(Line::new(line)).max_decoding_message_size(MAX_MESSAGE_BYTES)
}

/// A server with one session, in which no other session can be started.
struct Stage {
    runtime: Runtime,
    engine: Engine,
    server: GrpcServer,
}

struct NoStarts;

impl Host for NoStarts {
    fn authorise_start(&self, _: &StartRequest<'_>) -> Result<(), OpError> {
        Err(OpError::new(ErrorKind::NeedsTrust, "nothing starts here"))
    }
}

impl Stage {
    fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let inside = runtime.enter();
        let limits = EngineLimits { sessions: 1, ..EngineLimits::default() };
        let base_env = vec![("PATH".into(), "/usr/bin:/bin".into())];
        let engine = Engine::new(EngineOptions { base_env, limits, grace: Duration::ZERO, ..EngineOptions::default() });
        let about = ServerAbout { program: "fuzzed".into(), version: "1".into() };
        let server = GrpcServer::new(SessionContext::new(engine.clone(), NoStarts), Caller::operator(), about);
        drop(inside);
        Stage { runtime, engine, server }
    }

    /// Calls may have ended, renamed or removed it.
    async fn has_a_session(&self) {
        if self.engine.find(NAME).is_ok_and(|session| session.status() == engine::Status::Running) {
            return;
        }
        for session in self.engine.list() {
            let _ = session.remove(StopRequest::default()).await;
        }
        let name = NameChoice::Exactly(SessionName::new(NAME).expect("it is one"));
        let cat = NewSession { name, ..NewSession::new(Kind::Command, ["cat"]) };
        self.engine.spawn(cat).await.expect("cat starts");
    }

    async fn ask(&self, call: &CallKind, how: u8, body: Bytes) {
        self.has_a_session().await;
        let (here, there) = tokio::io::duplex(1 << 20);
        let server = self.server.clone();
        let serving = tokio::spawn(async move { server.serve_connection(there, std::future::pending()).await });
        let (send, connection) = h2::client::handshake(here).await.expect("the server greets");
        let connection = tokio::spawn(connection);
        let request = Request::post(format!("http://localhost{}", call.path))
            .header(http::header::CONTENT_TYPE, "application/grpc")
            .header(http::header::TE, "trailers")
            .body(())
            .expect("a request");
        let mut send = send.ready().await.expect("the first call");
        let (response, mut stream) = send.send_request(request, false).expect("the first call");
        let piece = usize::from(how >> 1);
        let pieces = body.chunks(if piece == 0 { usize::MAX } else { piece });
        for piece in pieces {
            stream.send_data(Bytes::copy_from_slice(piece), false).expect("nothing was answered yet");
        }
        stream.send_data(Bytes::new(), true).expect("nothing was answered yet");
        if call.waits {
            // As far as it goes without waiting.
            let _ = timeout(Duration::from_millis(1), response).await;
        } else {
            let answered = timeout(PATIENCE, status(response)).await.expect("it is answered at once");
            // The protocol itself defines bad framing as INTERNAL.
            let framed_well = how & 1 == 0;
            let own_fault = matches!(answered, Code::Internal | Code::Unknown | Code::DataLoss);
            assert!(!(framed_well && own_fault), "{}: {answered:?}", call.path);
        }
        drop((send, stream));
        connection.abort();
        serving.abort();
        let _ = serving.await;
    }
}

/// The server's final status.
async fn status(response: h2::client::ResponseFuture) -> Code {
    let (head, mut body) = response.await.expect("no call breaks the line").into_parts();
    while let Some(data) = body.data().await {
        let data = data.expect("no answer breaks off");
        body.flow_control().release_capacity(data.len()).expect("it was received");
    }
    let trailers = body.trailers().await.expect("no answer breaks off");
    let said = trailers.as_ref().unwrap_or(&head.headers).get(GRPC_STATUS).expect("a status");
    Code::from_bytes(said.as_bytes())
}
