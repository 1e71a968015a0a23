//! Each error, by code and by its details.

use std::time::Duration;

use grpc::{CallFailure, ERROR_DOMAIN, proto::*};
use ops::ErrorKind;
use testkit::{DEADLINE, Script};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use crate::stage::{Stage, seconds, shows, soon, until};

#[track_caller]
fn is<T: std::fmt::Debug>(result: Result<T, Status>, code: Code, kind: ErrorKind) {
    let status = result.unwrap_err();
    let info = status.get_details_error_info().unwrap_or_else(|| panic!("no details: {status:?}"));
    assert_eq!((info.domain.as_str(), info.reason), (ERROR_DOMAIN, kind.as_str().to_uppercase()), "{status:?}");
    let failure = CallFailure::from(&status);
    assert_eq!((failure.code, failure.kind), (code, Some(kind)), "{status:?}");
    assert!(!failure.message.is_empty() && !failure.hint.is_empty(), "says what to do next: {failure:?}");
    assert!(status.message().starts_with(&failure.message), "{status:?}");
}

#[tokio::test]
async fn no_such_session() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let name = || "nobody".to_owned();
    let (code, kind) = (Code::NotFound, ErrorKind::NotFound);
    is(vtr.info(InfoRequest { name: name() }).await, code, kind);
    is(vtr.kill(KillRequest { name: name(), ..Default::default() }).await, code, kind);
    is(vtr.remove(RemoveRequest { name: name() }).await, code, kind);
    is(vtr.rename(RenameRequest { name: name(), new_name: "x".into() }).await, code, kind);
    is(vtr.get_screen(GetScreenRequest { name: name(), ..Default::default() }).await, code, kind);
    is(vtr.grep(GrepRequest { name: name(), ..Default::default() }).await, code, kind);
    is(vtr.send_text(SendTextRequest { name: name(), ..Default::default() }).await, code, kind);
    is(vtr.send_key(SendKeyRequest { name: name(), key: "a".into() }).await, code, kind);
    is(vtr.send_bytes(SendBytesRequest { name: name(), data: vec![1] }).await, code, kind);
    is(vtr.resize(ResizeRequest { name: name(), cols: 80, rows: 24 }).await, code, kind);
    is(vtr.wait_for(WaitForRequest { name: name(), ..Default::default() }).await, code, kind);
    is(vtr.wait_for_idle(WaitForIdleRequest { name: name(), ..Default::default() }).await, code, kind);
    is(vtr.subscribe(SubscribeRequest { name: name(), ..Default::default() }).await, code, kind);
    is(vtr.record(RecordRequest { name: name(), ..Default::default() }).await, code, kind);
    is(vtr.dump_asciinema(DumpAsciinemaRequest { name: name() }).await, code, kind);
    let start = AttachRequest {
        message: Some(attach_request::Message::Start(AttachStart { name: name(), ..Default::default() })),
    };
    is(vtr.attach(tokio_stream::iter([start])).await, code, kind);
    stage.close().await;
}

#[tokio::test]
async fn a_name_that_is_taken() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    stage.spawn(&mut vtr, "one", Script::new().hang()).await;
    stage.spawn(&mut vtr, "two", Script::new().hang()).await;
    let again = SpawnRequest { name: "one".into(), command: "true".into(), ..Default::default() };
    is(vtr.spawn(again).await, Code::AlreadyExists, ErrorKind::AlreadyExists);
    let rename = RenameRequest { name: "two".into(), new_name: "one".into() };
    is(vtr.rename(rename).await, Code::AlreadyExists, ErrorKind::AlreadyExists);
    stage.close().await;
}

#[tokio::test]
async fn what_has_ended_takes_nothing_but_can_be_read() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().print("last words\n").exit(0)).await;
    soon("it exits", session.wait_for_exit(DEADLINE)).await;
    let name = || "one".to_owned();
    let (code, kind) = (Code::FailedPrecondition, ErrorKind::NotRunning);
    is(vtr.send_text(SendTextRequest { name: name(), text: "x".into(), ..Default::default() }).await, code, kind);
    is(vtr.send_key(SendKeyRequest { name: name(), key: "a".into() }).await, code, kind);
    is(vtr.send_bytes(SendBytesRequest { name: name(), data: vec![1] }).await, code, kind);
    is(vtr.resize(ResizeRequest { name: name(), cols: 80, rows: 24 }).await, code, kind);
    is(vtr.kill(KillRequest { name: name(), ..Default::default() }).await, code, kind);
    let screen = vtr.get_screen(GetScreenRequest { name: name(), ..Default::default() }).await.unwrap().into_inner();
    assert_eq!(screen.screen_rows[0].text(), "last words");
    is(vtr.dump_asciinema(DumpAsciinemaRequest { name: name() }).await, Code::FailedPrecondition, ErrorKind::NotReady);
    stage.close().await;
}

