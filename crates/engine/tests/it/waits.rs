//! Waiting for patterns, quiet and ends.

use std::time::Duration;

use engine::{
    Engine, EngineLimits, ExitStatus, Input, MatchPlace, Origin, PatternScope, QuietOutcome, Session, Status,
    StopRequest, WaitOutcome,
};
use testkit::{DEADLINE, Script};

use crate::stage::*;

const NO_TIME: Duration = Duration::ZERO;

fn type_text(session: &Session, text: &str) {
    session.send(Input::Text(text.into()), Origin::Human).unwrap();
}

fn matched(outcome: WaitOutcome) -> (MatchPlace, String) {
    match outcome {
        WaitOutcome::Matched(found) => (found.place, found.text),
        other => panic!("no match: {other:?}"),
    }
}

#[tokio::test]
async fn the_grid_is_matched_as_one_text() {
    let engine = engine();
    let session = spawn(&engine, Script::new().print("\x1b[2;1HDo you want to proceed?\x1b[3;1H 1. Yes").hang()).await;
    let found = session.wait_for_pattern(wait_for(PatternScope::Grid, r"proceed\?\n 1\. Yes", DEADLINE)).await;
    assert_eq!(matched(found), (MatchPlace::Row(1), "Do you want to proceed?\n 1. Yes".into()));
    close(engine).await;
}

#[tokio::test]
async fn scrollback_sees_the_past_and_the_future() {
    let engine = engine();
    let session = spawn(
        &engine,
        Script::new().print("first\n").flood(50_000).print("middle\n").read_line().print("last\n").hang(),
    )
    .await;
    line(&session, "middle").await;
    // Long gone from the screen.
    assert_eq!(
        matched(session.wait_for_pattern(wait_for(PatternScope::Scrollback, "^first$", NO_TIME)).await),
        (MatchPlace::Line(0), "first".into())
    );
    let later = session.wait_for_pattern(wait_for(PatternScope::Scrollback, "^last$", DEADLINE));
    type_text(&session, "go\n");
    assert_eq!(matched(later.await).1, "last");
    let never = session.wait_for_pattern(wait_for(PatternScope::Scrollback, "never", NO_TIME)).await;
    assert_eq!(never, WaitOutcome::TimedOut { skipped_lines: 0 });
    close(engine).await;
}

#[tokio::test]
async fn a_wrapped_line_is_matched_whole() {
    let engine = engine();
    let long = format!("{}needle{}", "x".repeat(77), "y".repeat(100));
    let session = spawn(&engine, Script::new().print(&long).hang()).await;
    assert_eq!(line(&session, "xneedley").await, long);
    close(engine).await;
}

#[tokio::test]
async fn new_output_is_only_what_came_after_the_call() {
    let engine = engine();
    let session = spawn(
        &engine,
        Script::new()
            .print("ready\nprompt ready> ")
            .read_line()
            .print("more\n")
            .read_line()
            .print("ready again\n")
            .hang(),
    )
    .await;
    line(&session, "prompt").await;
    let old = session.wait_for_pattern(wait_for(PatternScope::NewOutput, "ready", NO_TIME)).await;
    assert_eq!(old, WaitOutcome::TimedOut { skipped_lines: 0 });
    let wait = session.wait_for_pattern(wait_for(PatternScope::NewOutput, "ready", DEADLINE));
    tokio::pin!(wait);
    type_text(&session, "x\n");
    line(&session, "more").await;
    // The echo has changed the line with the old "ready", but nothing new matches.
    assert!(tokio::time::timeout(NO_TIME, wait.as_mut()).await.is_err());
    type_text(&session, "y\n");
    assert_eq!(matched(wait.await).1, "ready again");
    close(engine).await;
}

#[tokio::test]
async fn the_same_words_printed_again_are_new() {
    let engine = engine();
    let page = "\x1b[H\x1b[2JPASSED\r\n";
    let session = spawn(&engine, Script::new().print(page).read_line().print(page).hang()).await;
    line(&session, "PASSED").await;
    let wait = session.wait_for_pattern(wait_for(PatternScope::NewOutput, "PASSED", DEADLINE));
    type_text(&session, "\n");
    assert_eq!(matched(wait.await).1, "PASSED");
    close(engine).await;
}

