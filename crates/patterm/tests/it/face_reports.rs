//! Status reports of programs: shown on the screen, passed to agents, and reported to the outer terminal.

use serde_json::json;
use vt::{ProgramState, Size};

use crate::{
    screen_stage::Face,
    stage::{PATTERM, Stage},
};

const SIZE: Size = Size { cols: 124, rows: 20 };

#[test]
fn a_script_is_seen_with_its_parts_and_asks_for_the_human() {
    let stage = Stage::new();
    let face = Face::open(&stage, SIZE, &[]);
    let mut operator = face.operator(&stage);
    let script = format!(
        "{PATTERM} status working --app deploy --progress 40; {PATTERM} status working --id deploy/eu --title 'EU West'; \
         echo step one; read x; {PATTERM} status blocked --kind permission --msg 'Go to production?' >/dev/null; \
         read x; {PATTERM} status done --msg Deployed; echo step three; read x"
    );
    let deploy = operator.spawn(&["sh", "-c", &script]);
    face.shows("it runs", "step one");
    face.shows("its progress", "command-1 +40%");
    face.shows("a row for its part", "EU West");
    face.compare("reports", &[]);
    let outside = |state: ProgramState| {
        face.until("the terminal outside hears of it", |_| {
            face.session.facts().leading_record().is_some_and(|seen| seen.value.state == state)
        });
    };
    outside(ProgramState::Working);

    let other = operator.spawn(&["sh", "-c", "echo elsewhere; exec cat"]);
    face.command("command-2", "Switch to tab: command-2");
    face.shows("another one", "elsewhere");
    operator.call("send_input", json!({ "process_id": deploy, "text": "", "submit": true }));
    face.shows("it waits", "▲ 1 Alt-A");
    outside(ProgramState::Blocked);
    let told = face.session.facts().leading_record().and_then(|seen| seen.value.msg.clone());
    assert_eq!(told.as_deref(), Some("command-1: waits for your permission: Go to production?"));
    let state = operator.call("wait_for_state", json!({ "process_id": deploy, "states": ["blocked"] }));
    assert_eq!((&state["reached"], &state["state"]["source"]), (&json!(true), &json!("self_report")), "{state}");
    face.press("alt-a");
    face.shows("the list", "command-1 +waits for your permission: Go to");
    face.press("enter");
    face.shows("the script", "step one");
    face.press("enter");
    face.shows("it goes on", "step three");
    face.hides("nothing waits", "▲ 1 Alt-A");

    let listed = operator.call("list_processes", json!({ "all": true }));
    let listed = listed["processes"].as_array().expect("a list");
    let of = |id: &str| listed.iter().find(|entry| entry["process_id"] == id).expect("an entry");
    let reports: Vec<_> =
        of(&deploy)["reports"].as_array().expect("reports").iter().map(|report| &report["state"]).collect();
    assert_eq!(reports, ["done", "working"]);
    assert!(of(&other).get("reports").is_none(), "{listed:?}");
    face.command("quit", "Quit");
    face.press("enter");
    face.ended();
    assert!(face.session.facts().status_records.is_empty(), "nothing we said stays behind");
}
