//! Subscribe: what comes, in which order, and what a slow reader gets.

use grpc::proto::{subscribe_event::Event, *};
use testkit::Script;
use tokio::time::Instant;
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
