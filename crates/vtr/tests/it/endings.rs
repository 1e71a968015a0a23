//! However `vtr attach` and `vtr play` end, the terminal is restored; and a connection that dies silently is noticed.

use engine::ExitStatus;
use rustix::process::{Pid, Signal, kill_process};
use testkit::{wait_until, wait_until_some};

use crate::{
    attach::Attached,
    stage::{Stage, VTR, is_gone},
};

fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signals_leave_a_sane_terminal_and_the_session() {
    let stage = Stage::new();
    stage.spawn_cat("one");
    for (number, name) in [(Signal::TERM, "TERM"), (Signal::HUP, "HUP"), (Signal::INT, "INT"), (Signal::QUIT, "QUIT")] {
        let attached = Attached::start(&stage, &["one"]).await;
        attached.shows("a:one").await;
        signal(attached.pid(), number);
        // Checks the terminal's modes, screen and cursor.
        let (status, text) = attached.end().await;
        assert_eq!(status, Some(ExitStatus::Code(5)), "{text}");
        assert!(text.contains(&format!("ended by the signal {name}; the session goes on")), "{text}");
    }
    assert_eq!(stage.vtr(&["info", "one", "--json"]).json()["status"], "running");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_leaves_a_sane_terminal_and_can_be_read() {
    if !cfg!(debug_assertions) {
        // A release build can't be made to panic.
        return;
    }
    let stage = Stage::new();
    stage.spawn_cat("one");
    let mut like = stage.command(&[]);
    like.env("VTR_PANIC_ON", "f9");
    let attached = Attached::run_like(&stage, &like, &["attach", "one"]).await;
    attached.shows("a:one").await;
    attached.press("f9");
    let (status, text) = attached.end().await;
    assert_eq!(status, Some(ExitStatus::Code(101)), "{text}");
    assert!(text.contains("asked to panic"), "{text}");
    assert_eq!(stage.vtr(&["info", "one", "--json"]).json()["status"], "running");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_is_ended_like_that_too() {
    let stage = Stage::new();
    let file = stage.path("a.cast");
    std::fs::write(&file, "{\"version\":2,\"width\":20,\"height\":2}\n[0,\"o\",\"played\"]\n[9,\"o\",\"!\"]\n")
        .unwrap();
    for number in [Signal::TERM, Signal::HUP] {
        let player = Attached::run(&stage, &["play", file.to_str().unwrap()]).await;
        player.shows("played").await;
        signal(player.pid(), number);
        let (status, text) = player.end().await;
        assert_eq!(status, Some(ExitStatus::Code(5)), "{text}");
        assert!(text.contains("ended by the signal"), "{text}");
    }
}

/// The helper process that `attach` started, `vtr dial-stdio`.
fn stand_in(of: i32) -> i32 {
    wait_until_some("the stand-in runs", || {
        // Any thread may have started it.
        std::fs::read_dir(format!("/proc/{of}/task")).unwrap().flatten().find_map(|task| {
            let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            children.split_whitespace().next().map(|pid| pid.parse().unwrap())
        })
    })
}

/// Attaches to a session that echoes, through the helper process.
async fn attached_by_command(stage: &Stage) -> Attached {
    stage.write_config(&format!(
        "[[coordinators]]\nname = \"far\"\ncommand = [\"{VTR}\", \"--socket\", \"{}\", \"dial-stdio\"]\n",
        stage.socket().display()
    ));
    stage.spawn_cat("one");
    let attached = Attached::by_config(stage, &["one"]).await;
    attached.shows("far:one").await;
    attached.type_text("before\r");
    attached.shows("(?m)^before").await;
    attached
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a silent line is given 30 seconds"]
async fn a_stand_in_that_stands_still_is_replaced() {
    let stage = Stage::new();
    let attached = attached_by_command(&stage).await;
    let still = stand_in(attached.pid());
    signal(still, Signal::STOP);
    attached.shows("LOST|lost far").await;
    // The last screen stays, another helper process is started, and nothing is left of the first.
    attached.shows("connected again").await;
    attached.type_text("after\r");
    attached.shows("(?m)^after").await;
    wait_until("the one that stood still is gone", || is_gone(still));
    attached.detach().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a silent line is given 30 seconds"]
async fn a_coordinator_that_stands_still_is_noticed_and_found_again() {
    let mut stage = Stage::new();
    let attached = attached_by_command(&stage).await;
    stage.server().signal(Signal::STOP);
    attached.shows("LOST").await;
    assert!(attached.text().contains("\nbefore"), "the last screen stays: {}", attached.text());
    // Input typed now is not meant for the screen that follows.
    attached.type_text("lost words");
    stage.server().signal(Signal::CONT);
    attached.shows("connected again").await;
    attached.type_text("after\r");
    attached.shows("(?m)^after").await;
    assert!(!attached.text().contains("lost words"), "{}", attached.text());
    attached.detach().await;
}
