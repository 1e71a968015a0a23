//! Status reports of scripts by `vtr status`, and where they are shown.

use serde_json::json;
use testkit::wait_until_some;

use crate::stage::{Stage, VTR};

fn reports(stage: &Stage, session: &str, count: usize) -> serde_json::Value {
    wait_until_some("it has reported", || {
        let mut reports = stage.vtr(&["info", session, "--json"]).json()["reports"].take();
        let there = reports.as_array().map_or(0, Vec::len) == count;
        for report in reports.as_array_mut().into_iter().flatten() {
            report.as_object_mut()?.remove("age_ms")?;
        }
        there.then_some(reports)
    })
}

#[test]
fn a_script_says_what_it_does_and_everybody_can_see_it() {
    let stage = Stage::new();
    // Its output is redirected: the report reaches the terminal all the same.
    let script = format!(
        "{VTR} status working --app deploy --progress 40 >/dev/null; {VTR} status blocked --id deploy/eu-west \
         --kind permission --title 'EU West' --msg 'Apply 3\nto add?'; read x; {VTR} status clear --id deploy; read x; exit 3"
    );
    stage.vtr(&["spawn", "deploy", "--", "sh", "-c", &script]).ok();
    assert_eq!(
        reports(&stage, "deploy", 2),
        json!([
            { "state": "working", "progress": 40, "app": "deploy" },
            { "id": "deploy/eu-west", "state": "blocked", "kind": "permission", "app": "deploy", "title": "EU West",
              "msg": "Apply 3 to add?" },
        ])
    );
    let table = stage.vtr(&["ls"]).ok();
    assert!(table.contains("EU West: blocked (permission): Apply 3 to add? (+1)"), "{table}");
    let info = stage.vtr(&["info", "deploy"]).ok();
    assert!(info.contains("deploy: working 40%") && info.contains("EU West: blocked (permission)"), "{info}");
    stage.vtr(&["key", "deploy", "enter"]).ok();
    assert_eq!(reports(&stage, "deploy", 1), json!([{ "state": "working", "progress": 40, "app": "deploy" }]));
    stage.vtr(&["key", "deploy", "enter"]).ok();
    stage.see_end("deploy");
    // The report of ongoing work ends with it.
    assert_eq!(stage.vtr(&["info", "deploy", "--json"]).json().get("reports"), None);
}

#[test]
fn what_can_not_be_reported_is_refused_with_the_way_out() {
    let stage = Stage::new();
    for (words, said) in [
        (&["status", "working", "--id", "a//b"][..], "is no id of a record"),
        (&["status", "done", "--progress", "4"], "progress is told of what is working or blocked"),
        (&["status", "clear", "--msg", "x"], "leave out --msg"),
        (&["status", "busy"], "possible values: idle, working, blocked, done, error, clear"),
    ] {
        let refused = stage.vtr(words);
        assert!(refused.stderr.contains(said), "{words:?}: {}", refused.stderr);
    }
}
