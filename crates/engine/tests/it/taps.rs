//! Recording taps.

use engine::{EngineLimits, Error, ExitStatus, Input, Origin, TapEvent, TapOptions};
use testkit::Script;

use crate::stage::*;

fn enter(session: &engine::Session) {
    session.send(Input::Text("\n".into()), Origin::Human).unwrap();
}

#[tokio::test]
async fn a_tap_replays_to_an_equal_screen() {
    let engine = engine();
    // The tap begins in the middle of a sequence, and half of what is on the screen then stays.
    let script = Script::new().flood(10_000).print("\x1b[31mred\x1b[0m before\nhere \x1b[3").read_line();
    let script =
        script.print("2mgreen\x1b[5;5H\x1b[1;44mafter\x1b[0m\x1b[20;1H").flood(800).print("\x1b[3;3Hthe end").exit(0);
    let session = spawn(&engine, script).await;
    line(&session, "here").await;
    let mut tap = session.tap(TapOptions::default()).unwrap();
    session.resize(vt::Size::new(70, 20)).unwrap();
    enter(&session);
    exit(&session).await;
    let mut replay = vt::Terminal::new(vt::TerminalOptions { size: tap.start.size, ..vt::TerminalOptions::default() });
    replay.feed(&tap.start.bytes);
    let mut offset = tap.start.offset;
    let mut ended = None;
    while let Some(event) = tap.next().await {
        match event {
            TapEvent::Output { bytes, .. } => {
                offset += bytes.len() as u64;
                replay.feed(&bytes);
            }
            TapEvent::Resize { size, .. } => replay.resize(size),
            TapEvent::Exit { exit, .. } => ended = exit,
            other => panic!("not asked for: {other:?}"),
        }
    }
    assert_eq!(ended, Some(ExitStatus::Code(0)));
    assert_eq!(offset, session.output_offset());
    let (replayed, shown) = (replay.frame(), session.frame().frame);
    assert_eq!(replayed.text(), shown.text());
    assert_eq!(replayed.rows, shown.rows);
    assert_eq!(replayed.cursor, shown.cursor);
    close(engine).await;
}

#[tokio::test]
async fn a_listener_that_sleeps_gets_a_gap_and_the_session_never_waits() {
    let engine = engine();
    let session = spawn(&engine, Script::new().read_line().flood(5_000_000).exit(0)).await;
    let mut tap = session.tap(TapOptions { capacity: 0, ..TapOptions::default() }).unwrap();
    enter(&session);
    exit(&session).await;
    let mut replay = vt::Terminal::new(vt::TerminalOptions { size: tap.start.size, ..vt::TerminalOptions::default() });
    let (mut got, mut dropped) = (tap.start.offset, 0);
    while let Some(event) = tap.next().await {
        match event {
            TapEvent::Output { bytes, .. } => {
                got += bytes.len() as u64;
                replay.feed(&bytes);
            }
            TapEvent::Gap { dropped_bytes, keyframe } => {
                dropped += dropped_bytes;
                assert_eq!(keyframe.offset, got + dropped);
                replay =
                    vt::Terminal::new(vt::TerminalOptions { size: keyframe.size, ..vt::TerminalOptions::default() });
                replay.feed(&keyframe.bytes);
            }
            _ => {}
        }
    }
    assert!(dropped > 4_000_000, "{dropped}");
    assert_eq!(got + dropped, session.output_offset());
    assert_eq!(replay.frame().text(), session.frame().frame.text());
    close(engine).await;
}

#[tokio::test]
async fn input_is_recorded_only_when_asked_and_passwords_never() {
    let engine = engine();
    let script = Script::new()
        .print("name? ")
        .read_line()
        .no_echo()
        .print("password? ")
        .read_line()
        // As a shell's line editor has it: no echo of the terminal's, but every key is read at once.
        .raw()
        .print("keys? ")
        .read_line()
        .cooked()
        .print("thanks\n")
        .exit(0);
    let session = spawn(&engine, script).await;
    line(&session, "name").await;
    let mut with = session.tap(TapOptions { input: true, ..TapOptions::default() }).unwrap();
    let mut without = session.tap(TapOptions::default()).unwrap();
    session.send(Input::Text("joe\n".into()), Origin::Human).unwrap();
    line(&session, "password").await;
    session.send(Input::Text("hunter2\n".into()), Origin::Human).unwrap();
    line(&session, "keys").await;
    session.send(Input::Bytes(b"ls\n".to_vec()), Origin::Human).unwrap();
    exit(&session).await;
    let mut typed = Vec::new();
    while let Some(event) = with.next().await {
        if let TapEvent::Input { bytes, .. } = event {
            typed.extend_from_slice(&bytes);
        }
    }
    assert_eq!(typed, b"joe\rls\n");
    while let Some(event) = without.next().await {
        assert!(!matches!(event, TapEvent::Input { .. }));
    }
    close(engine).await;
}

/// The sender may be held up behind the write, and the program is quick to end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn input_that_ends_the_program_is_told_before_the_end() {
    let engine = engine();
    for _ in 0..100 {
        let session = spawn(&engine, Script::new().print("ready\n").read_line().exit(0)).await;
        line(&session, "ready").await;
        let mut tap = session.tap(TapOptions { input: true, ..TapOptions::default() }).unwrap();
        session.send(Input::Text("bye\n".into()), Origin::Human).unwrap();
        let mut told = Vec::new();
        while let Some(event) = soon("the tap ends", tap.next()).await {
            told.push(event);
        }
        // Before what it brings about, too: its echo.
        assert!(matches!(&told[0], TapEvent::Input { bytes, .. } if **bytes == *b"bye\r"), "{told:?}");
        session.remove(AT_ONCE).await.unwrap();
    }
    close(engine).await;
}

#[tokio::test]
async fn taps_are_counted_and_freed() {
    let engine = engine::Engine::new(with_limits(EngineLimits { taps: 2, ..EngineLimits::default() }));
    let session = spawn(&engine, Script::new().hang()).await;
    let first = session.tap(TapOptions::default()).unwrap();
    let _second = session.tap(TapOptions::default()).unwrap();
    assert!(matches!(session.tap(TapOptions::default()), Err(Error::LimitExceeded(_))));
    drop(first);
    session.tap(TapOptions::default()).unwrap();
    session.stop(AT_ONCE).await.unwrap();
    assert!(matches!(session.tap(TapOptions::default()), Err(Error::NotRunning { .. })));
    close(engine).await;
}
