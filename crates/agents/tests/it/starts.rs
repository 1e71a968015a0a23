//! Starts that go wrong or take long: each ends in a state and words that say so, within its time. On fake time.

use std::time::Duration;

use agents::delivery::{DeliveryFailure, DeliveryHold};
use agents::{DeliveryOutcome, DeliveryTicket, PromptMessage, PromptQueue, State, StateWatch};
use engine::Origin;

use crate::stage::{PRESET, Stage, shows, stage};

const A_MINUTE: Duration = Duration::from_secs(60);

/// As [`PRESET`], but not ready before the tools were asked for, and given up after a minute.
fn with_tools() -> String {
    PRESET.replace(
        "\"quiet_ms\": 300, \"timeout_ms\": 3600000",
        "\"tools_listed\": true, \"quiet_ms\": 300, \"timeout_ms\": 60000",
    )
}

fn send(watch: &StateWatch) -> (PromptQueue, DeliveryTicket) {
    let delivery = PromptQueue::new(watch.clone());
    let ticket = delivery.send(PromptMessage::new("go".into(), Origin::System)).unwrap();
    (delivery, ticket)
}

async fn settled(stage: &Stage, watch: &StateWatch, ticket: &DeliveryTicket) -> DeliveryOutcome {
    stage.pass_until("the receipt is final", watch, || ticket.receipt().outcome.is_final()).await;
    ticket.receipt().outcome
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifteen_seconds_of_silence_are_a_start_and_the_prompt_waits() {
    let stage = stage();
    // It is silent until somebody lets it go on: a program's own time is not ours to fake.
    let watch = stage.agent("take 1 >/dev/null; box ''; take 3 >/dev/null; title busy; box ''; forever").await;
    let (_delivery, ticket) = send(&watch);
    stage.pass(Duration::from_secs(15)).await;
    assert_eq!(watch.current().state, State::Starting, "{:?}", watch.current());
    let waits = |outcome: DeliveryOutcome| matches!(outcome, DeliveryOutcome::Queued(DeliveryHold::NotReady { .. }));
    assert!(waits(ticket.receipt().outcome), "{:?}", ticket.receipt());
    crate::stage::type_by_hand(&watch, "x");
    assert_eq!(settled(&stage, &watch, &ticket).await, DeliveryOutcome::Submitted { verified_by: "busy title".into() });
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_that_nobody_asks_for_fail_the_prompt_when_the_time_is_up() {
    let stage = stage();
    let watch = stage.agent_with("box ''; forever", &with_tools()).await;
    shows(watch.session(), "--end--").await;
    let (_delivery, ticket) = send(&watch);
    stage.pass(A_MINUTE - Duration::from_secs(1)).await;
    assert!(!ticket.receipt().outcome.is_final(), "its time is not up: {:?}", ticket.receipt());
    stage.pass(Duration::from_secs(2)).await;
    let outcome = settled(&stage, &watch, &ticket).await;
    let DeliveryOutcome::Failed(DeliveryFailure::NotReady { waited, missing }) = &outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(*waited, A_MINUTE);
    assert_eq!(missing, "it has not asked for patterm's tools");
    assert_eq!(watch.current().state, State::Idle, "it shows its prompt all the same");
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_at_the_start_is_told_with_its_code() {
    let stage = stage();
    let watch = stage.agent("printf 'no login\\r\\n'; exit 3").await;
    let (_delivery, ticket) = send(&watch);
    let outcome = settled(&stage, &watch, &ticket).await;
    let DeliveryOutcome::Failed(DeliveryFailure::Ended { detail }) = &outcome else { panic!("{outcome:?}") };
    assert!(detail.contains('3'), "{detail}");
    assert_eq!(watch.current().state, State::Exited);
    assert!(watch.session().grid_text().1.contains("no login"), "what it said can still be read");
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_is_never_ready_and_the_prompt_fails_in_time() {
    let stage = stage();
    let watch = stage.agent_with("while :; do printf 'flood %s\\r\\n' \"$PPID\"; done", &with_tools()).await;
    shows(watch.session(), "flood").await;
    let (_delivery, ticket) = send(&watch);
    stage.pass(A_MINUTE + Duration::from_secs(1)).await;
    let outcome = settled(&stage, &watch, &ticket).await;
    assert!(matches!(&outcome, DeliveryOutcome::Failed(DeliveryFailure::NotReady { .. })), "{outcome:?}");
    assert_eq!(watch.current().state, State::Unknown, "nothing it shows means anything: {:?}", watch.current());
    stage.end().await;
}
