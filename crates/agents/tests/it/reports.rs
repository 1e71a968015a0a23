//! Reports of a state: made from a live session, masked, and replayed as the file that people send.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use agents::State;
use agents::preset::{Shipped, parse_agent};
use agents::report::{Redaction, ReportRequest, StateReport};
use agents::state::Behaviour;

use crate::stage::{PRESET, preset, shows, stage, type_by_hand};

fn redaction() -> Redaction {
    let token = (OsString::from("MY_API_KEY"), OsString::from("very secret words"));
    Redaction::new(Path::new("/home/alice"), &[token])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_replays_to_the_state_that_was_told() {
    let stage = stage();
    let script = r"
        title 'busy /home/alice/x'; box ''; take 1 >/dev/null
        printf 'very secret words of alice\r\n'; ask 'may I?'; forever";
    let watch = stage.agent(script).await;
    shows(watch.session(), "--end--").await;
    let preset = preset(PRESET);
    let redaction = redaction();
    let made = |within: u64, should_be| {
        let request = ReportRequest {
            preset: &preset,
            version: None,
            within: Duration::from_secs(within),
            should_be,
            patterm: "test",
            redaction: &redaction,
        };
        StateReport::of(&watch, request).to_text()
    };
    let behaviour = Behaviour::from(&preset);
    let read = |text: &str| StateReport::parse(text).unwrap();
    stage.pass_until("it works", &watch, || watch.current().state == State::Working).await;
    let working = read(&made(60, None));
    assert_eq!((working.state, working.replay(&behaviour).unwrap()), (State::Working, State::Working));
    // What came before the time that it holds is on its first screen.
    stage.pass(Duration::from_secs(120)).await;
    let later = read(&made(60, Some(State::Idle)));
    assert_eq!(later.replay(&behaviour).unwrap(), State::Working, "its title is still there");
    assert_eq!(later.should_be, Some(State::Idle));

    type_by_hand(&watch, "x");
    shows(watch.session(), "ALLOW? may I?").await;
    stage.pass_until("it asks", &watch, || watch.current().state == State::Blocked).await;
    let text = made(60, None);
    let asks = read(&text);
    assert_eq!((asks.state, asks.replay(&behaviour).unwrap()), (State::Blocked, State::Blocked));
    for masked in ["alice", "very secret words"] {
        assert!(!text.contains(masked), "{text}");
    }
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_hook_said_is_part_of_the_report() {
    let stage = stage();
    let watch = stage.agent("box ''; forever").await;
    shows(watch.session(), "--end--").await;
    stage.pass_until("it is idle", &watch, || watch.current().state == State::Idle).await;
    watch.hook("Work", "in /home/alice", None);
    stage.pass(Duration::from_secs(1)).await;
    let preset = preset(PRESET);
    let redaction = redaction();
    let within = Duration::from_secs(30);
    let request =
        ReportRequest { preset: &preset, version: None, within, should_be: None, patterm: "t", redaction: &redaction };
    let text = StateReport::of(&watch, request).to_text();
    let report = StateReport::parse(&text).unwrap();
    assert_eq!(report.replay(&Behaviour::from(&preset)).unwrap(), State::Working);
    assert!(text.contains("/home/uuuuu") && !text.contains("alice"), "{text}");
    stage.end().await;
}

#[test]
fn a_hostile_report_is_refused_or_replayed_without_harm() {
    let good = r#"{"format": 1, "patterm": "", "agent": "x", "rules_version": 0, "cols": 65535, "rows": 65535,
        "screen": "", "output": "Gw==", "reads": [[1e300, 9999999], [-5.0, 0]], "ended": -1.0,
        "hook": {"name": "x", "detail": "", "at": -1e308}, "state": "idle", "votes": [], "rules": {}}"#;
    let behaviour = Behaviour::from(&preset(PRESET));
    StateReport::parse(good).unwrap().replay(&behaviour).unwrap();
    for (from, to) in
        [("\"format\": 1", "\"format\": 2"), ("Gw==", "%%"), ("\"idle\"", "\"sleeping\""), ("{\"format\"", "[")]
    {
        let bad = good.replace(from, to);
        let read = StateReport::parse(&bad).and_then(|report| report.replay(&behaviour));
        assert!(!read.unwrap_err().to_string().is_empty(), "{to}");
    }
}

/// Reports that people sent, beside the recordings: whoever mends the rules says in `should_be` what is right.
#[test]
fn reports_among_the_recordings_have_the_state_that_they_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recordings/agents");
    let mut judged = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".report.json") {
            continue;
        }
        let report = StateReport::parse(&std::fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let shipped = Shipped::of_recording(&name).unwrap_or_else(|| panic!("{name} is not named after its preset"));
        let behaviour = Behaviour::from(&parse_agent(Path::new(shipped.file_name), shipped.text).unwrap().preset);
        let should_be = report.should_be.unwrap_or_else(|| panic!("{name} does not say what it should be"));
        assert_eq!(report.replay(&behaviour).unwrap(), should_be, "{name}");
        judged += 1;
    }
    assert!(judged > 0, "no report was judged");
}
