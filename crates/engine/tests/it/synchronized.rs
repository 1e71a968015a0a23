//! Synchronized output (mode 2026) in a session.

use std::time::Duration;

use engine::{Input, Origin};
use testkit::Script;

use crate::stage::*;

#[tokio::test]
async fn a_lost_end_marker_is_ended_by_the_clock() {
    let (engine, clock) = engine_on_fake_time();
    let session = spawn(&engine, Script::new().print("old\x1b[?2026h\x1b[H\x1b[2Jnew").hang()).await;
    until("the update has begun", || session.with_screen(|screen| screen.synchronized_update().is_some())).await;
    // Else the last of it, told late, is taken for the deadline.
    until("all of it is read and told", || {
        let read = session.raw(0, 1000).bytes;
        read.ends_with(b"new") && session.pulse().borrow().output_offset == read.len() as u64
    })
    .await;
    let held = session.frame();
    assert!(held.frame.text().contains("old"));
    clock.advance(Duration::from_millis(149));
    assert!(session.grid_text().1.contains("old"));
    let mut pulse = session.pulse();
    clock.advance(Duration::from_millis(1));
    soon("the deadline moves the session", pulse.changed()).await.unwrap();
    assert!(session.grid_text().1.contains("new"));
    assert!(session.frame().version > held.version);
    close(engine).await;
}

#[tokio::test]
async fn the_deadline_runs_from_the_start_of_each_update() {
    let (engine, clock) = engine_on_fake_time();
    let again = "\x1b[?2026l\x1b[?2026h\x1b[H\x1b[2Jthree";
    let session =
        spawn(&engine, Script::new().print("one\x1b[?2026h\x1b[H\x1b[2Jtwo").read_line().print(again).hang()).await;
    until("the update has begun", || session.raw(0, 1000).bytes.ends_with(b"two")).await;
    clock.advance(Duration::from_millis(100));
    session.send(Input::Text("\n".into()), Origin::Human).unwrap();
    until("the second update has begun", || session.raw(0, 1000).bytes.ends_with(b"three")).await;
    until("it is on the screen", || session.grid_text().1.contains("two")).await;
    // 150 ms after the first began, 50 ms after the second: still held.
    clock.advance(Duration::from_millis(50));
    assert!(session.grid_text().1.contains("two"));
    clock.advance(Duration::from_millis(100));
    until("the second is ended", || session.grid_text().1.contains("three")).await;
    close(engine).await;
}

#[tokio::test]
async fn real_time_ends_it_too() {
    let engine = engine();
    let session = spawn(&engine, Script::new().print("\x1b[?2026hshown").hang()).await;
    line(&session, "shown").await;
    close(engine).await;
}

#[tokio::test]
async fn an_exit_shows_what_was_held_back() {
    let (engine, _clock) = engine_on_fake_time();
    let session = spawn(&engine, Script::new().print("\x1b[?2026hlast picture").exit(0)).await;
    exit(&session).await;
    assert!(session.grid_text().1.contains("last picture"));
    close(engine).await;
}