#[tokio::test]
async fn arguments_that_cannot_be_right() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    stage.spawn(&mut vtr, "one", Script::new().hang()).await;
    let name = || "one".to_owned();
    let (code, kind) = (Code::InvalidArgument, ErrorKind::InvalidArgs);
    let spawn = |change: fn(&mut SpawnRequest)| {
        let mut request = SpawnRequest { command: "true".into(), ..Default::default() };
        change(&mut request);
        request
    };
    is(vtr.spawn(spawn(|request| request.name = "a b".into())).await, code, kind);
    is(vtr.spawn(spawn(|request| request.argv = vec!["true".into()])).await, code, kind);
    is(vtr.spawn(spawn(|request| request.cols = -1)).await, code, kind);
    is(vtr.spawn(spawn(|request| request.rows = 100_000)).await, code, kind);
    is(vtr.spawn(spawn(|request| request.working_dir = "/no/such/folder".into())).await, code, kind);
    is(vtr.spawn(spawn(|request| request.kind = "agent".into())).await, code, ErrorKind::InvalidKind);
    for pattern in ["(", "(?=x)", "(\\w{100}){100}", &"x".repeat(5000)] {
        is(vtr.grep(GrepRequest { name: name(), pattern: pattern.into(), ..Default::default() }).await, code, kind);
        is(
            vtr.wait_for(WaitForRequest { name: name(), pattern: pattern.into(), ..Default::default() }).await,
            code,
            kind,
        );
    }
    is(vtr.grep(GrepRequest { name: name(), context_before: -1, ..Default::default() }).await, code, kind);
    is(vtr.send_key(SendKeyRequest { name: name(), key: "hyperspace".into() }).await, code, kind);
    is(vtr.resize(ResizeRequest { name: name(), cols: 0, rows: 24 }).await, code, kind);
    let narrow = [
        vtr.resize(ResizeRequest { name: name(), cols: 1, rows: 1 }).await.unwrap_err(),
        vtr.spawn(spawn(|request| (request.cols, request.rows) = (1, 1))).await.unwrap_err(),
    ];
    for refused in narrow {
        assert_eq!(refused.message(), "cols is 1: use 2 to 2000");
    }
    is(vtr.kill(KillRequest { name: name(), signal: "SIGNONSENSE".into(), wait: None }).await, code, kind);
    let timeout = Some(prost_types::Duration { seconds: -5, nanos: 0 });
    is(vtr.wait_for(WaitForRequest { name: name(), timeout, ..Default::default() }).await, code, kind);
    let timeout = seconds(3600.0);
    is(vtr.wait_for(WaitForRequest { name: name(), timeout, ..Default::default() }).await, code, kind);
    is(vtr.attach(tokio_stream::iter([AttachRequest::default()])).await, code, kind);
    is(vtr.wait_for(WaitForRequest { name: name(), scope: 99, ..Default::default() }).await, code, kind);
    is(vtr.get_screen(GetScreenRequest { name: name(), format: 99 }).await, code, kind);
    is(vtr.subscribe(SubscribeRequest { name: name(), format: 99, ..Default::default() }).await, code, kind);
    is(vtr.record(RecordRequest { name: name(), action: 99, ..Default::default() }).await, code, kind);
    is(vtr.record(RecordRequest { name: name(), format: 99, ..Default::default() }).await, code, kind);
    let record = Some(SpawnRecording { format: 99, ..Default::default() });
    is(vtr.spawn(SpawnRequest { command: "true".into(), record, ..Default::default() }).await, code, kind);
    assert_eq!(stage.engine.list().len(), 1, "what is refused is not started");
    let timeout = Some(prost_types::Duration { seconds: 1, nanos: -1 });
    is(vtr.wait_for(WaitForRequest { name: name(), timeout, ..Default::default() }).await, code, kind);
    // Messages name no fields that this face does not have.
    let many = GrepRequest { name: name(), max_matches: 10_001, ..Default::default() };
    let refused = vtr.grep(many).await.unwrap_err();
    assert_eq!(refused.message(), "10001 matches are too many: ask for at most 10000");
    let long = WaitForRequest { name: name(), timeout: seconds(601.0), ..Default::default() };
    let refused = vtr.wait_for(long).await.unwrap_err();
    assert_eq!(refused.message(), "a wait can't last 601 s: use 0 to 600 s, and wait again if need be");
    stage.close().await;
}

#[tokio::test]
async fn a_program_that_cannot_be_started() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let request = SpawnRequest { argv: vec!["/no/such/program".into()], ..Default::default() };
    is(vtr.spawn(request).await, Code::Internal, ErrorKind::SpawnFailed);
    assert_eq!(stage.engine.list().len(), 0);
    stage.close().await;
}

#[tokio::test]
async fn input_has_a_limit_of_one_megabyte() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().raw().print("up\n").hang()).await;
    shows(&session, "up").await;
    let send = |bytes: usize| SendBytesRequest { name: "one".into(), data: vec![b'x'; bytes] };
    vtr.send_bytes(send(1 << 20)).await.unwrap();
    is(vtr.send_bytes(send((1 << 20) + 1)).await, Code::ResourceExhausted, ErrorKind::LimitExceeded);
    // What the child does not read is bounded too.
    let mut last = Ok(());
    for _ in 0..3 {
        last = vtr.send_bytes(send(1 << 20)).await.map(|_| ());
    }
    is(last, Code::ResourceExhausted, ErrorKind::LimitExceeded);
    stage.close().await;
}

#[tokio::test]
async fn the_callers_deadline_frees_the_waiter() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().hang()).await;
    let mut request = Request::new(WaitForRequest {
        name: "one".into(),
        pattern: "never".into(),
        timeout: seconds(60.0),
        ..Default::default()
    });
    request.set_timeout(Duration::from_millis(50));
    let status = soon("the deadline passes", vtr.wait_for(request)).await.unwrap_err();
    assert!(matches!(status.code(), Code::DeadlineExceeded | Code::Cancelled), "{status:?}");
    until("the waiter is gone", || session.pulse_listeners() == 0).await;
    stage.close().await;
}

#[tokio::test]
async fn a_server_that_goes_says_so() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    soon("it shuts down", stage.engine.shutdown(Duration::ZERO)).await;
    let spawn = SpawnRequest { command: "true".into(), ..Default::default() };
    let status = vtr.spawn(spawn).await.unwrap_err();
    assert_eq!((status.code(), CallFailure::from(&status).kind), (Code::Unavailable, Some(ErrorKind::ShuttingDown)));
    stage.close().await;
}