/// Nothing but the changed cells is printed, so only the screen has the whole word.
#[tokio::test]
async fn a_word_completed_on_the_screen_is_new() {
    let engine = engine();
    let session =
        spawn(&engine, Script::new().print("status: runn\x1b[1;12H").read_line().print("\x1b[1;13Hing").hang()).await;
    line(&session, "runn").await;
    let wait = session.wait_for_pattern(wait_for(PatternScope::NewOutput, "status: running", DEADLINE));
    type_text(&session, "\n");
    assert_eq!(matched(wait.await), (MatchPlace::Line(0), "status: running".into()));
    close(engine).await;
}

#[tokio::test]
async fn the_alternate_screen_is_seen_too() {
    let engine = engine();
    let session = spawn(&engine, Script::new().print("\x1b[?1049h\x1b[5;3Hin the menu").hang()).await;
    let found = session.wait_for_pattern(wait_for(PatternScope::Scrollback, "menu", DEADLINE)).await;
    assert_eq!(matched(found), (MatchPlace::Row(4), "  in the menu".into()));
    close(engine).await;
}

#[tokio::test]
async fn a_mark_makes_send_then_wait_safe() {
    let engine = engine();
    let session = spawn(&engine, Script::new().print("> ").read_line().print("done\n").hang()).await;
    line(&session, ">").await;
    let mark = session.mark();
    type_text(&session, "go\n");
    line(&session, "done").await;
    // The output is there already, but it came after the mark.
    let found = session.wait_for_pattern(wait_for(PatternScope::Since(mark), "^done$", NO_TIME)).await;
    assert_eq!(matched(found).1, "done");
    close(engine).await;
}

#[tokio::test]
async fn lines_that_rush_by_are_found() {
    let engine = engine();
    let session =
        spawn(&engine, Script::new().read_line().flood(400_000).print("needle\n").flood(400_000).print("end\n").hang())
            .await;
    let in_lines = session.wait_for_pattern(wait_for(PatternScope::Scrollback, "needle", DEADLINE));
    let in_output = session.wait_for_pattern(wait_for(PatternScope::NewOutput, "needle", DEADLINE));
    type_text(&session, "\n");
    let (in_lines, in_output) = tokio::join!(in_lines, in_output);
    assert_eq!((matched(in_lines).1, matched(in_output).1), ("needle".into(), "needle".into()));
    close(engine).await;
}

#[tokio::test]
async fn lines_that_left_the_history_unseen_are_counted() {
    let engine = Engine::new(with_limits(EngineLimits { history_lines: 50, ..EngineLimits::default() }));
    let session = spawn(&engine, Script::new().read_line().flood(80_000).print("end\n").hang()).await;
    let wait = session.wait_for_pattern(wait_for(PatternScope::Scrollback, "^end$", DEADLINE));
    tokio::pin!(wait);
    // One look at the empty screen, and none again before 1,000 lines have gone by.
    assert!(tokio::time::timeout(NO_TIME, wait.as_mut()).await.is_err());
    type_text(&session, "\n");
    until("all is printed", || session.grid_text().1.contains("end")).await;
    let WaitOutcome::Matched(found) = wait.await else { panic!("the end is on the screen") };
    // Of 1,000 lines 50 are in history and less than 24 on the screen.
    assert!(found.skipped_lines > 900, "{}", found.skipped_lines);
    close(engine).await;
}

#[tokio::test]
async fn a_wait_ends_with_the_run_after_a_last_look() {
    let engine = engine();
    for scope in [PatternScope::Grid, PatternScope::Scrollback, PatternScope::NewOutput] {
        let session = spawn(&engine, Script::new().read_line().print("last words").exit(4)).await;
        let wait = |text| session.wait_for_pattern(wait_for(scope.clone(), text, DEADLINE));
        let (seen, unseen) = (wait("last words"), wait("never said"));
        type_text(&session, "\n");
        let (seen, unseen) = tokio::join!(seen, unseen);
        assert!(matches!(seen, WaitOutcome::Matched(_)), "{scope:?}: {seen:?}");
        let WaitOutcome::Exited { ending, .. } = unseen else { panic!("{scope:?}: {unseen:?}") };
        assert_eq!(ending.unwrap().exit, Some(ExitStatus::Code(4)));
        // Asked after the end: the past counts, and the answer comes at once.
        let late = wait("last words").await;
        assert_eq!(matches!(late, WaitOutcome::Matched(_)), !matches!(scope, PatternScope::NewOutput), "{late:?}");
    }
    close(engine).await;
}

