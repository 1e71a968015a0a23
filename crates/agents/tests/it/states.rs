//! What live sessions are doing.

use std::time::Duration;

use agents::state::{Behaviour, StateOutcome, VoteStanding};
use agents::{Source, State, StateWatch};
use engine::Kind;
use testkit::{DEADLINE, wait_until};

use crate::stage::{AT_ONCE, shows, stage, type_by_hand};

/// Longer than any test lets pass.
const LONG: Duration = Duration::from_secs(1 << 30);

async fn soon(outcome: impl Future<Output = StateOutcome>) -> StateOutcome {
    tokio::time::timeout(DEADLINE, outcome).await.expect("the wait ends")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_work_while_they_print_and_are_idle_after_silence() {
    let stage = stage();
    let session = stage.spawn(Kind::Command, "printf hello; take 1; printf more; take 1; exit 3").await;
    let watch = StateWatch::new(session, Behaviour::silence(Duration::from_secs(1)));
    shows(watch.session(), "hello").await;
    assert!(matches!(soon(watch.wait_for(&[State::Working], None, LONG)).await, StateOutcome::Reached(_)));
    let idle = watch.wait_for(&[State::Idle], None, LONG);
    stage.clock.advance(Duration::from_secs(1));
    let status = soon(idle).await.status().clone();
    assert_eq!((status.state, status.source), (State::Idle, Some(Source::Silence)));

    // The next idle, not this one.
    let again = watch.wait_for(&[State::Idle], Some(status.changes), LONG);
    type_by_hand(&watch, "x");
    shows(watch.session(), "more").await;
    assert!(matches!(soon(watch.wait_for(&[State::Working], None, LONG)).await, StateOutcome::Reached(_)));
    stage.clock.advance(Duration::from_secs(1));
    assert!(soon(again).await.status().changes > status.changes);

    type_by_hand(&watch, "x");
    let ended = soon(watch.wait_for(&[State::Working], Some(u64::MAX), LONG)).await;
    let StateOutcome::Exited(status) = ended else { panic!("{ended:?}") };
    assert_eq!((status.state, status.detail.as_str()), (State::Exited, "exited with code 3"));
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_starts_works_asks_and_rests_by_its_rules() {
    let stage = stage();
    let script =
        "take 1; box ''; take 1; title 'busy x'; take 1; title 'rest'; ask 'rm -rf x?'; take 1; box 'draft'; forever";
    let watch = stage.agent(script).await;
    assert_eq!(watch.current().state, State::Starting);
    stage.pass(Duration::from_secs(2)).await;
    assert_eq!(watch.current().state, State::Starting, "silence on a blank screen is no idle agent");

    let mut seen = Vec::new();
    for wanted in [State::Idle, State::Working, State::Blocked, State::Idle] {
        let changes = watch.current().changes;
        type_by_hand(&watch, "x");
        let outcome = watch.wait_for(&[wanted], Some(changes), LONG);
        stage.pass_until("the state changes", &watch, || watch.current().changes > changes).await;
        let status = soon(outcome).await.status().clone();
        seen.push((status.state, status.source.unwrap(), status.kind, status.detail.clone()));
        if wanted == State::Blocked {
            let explained = watch.explain();
            let standing =
                |name: &str| explained.votes.iter().find(|vote| vote.evidence.rule == name).unwrap().standing;
            assert_eq!(standing("question"), VoteStanding::Decides);
            assert_eq!(standing("busy title"), VoteStanding::Absent);
            assert_eq!(explained.votes.len(), 5);
        }
    }
    let permission = Some(agents::preset::DecisionKind::Permission);
    assert_eq!(
        seen,
        [
            (State::Idle, Source::Screen, None, "the prompt box is drawn".into()),
            (State::Working, Source::Osc, None, "title 'busy x'".into()),
            (State::Blocked, Source::Screen, permission, "the screen shows 'ALLOW? rm -rf x?'".into()),
            (State::Idle, Source::Screen, None, "the prompt box is drawn".into()),
        ]
    );
    assert_eq!(watch.input(), agents::state::InputText::Text("draft".into()));
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hooks_outrank_the_screen_until_something_newer_speaks_against_them() {
    let stage = stage();
    let watch = stage.agent("box ''; take 1; title 'rest'; forever").await;
    assert!(matches!(soon(watch.wait_for(&[State::Idle], None, LONG)).await, StateOutcome::Reached(_)));
    watch.hook("Work", "turn\u{1b}[2J begins\nand more", None);
    let status = soon(watch.wait_for(&[State::Working], None, LONG)).await.status().clone();
    assert_eq!((status.source, status.detail.as_str()), (Some(Source::SelfReport), "hook Work turn[2J begins"));
    // An interrupted turn: no hook tells, but the title does.
    stage.clock.advance(Duration::from_millis(1));
    type_by_hand(&watch, "x");
    assert!(matches!(soon(watch.wait_for(&[State::Idle], None, LONG)).await, StateOutcome::Reached(_)));
    let explained = watch.explain();
    let work = explained.votes.iter().find(|vote| vote.evidence.rule == "hook working").unwrap();
    assert_eq!(work.standing, VoteStanding::Stale);
    watch.hook("Work", "the next turn", None);
    assert!(matches!(soon(watch.wait_for(&[State::Working], None, LONG)).await, StateOutcome::Reached(_)));
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_run_forgets_what_was_known_of_the_last() {
    let stage = stage();
    let watch = stage.agent("take 1; box ''; forever").await;
    watch.hook("Stop", "", None);
    watch.tools_listed();
    assert!(matches!(soon(watch.wait_for(&[State::Idle], None, LONG)).await, StateOutcome::Reached(_)));
    type_by_hand(&watch, "x");
    stage.pass_until("it is ready", &watch, || watch.readiness().ready).await;
    watch.session().restart(AT_ONCE).await.unwrap();
    assert!(matches!(soon(watch.wait_for(&[State::Starting], None, LONG)).await, StateOutcome::Reached(_)));
    assert!(!watch.readiness().ready);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_has_its_time_and_a_watch_leaves_nothing_behind() {
    let stage = stage();
    let watch = stage.agent("box ''; forever").await;
    let session = watch.session().clone();
    let wait = watch.wait_for(&[State::Blocked], None, Duration::from_secs(5));
    stage.clock.advance(Duration::from_secs(5));
    let outcome = soon(wait).await;
    assert!(matches!(outcome, StateOutcome::TimedOut(_)), "{outcome:?}");
    drop(watch);
    wait_until("nobody listens to the session any more", || session.pulse_listeners() == 0);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readiness_names_what_is_missing() {
    let stage = stage();
    let rules =
        r#"{"argv": ["x"], "ready_signal": {"tools_listed": true, "when": {"screen": "prompt>"}, "quiet_ms": 300}}"#;
    let watch = stage.agent_with("take 1; printf 'prompt>'; forever", rules).await;
    stage.pass(Duration::from_secs(2)).await;
    let missing = watch.readiness().missing;
    assert_eq!(missing, ["it has not asked for patterm's tools", "its prompt is not there"]);
    watch.tools_listed();
    stage.pass_until("the tools count", &watch, || watch.readiness().missing == ["its prompt is not there"]).await;
    type_by_hand(&watch, "x");
    shows(watch.session(), "prompt>").await;
    stage.pass_until("it is ready", &watch, || watch.readiness().ready).await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_session_ends_its_waits() {
    let stage = stage();
    let watch = stage.agent("box ''; forever").await;
    let wait = watch.wait_for(&[State::Blocked], None, LONG);
    watch.session().remove(AT_ONCE).await.unwrap();
    assert!(matches!(soon(wait).await, StateOutcome::Exited(_)));
    stage.end().await;
}
