//! Who waits for the person: what is shown, where it is listed, and what it must not do.

use serde_json::json;
use vt::{Effect, Size, input::Focus};

use crate::{screen_stage::Face, stage::Stage};

const SIZE: Size = Size { cols: 90, rows: 20 };

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
    face.shows("its tab stands out", "[▲◆] command-1!");
    face.compare("attention", &[("[▲◆] command-1!", "▲ command-1!"), (" +\\d+s\\b", "Ns")]);
    face.shows("what is in sight stays", "this is two");

    face.command("next one that waits", "Go to the next one");
    face.shows("what waited", "this is one");
    face.shows("it is looked at", " command-1 ");

    // Away from the terminal: the host is told.
    face.focus(Focus::Lost);
    face.shows("the program in sight hears of it", "\\^\\[\\[O");
    operator.call("request_human_attention", ask);
    let notice = face.asks("a notification", |effect| match effect {
        Effect::Notification(notice) => Some(notice),
        _ => None,
    });
    assert!(notice.body.contains("command-1: shall I [2J delete it?"), "{notice:?}");
    face.shows("its tab stands out, though it is in sight", "[▲◆] command-1!");
    face.focus(Focus::Gained);
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
    face.command("what waits", "What waits for you");
    face.shows("the list", "what waits for you");
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
    face.shows("advice, said instead of done", "would show you command-2");
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
