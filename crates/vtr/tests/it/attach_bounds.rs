//! What `vtr attach` prevents: changes when read-only, keys for a session that is a different one, endless bells, and
//! silence about input that may be lost.

use std::time::Instant;

use engine::SessionEvent;
use rustix::process::Signal;
use vt::Size;

use crate::{attach::Attached, stage::Stage};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_attached_read_only_changes_nothing() {
    let stage = Stage::new();
    stage.spawn_cat("one");
    let before = stage.vtr(&["info", "one", "--json"]).json();
    let attached = Attached::start_in(&stage, &["one", "--read-only"], Size { cols: 100, rows: 40 }).await;
    attached.shows("READ ONLY").await;
    // Ending, removing, renaming, starting, recording: refused before anything is asked.
    for key in ["k", "r", "c", "R"] {
        attached.press(&format!("ctrl-b {key}"));
        attached.shows("read-only: changes are off").await;
        let text = attached.text();
        assert!(
            !["End a:one", "Name: ", "Start a session on"].iter().any(|title| text.contains(title)),
            "{key}: {text}"
        );
    }
    // Their keys are not listed either, while those for looking are.
    attached.press("ctrl-b ?");
    attached.shows("(?s)help.*Open remote session").await;
    let text = attached.text();
    let changes = ["End or remove", "Rename this", "Start a session", "recording this"];
    assert!(!changes.iter().any(|words| text.contains(words)), "{text}");
    attached.press("esc");
    // Input typed meanwhile would have answered a question.
    attached.press("y");
    attached.shows("typing is off").await;
    attached.detach().await;
    let after = stage.vtr(&["info", "one", "--json"]).json();
    for key in ["name", "status", "cols", "rows", "screen_version"] {
        assert_eq!(before[key], after[key], "{key}");
    }
    assert_eq!(stage.vtr(&["ls", "--json"]).json()["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(stage.vtr(&["record", "one", "status", "--json"]).json()["recording"], false);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_heeds_no_signal_is_told_of_and_can_be_ended() {
    let stage = Stage::new();
    let script = testkit::Script::new().ignore("TERM").ignore("HUP").print("ready\n").hang().argv();
    let words = ["spawn", "one", "--"].into_iter().chain(script.iter().map(|word| word.to_str().unwrap()));
    stage.vtr(&words.collect::<Vec<_>>()).ok();
    let attached = Attached::start(&stage, &["one"]).await;
    attached.shows("ready").await;
    for (answer, signal) in [("y", "TERM"), ("h", "HUP")] {
        attached.press("ctrl-b k");
        attached.shows("End a:one\\?").await;
        attached.press(answer);
        attached.shows(&format!("telling a:one to end \\({signal}\\)")).await;
        attached.shows(&format!("a:one still runs: {signal} did not")).await;
    }
    attached.press("ctrl-b k");
    attached.shows("End a:one\\?").await;
    attached.press("f");
    attached.shows("EXITED SIGKILL").await;
    attached.detach().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_was_removed_keeps_its_name_on_the_screen() {
    let stage = Stage::new();
    stage.spawn_cat("one");
    let attached = Attached::start(&stage, &["one"]).await;
    attached.shows("a:one").await;
    attached.press("ctrl-b k");
    attached.shows("End a:one\\?").await;
    attached.press("r");
    attached.shows("a:one GONE").await;
    attached.shows("GONE: it was removed · Enter leaves").await;
    assert!(!attached.text().contains("p_"), "{}", attached.text());
    assert!(attached.detach().await.contains("[a:one is gone]"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_coordinator_is_told_of_soon_and_so_is_what_was_typed() {
    let mut stage = Stage::new();
    stage.spawn_cat("one");
    let attached = Attached::start(&stage, &["one"]).await;
    attached.shows("a:one").await;
    attached.type_text("before\r");
    attached.shows("(?ms)^before.*^before").await;
    stage.server().signal(Signal::STOP);
    let typed = Instant::now();
    attached.type_text("meanwhile");
    attached.shows("DOES NOT ANSWER").await;
    attached.shows("a does not answer: input is queued").await;
    let sign = typed.elapsed();
    assert!(sign.as_secs() < 10, "{sign:?}");
    stage.server().signal(Signal::CONT);
    // The input was only delayed.
    attached.shows("(?m)^meanwhile").await;
    attached.until("the sign is gone", |text| !text.contains("DOES NOT ANSWER"));

    stage.server().signal(Signal::STOP);
    attached.type_text("never");
    attached.shows("DOES NOT ANSWER").await;
    stage.server().signal(Signal::KILL);
    stage.server().wait();
    attached.shows("(?s)What was typed in the last.*may be lost").await;
    attached.type_text("nowhere");
    attached.shows("not connected: this was not sent").await;
    attached.detach().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_of_the_same_name_is_not_taken_for_the_one_that_was_lost() {
    let mut stage = Stage::new();
    stage.spawn_cat("one");
    let attached = Attached::start(&stage, &["one"]).await;
    attached.shows("a:one").await;
    attached.type_text("before\r");
    attached.shows("(?m)^before").await;
    stage.server().signal(Signal::KILL);
    stage.server().wait();
    attached.shows("LOST").await;
    stage.restart();
    attached.shows("GONE").await;
    stage.spawn_cat("one");
    attached.shows("another session has its name now").await;
    // Its last screen stays, and input does not go to the other session.
    attached.type_text("secret\r");
    attached.shows("this line was not sent").await;
    stage.vtr(&["send", "one", "hello\n"]).ok();
    stage.see("one", "hello");
    assert!(!stage.vtr(&["screen", "one"]).ok().contains("secret"));
    assert!(attached.text().contains("\nbefore"), "{}", attached.text());
    attached.press("ctrl-b w");
    attached.shows("(?s)Sessions.*▸ one").await;
    attached.press("enter");
    attached.shows("(?m)^hello").await;
    attached.type_text("after\r");
    attached.shows("(?m)^after").await;
    attached.detach().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_picker_is_there_while_a_coordinator_is_silent() {
    let mut stage = Stage::new();
    stage.serve("b", &[]);
    stage.write_config(&format!("[[coordinators]]\npath = \"{}/*.sock\"\n", stage.path("run").display()));
    crate::stage::run(stage.bare().args(["spawn", "a:one", "--", "cat"])).ok();
    crate::stage::run(stage.bare().args(["spawn", "b:two", "--", "cat"])).ok();
    stage.server().signal(Signal::STOP);
    let attached = Attached::by_config(&stage, &[]).await;
    // The coordinator that answers is listed, the other one is still being asked; both have 5 s.
    attached.shows("(?s)Sessions asking….*▸ b:two").await;
    attached.type_text("tw");
    attached.shows("> tw").await;
    stage.server().signal(Signal::CONT);
    attached.press("backspace backspace");
    attached.shows("a:one").await;
    attached.press("esc");
    attached.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_nobody_answers_there_is_nothing_to_choose() {
    let stage = Stage::empty();
    std::fs::write(stage.path("run/dead.sock"), "").unwrap();
    let mut like = stage.command(&[]);
    like.env("VTR_SOCKET", stage.path("run/dead.sock"));
    let attached = Attached::run_like(&stage, &like, &["attach"]).await;
    let (status, text) = attached.end().await;
    assert_eq!(status, Some(engine::ExitStatus::Code(4)), "{text}");
    assert!(text.contains("dead did not answer") && text.contains("no coordinator answered"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bells_without_end_ring_twice_a_second() {
    let stage = Stage::new();
    let command = "echo ready; read go; for n in $(seq 400); do printf '\\a%d\\r' $n; done; echo all rang; exec cat";
    stage.vtr(&["spawn", "loud", "--cmd", command]).ok();
    let attached = Attached::start(&stage, &["loud"]).await;
    attached.shows("(?m)^ready").await;
    let mut events = attached.terminal.events();
    let start = Instant::now();
    attached.type_text("\r");
    attached.shows("(?m)^all rang").await;
    let passed = start.elapsed();
    attached.detach().await;
    let mut rings = 0;
    while let Ok(event) = events.try_recv() {
        rings += u128::from(matches!(event, SessionEvent::Child(vt::Effect::Bell)));
    }
    assert!((1..=passed.as_millis() / 500 + 1).contains(&rings), "{rings} in {passed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_does_not_fit_says_so() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "one", "--cols", "40", "--rows", "6", "--cmd", "seq -f 'line %g' 200; exec cat"]).ok();
    stage.see("one", "line 200");
    let attached = Attached::start(&stage, &["one"]).await;
    attached.shows("line 200").await;
    // A session that is smaller than the pane has an edge.
    let text = attached.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[1], format!("line 196{}│", " ".repeat(32)), "{text}");
    assert_eq!(lines[7], format!("{}╯", "─".repeat(40)), "{text}");
    // There are more than 24 rows of keys.
    attached.press("ctrl-b ?");
    attached.shows("(?s)help.*█").await;
    attached.press("end");
    attached.shows("(?s)help.*Shift-drag").await;
    attached.press("esc");
    attached.until("the keys are gone", |text| !text.contains("help ·"));
    // The count does not cut off the key hints.
    attached.press("ctrl-b [");
    attached.shows("copy mode .*/ search").await;
    attached.type_text("/line 77\r");
    attached.shows("copy mode .*search wrapped around · row 77 of.*q back").await;
    attached.press("q");
    attached.until("the live screen is back", |text| !text.contains("copy mode"));
    attached.detach().await;
}
