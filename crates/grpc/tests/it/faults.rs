//! Clients that vanish, don't read, or send too much.

use std::time::Duration;

use grpc::{client::Endpoint, proto::*};
use testkit::Script;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
};
use tonic::Code;

use crate::stage::{Stage, seconds, shows, soon, until};

#[tokio::test]
async fn a_client_that_vanishes_frees_its_waiters_and_streams() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().hang()).await;
    let endpoint = Endpoint::Socket(stage.socket());
    // Its runtime goes and takes the socket with it, in the middle of everything.
    let elsewhere = tokio::runtime::Runtime::new().unwrap();
    elsewhere.spawn(async move {
        let client = grpc::client::connect(&endpoint).await.unwrap();
        let (mut waiting, mut subscribed, mut attached) = (client.vtr(), client.vtr(), client.vtr());
        let subscribe = SubscribeRequest { name: "one".into(), include_screen_updates: true, ..Default::default() };
        let start = AttachStart { name: "one".into(), ..Default::default() };
        let start = AttachRequest { message: Some(attach_request::Message::Start(start)) };
        let requests = tokio_stream::StreamExt::chain(tokio_stream::iter([start]), tokio_stream::pending());
        let _streams = (subscribed.subscribe(subscribe).await.unwrap(), attached.attach(requests).await.unwrap());
        waiting.wait_for(never()).await
    });
    until("all three listen", || session.pulse_listeners() == 3).await;
    elsewhere.shutdown_background();
    until("nobody listens", || session.pulse_listeners() == 0).await;
    stage.close().await;
}

fn never() -> WaitForRequest {
    WaitForRequest { name: "one".into(), pattern: "never".into(), timeout: seconds(60.0), ..Default::default() }
}

#[tokio::test]
async fn one_call_given_up_is_freed_while_the_connection_stays() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().hang()).await;
    let mut waiting = vtr.clone();
    let wait = tokio::spawn(async move { waiting.wait_for(never()).await });
    until("the wait has begun", || session.pulse_listeners() == 1).await;
    wait.abort();
    until("the waiter is gone", || session.pulse_listeners() == 0).await;
    vtr.info(InfoRequest { name: "one".into() }).await.unwrap();
    stage.close().await;
}

/// Resident bytes of this process.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[tokio::test]
async fn a_subscriber_that_never_reads_costs_little_and_holds_nobody_up() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().read_line().flood_forever()).await;
    let idle = stage.connect().await;
    let request = SubscribeRequest {
        name: "one".into(),
        include_screen_updates: true,
        include_raw_output: true,
        ..Default::default()
    };
    let unread = idle.vtr().subscribe(request).await.unwrap();
    vtr.send_key(SendKeyRequest { name: "one".into(), key: "enter".into() }).await.unwrap();
    // Past the ring and the history: what the session itself keeps has stopped growing.
    until("40 MB were printed", || session.output_offset() > 40_000_000).await;
    let before = resident();
    until("200 MB were printed", || session.output_offset() > 200_000_000).await;
    let grown = resident().saturating_sub(before);
    assert!(grown < 10 << 20, "{grown} bytes more");
    vtr.get_screen(GetScreenRequest { name: "one".into(), ..Default::default() }).await.unwrap();
    drop(unread);
    vtr.kill(KillRequest { name: "one".into(), signal: "KILL".into(), wait: None }).await.unwrap();
    stage.close().await;
}

#[tokio::test]
async fn a_message_of_100_megabytes_is_refused_by_its_header() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    stage.spawn(&mut vtr, "one", Script::new().hang()).await;
    let request = SendBytesRequest { name: "one".into(), data: vec![b'x'; 100_000_000] };
    let status = soon("it is refused", vtr.send_bytes(request)).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    let failure = grpc::CallFailure::from(&status);
    assert_eq!(failure.kind, Some(ops::ErrorKind::LimitExceeded));
    assert!(failure.message.contains("16777216") && failure.hint.contains("in parts"), "{failure:?}");
    vtr.info(InfoRequest { name: "one".into() }).await.unwrap();
    stage.close().await;
}

#[tokio::test]
async fn text_that_is_not_utf_8_is_the_senders_fault() {
    #[derive(Clone, PartialEq, prost::Message)]
    struct RawText {
        #[prost(bytes = "vec", tag = "1")]
        name: Vec<u8>,
        #[prost(bytes = "vec", tag = "2")]
        text: Vec<u8>,
    }
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().raw().print("up\n").hex()).await;
    shows(&session, "up").await;
    let socket = stage.socket();
    let connector = tower::service_fn(move |_| {
        let socket = socket.clone();
        async move { UnixStream::connect(socket).await.map(hyper_util::rt::TokioIo::new) }
    });
    let channel = tonic::transport::Endpoint::from_static("http://localhost");
    let mut client = tonic::client::Grpc::new(channel.connect_with_connector(connector).await.unwrap());
    client.ready().await.unwrap();
    let path = tonic::codegen::http::uri::PathAndQuery::from_static("/vtr.VTR/SendText");
    let request = tonic::Request::new(RawText { name: b"one".to_vec(), text: vec![0xff] });
    let codec = tonic_prost::ProstCodec::<RawText, SendTextResponse>::default();
    let status = client.unary(request, path, codec).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    assert_eq!(grpc::CallFailure::from(&status).kind, Some(ops::ErrorKind::InvalidArgs));
    stage.close().await;
}

#[tokio::test]
async fn a_connection_that_speaks_no_http_harms_no_other() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let mut stranger = UnixStream::connect(stage.socket()).await.unwrap();
    stranger.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n\0\0\0\0").await.unwrap();
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(60), stranger.read_to_end(&mut answer)).await.unwrap();
    vtr.list(ListRequest::default()).await.unwrap();
    stage.close().await;
}
