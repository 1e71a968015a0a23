//! Subscribe: what comes, in which order, and what a slow reader gets.

use grpc::proto::{subscribe_event::Event, *};
use prost::Message;
use testkit::Script;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
    time::Instant,
};
use tonic::Streaming;

use crate::stage::{Stage, shows, soon};

async fn next(events: &mut Streaming<SubscribeEvent>) -> Option<Event> {
    soon("the next event comes", events.message()).await.unwrap().map(|event| event.event.unwrap())
}

fn screen(event: Option<Event>) -> GetScreenResponse {
    match event {
        Some(Event::ScreenUpdate(update)) => update.screen.unwrap(),
        other => panic!("no screen: {other:?}"),
    }
}

fn subscribe(frames: bool, raw: bool) -> SubscribeRequest {
    SubscribeRequest {
        name: "one".into(),
        include_screen_updates: frames,
        include_raw_output: raw,
        ..Default::default()
    }
}

#[tokio::test]
async fn a_snapshot_comes_first_even_if_nothing_was_asked_for_and_the_end_comes_once() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().print("hello\n").read_line().exit(7)).await;
    shows(&session, "hello").await;
    let mut events = vtr.subscribe(subscribe(false, false)).await.unwrap().into_inner();
    assert_eq!(screen(next(&mut events).await).screen_rows[0].text(), "hello");
    vtr.send_key(SendKeyRequest { name: "one".into(), key: "enter".into() }).await.unwrap();
    let exited = SessionExited { exit_code: 7, id: session.id().to_string(), ..Default::default() };
    assert_eq!(next(&mut events).await, Some(Event::SessionExited(exited.clone())));
    assert_eq!(next(&mut events).await, None);

    // Of a session that has ended already, the same.
    let mut events = vtr.subscribe(subscribe(true, true)).await.unwrap().into_inner();
    screen(next(&mut events).await);
    assert_eq!(next(&mut events).await, Some(Event::SessionExited(exited)));
    assert_eq!(next(&mut events).await, None);
    stage.close().await;
}

#[tokio::test]
async fn a_death_by_a_signal_is_no_success() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().print("up\n").hang()).await;
    shows(&session, "up").await;
    let mut events = vtr.subscribe(subscribe(false, false)).await.unwrap().into_inner();
    screen(next(&mut events).await);
    vtr.kill(KillRequest { name: "one".into(), signal: "KILL".into(), wait: None }).await.unwrap();
    let exited = SessionExited { exit_code: 137, signal: "SIGKILL".into(), id: session.id().to_string() };
    assert_eq!(next(&mut events).await, Some(Event::SessionExited(exited)));
    stage.close().await;
}

#[tokio::test]
async fn every_byte_comes_when_raw_output_is_asked_for() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let script = Script::new().raw().print("ready\n").read_line().flood(200_000).exit(0);
    let session = stage.spawn(&mut vtr, "one", script).await;
    shows(&session, "ready").await;
    let request = SubscribeRequest { raw_since: Some(0), ..subscribe(false, true) };
    let mut events = vtr.subscribe(request).await.unwrap().into_inner();
    screen(next(&mut events).await);
    vtr.send_bytes(SendBytesRequest { name: "one".into(), data: b"\n".to_vec() }).await.unwrap();
    let mut raw = Vec::new();
    loop {
        match next(&mut events).await {
            Some(Event::RawOutput(bytes)) => raw.extend_from_slice(&bytes),
            Some(Event::SessionExited(_)) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(raw, session.raw(0, usize::MAX).bytes);
    assert!(raw.starts_with(b"ready") && raw.len() >= 200_000, "{}", raw.len());
    stage.close().await;
}

#[tokio::test]
async fn frames_come_at_most_thirty_times_a_second_and_the_last_one_is_the_last() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let script = Script::new().read_line().flood(20_000_000).print("the end").exit(0);
    stage.spawn(&mut vtr, "one", script).await;
    let mut events = vtr.subscribe(subscribe(true, false)).await.unwrap().into_inner();
    let started = Instant::now();
    let mut last = screen(next(&mut events).await);
    vtr.send_key(SendKeyRequest { name: "one".into(), key: "enter".into() }).await.unwrap();
    let mut frames: u32 = 1;
    loop {
        match next(&mut events).await {
            Some(Event::ScreenUpdate(update)) => {
                let screen = update.screen.unwrap();
                assert!(screen.version > last.version, "frames only go forward");
                last = screen;
                frames += 1;
            }
            Some(Event::SessionExited(_)) => break,
            other => panic!("{other:?}"),
        }
    }
    // The first and the last are not held back.
    let most = started.elapsed().as_secs_f64() * 30.0 + 3.0;
    assert!(f64::from(frames) <= most, "{frames} frames, at most {most}");
    assert!(last.screen_rows.iter().any(|row| row.text() == "the end"), "the last frame shows the end");
    stage.close().await;
}