#[tokio::test]
async fn a_restart_ends_waits_for_the_old_run() {
    let engine = engine();
    let session = spawn(&engine, Script::new().print("up\n").hang()).await;
    line(&session, "up").await;
    let wait = session.wait_for_pattern(wait_for(PatternScope::NewOutput, "never", DEADLINE));
    let ended = session.wait_for_exit(DEADLINE);
    session.restart(StopRequest::default()).await.unwrap();
    let outcome = soon("the wait ends", wait).await;
    assert!(matches!(outcome, WaitOutcome::Exited { .. }), "{outcome:?}");
    assert!(soon("the run's end is seen", ended).await.is_some());
    close(engine).await;
}

#[tokio::test]
async fn dropping_a_wait_frees_it_at_once() {
    let engine = engine();
    let session = spawn(&engine, Script::new().hang()).await;
    let listeners = || session.pulse_listeners();
    let before = listeners();
    let waits: Vec<_> = (0..100)
        .map(|_| tokio::spawn(session.wait_for_pattern(wait_for(PatternScope::Grid, "never", DEADLINE))))
        .collect();
    assert_eq!(listeners(), before + 100);
    for wait in &waits {
        wait.abort();
    }
    for wait in waits {
        assert!(wait.await.unwrap_err().is_cancelled());
    }
    assert_eq!(listeners(), before);
    close(engine).await;
}

#[tokio::test]
async fn quiet_is_measured_by_the_clock() {
    let (engine, clock) = engine_on_fake_time();
    let session = spawn(&engine, Script::new().print("busy\n").read_line().print("more\n").hang()).await;
    line(&session, "busy").await;
    let second = Duration::from_secs(1);
    let quiet = session.wait_for_quiet(second, 60 * second);
    tokio::pin!(quiet);
    assert!(tokio::time::timeout(NO_TIME, quiet.as_mut()).await.is_err());
    clock.advance(second / 2);
    assert!(tokio::time::timeout(NO_TIME, quiet.as_mut()).await.is_err());
    // Output starts the silence anew.
    type_text(&session, "\n");
    line(&session, "more").await;
    clock.advance(second * 9 / 10);
    assert!(tokio::time::timeout(NO_TIME, quiet.as_mut()).await.is_err());
    assert_eq!(session.idle_for(), second * 9 / 10);
    clock.advance(second / 10);
    assert_eq!(soon("it is quiet", quiet).await, QuietOutcome::Quiet { idle: second });

    let longer = session.wait_for_quiet(10 * second, 5 * second);
    clock.advance(5 * second);
    assert_eq!(soon("the time is up", longer).await, QuietOutcome::TimedOut);
    let ended = session.wait_for_quiet(1000 * second, 1000 * second);
    session.stop(AT_ONCE).await.unwrap();
    assert!(matches!(soon("the run has ended", ended).await, QuietOutcome::Exited { .. }));
    close(engine).await;
}

#[tokio::test]
async fn timeouts_are_by_the_clock_and_may_be_endless() {
    let (engine, clock) = engine_on_fake_time();
    let session = spawn(&engine, Script::new().hang()).await;
    let wait = session.wait_for_pattern(wait_for(PatternScope::Grid, "never", Duration::from_secs(30)));
    let endless = tokio::spawn(session.wait_for_pattern(wait_for(PatternScope::Grid, "never", Duration::MAX)));
    clock.advance(Duration::from_secs(30));
    assert!(matches!(soon("the time is up", wait).await, WaitOutcome::TimedOut { .. }));
    assert!(!endless.is_finished());
    session.stop(AT_ONCE).await.unwrap();
    assert!(matches!(endless.await.unwrap(), WaitOutcome::Exited { .. }));
    assert_eq!(session.wait_for_exit(Duration::MAX).await.unwrap().0, Status::Stopped);
    close(engine).await;
}
