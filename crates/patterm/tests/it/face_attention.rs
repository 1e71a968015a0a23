//! Who waits for the person: what is shown, where it is listed, and what it must not do.

use std::{thread, time::Duration};

use serde_json::json;
use vt::{Effect, Size, input::FocusChange};

use crate::{
    screen_stage::Face,
    stage::{Stage, sleeps},
};

const SIZE: Size = Size { cols: 124, rows: 20 };

#[test]
fn a_call_for_the_human_is_shown_listed_and_over_when_looked_at() {
    let stage = Stage::new();
    let mut face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    let one = operator.spawn(&["sh", "-c", "echo this is one; printf '\\033[?1004h'; exec cat"]);
    face.shows("the first", "this is one");
    operator.spawn(&["sh", "-c", "echo this is two; exec cat"]);
    face.shows("its tab", "command-2");
    face.command("command-2", "Switch to tab: command-2");
    face.shows("the second", "this is two");
    let ask = json!({ "process_id": one, "reason": "shall I\u{1b}[2J delete it?" });
    operator.call("request_human_attention", ask.clone());
    face.shows("a notice", "command-1: shall I \\[2J delete it\\?");
    face.shows("its tab stands out", "▲ command-1!");
    face.compare("attention", &[]);
    let sign = face.find("▲ command-1!");
    let frame = face.frame();
    let blinks = |col: u16| {
        let cell = frame.rows[usize::from(sign.row)].cells().find(|cell| cell.col as u16 == col);
        cell.is_some_and(|cell| cell.run.style.attributes.contains(vt::Attributes::BLINK))
    };
    assert!(blinks(sign.col), "the host is asked to blink it");
    assert!(!blinks(sign.col + 2), "its name stands still");
    face.shows("what is in sight stays", "this is two");

    // The count stands in the status line for as long as it waits, and is a way to the list.
    face.shows("how much waits", "▲ 1 Alt-A");
    face.click_on("▲ 1 Alt-A");
    face.shows("the list", "▲ command-1 +shall I");
    face.press("esc");
    face.hides("the list", "needs you ─");
    face.press("alt-shift-a");
    face.shows("what waited", "this is one");
    face.shows("it is looked at", " command-1 ");
    face.hides("nothing waits", "▲ 1");

    // Away from the terminal: the host is told.
    face.focus(FocusChange::Lost);
    face.shows("the program in sight hears of it", "\\^\\[\\[O");
    operator.call("request_human_attention", ask);
    let notice = face.asks("a notification", |effect| match effect {
        Effect::Notification(notice) => Some(notice),
        _ => None,
    });
    assert!(notice.body.contains("command-1: shall I [2J delete it?"), "{notice:?}");
    face.shows("its tab stands out, though it is in sight", "▲ command-1!");
    face.focus(FocusChange::Gained);
    face.hides("seen when the person is back", "command-1!");
}

#[test]
fn the_open_list_follows_what_comes() {
    let stage = Stage::new();
    let face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    let first = operator.spawn(&["sh", "-c", "echo this is one; exec cat"]);
    // In sight before the others come: of several that it hears of at once, the newest may be shown.
    face.shows("the first", "this is one");
    let [second, _] = [(); 2].map(|()| operator.spawn(&["sh", "-c", "exec cat"]));
    face.shows("the tabs", "command-3");
    face.command("command-3", "Switch to tab: command-3");
    operator.call("request_human_attention", json!({ "process_id": first, "reason": "first question" }));
    face.shows("a notice", "command-1: first question");
    face.press("alt-a");
    face.shows("the list", "needs you ─");
    operator.call("request_human_attention", json!({ "process_id": second, "reason": "second question" }));
    face.shows("the second one in the list", "▲ command-2 +second question");
}