#[tokio::test]
async fn a_reader_that_was_too_slow_for_raw_output_is_told() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let session = stage.spawn(&mut vtr, "one", Script::new().flood(3_000_000).print("done").hang()).await;
    shows(&session, "done").await;
    let request = SubscribeRequest { raw_since: Some(0), ..subscribe(false, true) };
    let mut events = vtr.subscribe(request).await.unwrap().into_inner();
    screen(next(&mut events).await);
    let Some(Event::RawGap(gap)) = next(&mut events).await else { panic!("no gap") };
    let kept = session.raw(0, usize::MAX);
    assert_eq!(gap.dropped_bytes, kept.dropped);
    let Some(Event::RawOutput(bytes)) = next(&mut events).await else { panic!("no output") };
    assert!(kept.bytes.starts_with(&bytes));
    stage.close().await;
}

#[tokio::test]
async fn a_removed_session_ends_the_stream() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    stage.spawn(&mut vtr, "one", Script::new().hang()).await;
    let mut events = vtr.subscribe(subscribe(false, false)).await.unwrap().into_inner();
    screen(next(&mut events).await);
    vtr.remove(RemoveRequest { name: "one".into() }).await.unwrap();
    let Some(Event::SessionExited(exited)) = next(&mut events).await else { panic!("no end") };
    assert!(!exited.signal.is_empty(), "{exited:?}");
    assert_eq!(next(&mut events).await, None);
    stage.close().await;
}

/// A client as those of gRPC core: a window of megabytes, and room given back for what its reader took.
struct CoreClient {
    stream: UnixStream,
    /// Of the answer: not yet read as messages.
    data: Vec<u8>,
    received: u32,
    pings: u32,
}

impl CoreClient {
    async fn subscribe(stage: &Stage) -> Self {
        let mut stream = UnixStream::connect(stage.socket()).await.unwrap();
        let mut sent =
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x00\x40\x00\x00".to_vec();
        let block =
            b"\x04\x12/vtr.VTR/Subscribe\x01\x08tmp%2Fxy\x83\x86\x0f\x10\x10application/grpc\x0f\x2b\x09grpc-c/54";
        sent.extend([0, 0, u8::try_from(block.len()).unwrap(), 1, 4, 0, 0, 0, 1]);
        sent.extend(block);
        // What its reader is ready to read.
        sent.extend([0, 0, 4, 8, 0, 0, 0, 0, 1, 0, 0, 0, 5]);
        let request = subscribe(true, false).encode_to_vec();
        let length = u8::try_from(request.len()).unwrap();
        sent.extend([0, 0, length + 5, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, length]);
        sent.extend(request);
        stream.write_all(&sent).await.unwrap();
        CoreClient { stream, data: Vec::new(), received: 0, pings: 0 }
    }

    /// Reads one HTTP/2 frame, and answers a ping.
    async fn read(&mut self) {
        let mut head = [0; 9];
        soon("a frame comes", self.stream.read_exact(&mut head)).await.unwrap();
        let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
        soon("its payload comes", self.stream.read_exact(&mut payload)).await.unwrap();
        match (head[3], head[4]) {
            (0, _) => {
                self.received += u32::try_from(payload.len()).unwrap();
                self.data.extend(payload);
            }
            (6, 0) => {
                self.pings += 1;
                self.stream.write_all(&[&[0, 0, 8, 6, 1, 0, 0, 0, 0], &payload[..]].concat()).await.unwrap();
            }
            (3 | 7, _) => panic!("refused: {head:?} {payload:?}"),
            _ => {}
        }
    }

    async fn message(&mut self) -> GetScreenResponse {
        loop {
            if let Some((head, rest)) = self.data.split_at_checked(5) {
                let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
                if let Some(message) = rest.get(..length) {
                    let event = SubscribeEvent::decode(message).unwrap().event;
                    self.data.drain(..5 + length);
                    return screen(event);
                }
            }
            self.read().await;
        }
    }

    /// Its reader has taken all that came.
    async fn give_room(&mut self) {
        let given = std::mem::take(&mut self.received).to_be_bytes();
        // To the connection and to the stream.
        for id in [0, 1] {
            self.stream.write_all(&[&[0, 0, 4, 8, 0, 0, 0, 0, id], &given[..]].concat()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_slow_reader_with_a_large_window_is_shown_the_newest_frame() {
    let stage = Stage::new();
    let mut vtr = stage.vtr().await;
    let script = Script::new().print("one\n").read_line().print("two\n").read_line().print("three\n").hang();
    let session = stage.spawn(&mut vtr, "one", script).await;
    shows(&session, "one").await;
    let mut slow = CoreClient::subscribe(&stage).await;
    slow.message().await;
    for word in ["two", "three"] {
        vtr.send_key(SendKeyRequest { name: "one".into(), key: "enter".into() }).await.unwrap();
        shows(&session, word).await;
        // It is asked whether the first frame was taken, and gets no second one.
        let before = slow.pings;
        while slow.pings < before + 2 {
            slow.read().await;
            assert!(slow.data.is_empty(), "a frame came before the one before was read");
        }
    }
    slow.give_room().await;
    assert!(slow.message().await.screen_rows.iter().any(|row| row.text() == "three"));
    stage.close().await;
}