#[test]
fn nothing_moves_under_the_hands_of_a_person_who_types() {
    let stage = Stage::new();
    stage.write_config(r#"{ "attention": { "auto_focus": true } }"#);
    let face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    let one = operator.spawn(&["sh", "-c", "echo this is one; exec cat"]);
    face.shows("the first", "this is one");
    let two = operator.spawn(&["sh", "-c", "echo this is two; exec cat"]);
    face.shows("its tab", "command-2");
    face.type_text("typing");
    face.shows("it is typed", "typing");
    operator.call("select_process", json!({ "process_id": two }));
    face.shows("advice, said instead of done", "suggests looking at command-2");
    operator.call("request_human_attention", json!({ "process_id": two, "reason": "now!" }));
    face.shows("a notice", "command-2: now!");
    face.shows("still the first", "this is one");
    let _ = one;
}

#[test]
fn an_agent_that_waits_for_a_decision_is_listed_until_it_goes_on() {
    let stage = Stage::new();
    let asks = r#"{ "ask_permission": { "command": "rm -rf build", "approved": [{ "say": "done" }] } }"#;
    stage.install_scripted("claude", &format!(r#"{{ "reactions": [{{ "do": [{asks}] }}] }}"#));
    let face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    let agent = operator.spawn_agent("claude", "worker", "");
    face.shows("its tab", "worker");
    operator.spawn(&["sh", "-c", "echo elsewhere; exec cat"]);
    face.shows("the other tab", "command-1");
    face.command("command-1", "Switch to tab: command-1");
    face.shows("another tab", "elsewhere");
    operator.call("send_message", json!({ "target_process_id": agent, "message": "clean up" }));
    face.shows("the agent is stuck, and that is said", "worker!");
    operator.call("send_input", json!({ "process_id": agent, "kind": "key", "key": "enter" }));
    face.hides("it goes on", "worker!");
}

#[test]
fn prompts_that_wait_are_seen_with_their_reason() {
    let stage = Stage::new();
    let asks = r#"{ "ask_permission": { "command": "rm -rf build", "approved": [{ "say": "done" }] } }"#;
    stage.install_scripted("claude", &format!(r#"{{ "reactions": [{{ "do": [{asks}] }}] }}"#));
    let face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    let agent = operator.spawn_agent("claude", "worker", "");
    face.shows("it rests", "worker idle");
    operator.call("send_message", json!({ "target_process_id": agent, "message": "clean up" }));
    face.shows("it asks", "worker blocked");
    let reply = operator.call("send_message", json!({ "target_process_id": agent, "message": "and then rest" }));
    assert_eq!(reply["delivery"], "queued", "{reply}");
    // The first one may still be on its way when the second is sent.
    face.shows("in the rail", "worker +1 queued");
    face.shows("in the status line", "1 prompt waits");
    face.command("waiting prompts", "Waiting prompts…");
    face.shows("in the list", "worker: 1 prompt.*asks for a permission");
    face.press("esc");
    operator.call("send_input", json!({ "process_id": agent, "kind": "key", "key": "enter" }));
    face.hides("it was typed", "1 queued|1 prompt waits");
}

#[test]
fn twenty_quiet_sessions_wake_nobody_while_something_waits() {
    let stage = Stage::new();
    let face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    let first = operator.spawn(&["sh", "-c", "echo this is one; exec cat"]);
    face.shows("the first", "this is one");
    (0..19).for_each(|_| drop(operator.spawn(&["sh", "-c", "exec cat"])));
    face.command("command-20", "Switch to tab: command-20");
    operator.call("request_human_attention", json!({ "process_id": first, "reason": "look at this" }));
    face.shows("a notice", "command-1: look at this");
    face.hides("the notice has gone", "command-1: look at this");
    // Times on the screen move once a minute: of the seconds until then most are quiet from end to end.
    testkit::wait_until("nothing wakes for a whole second", || {
        let before = sleeps(face.pid());
        thread::sleep(Duration::from_secs(1));
        sleeps(face.pid()) == before
    });
    face.shows("it still waits", "▲ 1");
}

#[test]
fn a_message_behind_a_draft_is_said_and_its_agent_is_not_shown_as_working() {
    let stage = Stage::new();
    stage.install_fake("claude", "echo");
    let face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    let agent = operator.spawn_agent("claude", "lead", "");
    face.shows("it rests", "lead idle");
    face.type_text("half a thought");
    face.shows("the draft", "half a thought");
    operator.call("send_message", json!({ "target_process_id": agent, "message": "the report" }));
    face.shows("what waits", "1 message for lead waits for your draft");
    face.shows("the truth of the agent", "lead idle");
    face.shows("in the rail", "○ lead +1 held back");
    face.shows("in the status line", "▲ 1 Alt-A");
    face.press("alt-a");
    face.shows("in the list", "▲ lead +1 message for lead waits for your draft");
    face.press("esc");
    face.press("enter");
    face.shows("it arrives once the draft is sent", "the report");
    face.hides("nothing is held back", "▲ 1 Alt-A|held back");
}

#[test]
fn what_waits_is_in_sight_though_its_tab_has_no_room() {
    let stage = Stage::new();
    let face = Face::open(&stage, Size::new(80, 24), &[]);
    let mut operator = face.operator(&stage);
    let first = operator.spawn(&["sh", "-c", "echo this is one; exec cat"]);
    face.shows("the first", "this is one");
    (0..6).for_each(|_| drop(operator.spawn(&["sh", "-c", "exec cat"])));
    face.command("command-7", "Switch to tab: command-7");
    face.hides("the first tab has no room", "command-1");
    operator.call("request_human_attention", json!({ "process_id": first, "reason": "look at this" }));
    face.shows("a mark where it would be", "‹ \\d ▲");
    face.shows("a count in the last row", "▲ 1 Alt-A");
    face.click_on("‹ \\d ▲");
    face.shows("the mark leads to it", "this is one");
    face.shows("tabs behind it are counted too", "\\d ›");
}

#[test]
fn a_bell_or_a_notice_out_of_sight_is_passed_on_once() {
    let stage = Stage::new();
    let mut face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    let rings = r"echo this is one; read a; printf '\a\a\a'; read a; printf '\033]9;tests are done\a'; exec cat";
    let first = operator.spawn(&["sh", "-c", rings]);
    face.shows("the first", "this is one");
    operator.spawn(&["sh", "-c", "echo this is two; exec cat"]);
    face.command("command-2", "Switch to tab: command-2");
    face.shows("the second", "this is two");
    let mut enter = || drop(operator.call("send_input", json!({ "process_id": first, "kind": "key", "key": "enter" })));
    enter();
    face.shows("who rang", "command-1 rang the bell");
    face.shows("its tab has news", "◆ command-1");
    face.asks("the bell", |effect| (effect == Effect::Bell).then_some(()));
    face.command("command-1", "Switch to tab: command-1");
    face.shows("it is looked at", "this is one");
    face.command("command-2", "Switch to tab: command-2");
    face.shows("the second again", "this is two");
    enter();
    face.shows("what it says", "command-1: tests are done");
}

#[test]
fn a_blocked_agent_behind_six_terminals_is_counted_shown_by_one_key_and_answered_by_one() {
    let stage = Stage::new();
    let asks = r#"{ "ask_permission": { "command": "make all", "approved": [{ "say": "all of it is made" }] } }"#;
    stage.install_scripted("claude", &format!(r#"{{ "reactions": [{{ "do": [{asks}] }}] }}"#));
    let face = Face::open(&stage, Size::new(80, 24), &[]);
    let mut operator = face.operator(&stage);
    let agent = operator.spawn_agent("claude", "worker", "");
    face.shows("its tab", "worker");
    for number in 1..=6 {
        face.command("new terminal", "New terminal");
        face.shows("its tab", &format!("terminal-{number}"));
    }
    operator.call("send_message", json!({ "target_process_id": agent, "message": "make it" }));
    face.shows("the count in the last row", r"▲ 1 Alt-A[^\n]*\n?$");
    face.press("alt-a");
    face.shows("who, what and the answers", r"(?s)needs you ─.*▲ worker .*make all.*o allow once.*▲ 1 Alt-A");
    // A key counts only after the question has been in sight for a moment.
    face.press_until("o", "it is answered", |screen| !screen.contains("needs you"));
    face.hides("nothing waits", "▲ 1");
    let went_on = json!({ "process_id": agent, "pattern": "all of it is made", "scope": "grid" });
    assert_eq!(operator.call("wait_for_pattern", went_on)["matched"], json!(true));
}

#[test]
fn the_inbox_denies_goes_on_to_the_next_and_opens_what_asks() {
    let stage = Stage::new();
    let asks = |command: &str| {
        format!(r#"{{ "ask_permission": {{ "command": "{command}", "refused": [{{ "say": "left alone" }}] }} }}"#)
    };
    stage.install_scripted("claude", &format!(r#"{{ "reactions": [{{ "do": [{}] }}] }}"#, asks("make all")));
    let face = Face::open(&stage, Size::new(80, 24), &[]);
    let mut operator = face.operator(&stage);
    let agents = ["one", "two"].map(|name| operator.spawn_agent("claude", name, ""));
    operator.spawn(&["sh", "-c", "echo elsewhere; exec cat"]);
    face.command("command-1", "Switch to tab: command-1");
    for agent in &agents {
        operator.call("send_message", json!({ "target_process_id": agent, "message": "make it" }));
    }
    face.shows("both wait", "▲ 2 Alt-A");
    face.press("alt-a");
    face.shows("both", r"(?s)needs you 1/2.*▲ (one|two) .*▲ (one|two) ");
    face.press("alt-a");
    face.shows("the second", "needs you 2/2");
    face.press_until("d", "one is answered", |screen| !screen.contains("/2 "));
    face.shows("one is left", "▲ 1 Alt-A");
    face.press("enter");
    face.hides("it is closed", "needs you");
    face.shows("the one that asks", "make all");
}

#[test]
fn the_end_of_a_program_that_ran_for_long_is_told_to_somebody_who_looks_elsewhere() {
    let stage = Stage::new();
    stage.write_config(r#"{ "attention": { "long_command_seconds": 1 } }"#);
    let face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    let script = "echo this is one; read line; exit 3";
    let long = operator.spawn(&["sh", "-c", script]);
    face.shows("the first", "this is one");
    operator.spawn(&["sh", "-c", "echo this is two; exec cat"]);
    face.command("command-2", "Switch to tab: command-2");
    face.shows("the second", "this is two");
    // What a quick program says of its end is nothing to interrupt anybody for.
    operator.spawn(&["true"]);
    face.shows("a quick one has ended", "[■◆] command-3");
    // It has to run for a second.
    let waits = json!({ "process_id": long, "pattern": "never printed", "timeout_seconds": 1.2 });
    operator.call("wait_for_pattern", waits);
    operator.call("send_input", json!({ "process_id": long, "text": "" }));
    face.shows("its end is told", "command-1 ended after [0-9]+s: exit 3");
    assert!(!face.text().contains("command-3 ended"), "{}", face.text());
}
