//! Prompts on their way into live sessions.

use std::time::Duration;

use agents::delivery::{DeliveryFailure, DeliveryHold, QueueRefusal};
use agents::{DeliveryOutcome, DeliveryTicket, PromptMessage, PromptQueue, State, StateWatch};
use engine::Origin;
use testkit::wait_until;

use crate::stage::{AN_HOUR, PRESET, Stage, shows, stage, type_by_hand};

fn message(text: &str) -> PromptMessage {
    PromptMessage::new(text.into(), Origin::System)
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// What a bracketed paste of `text` is made of.
fn pasted(text: &str) -> String {
    hex(&format!("\x1b[200~{text}\x1b[201~"))
}

async fn settle(stage: &Stage, watch: &StateWatch, ticket: &DeliveryTicket) -> DeliveryOutcome {
    stage.pass_until("the receipt is final", watch, || ticket.receipt().outcome.is_final()).await;
    ticket.receipt().outcome
}

async fn waits(stage: &Stage, watch: &StateWatch, ticket: &DeliveryTicket, expected: impl Fn(&DeliveryHold) -> bool) {
    let expected = || matches!(ticket.receipt().outcome, DeliveryOutcome::Queued(waiting) if expected(&waiting));
    stage.pass_until("it waits for what is expected", watch, expected).await;
}

fn submitted(proof: &str) -> DeliveryOutcome {
    DeliveryOutcome::Submitted { verified_by: proof.into() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prompts_are_pasted_and_entered_one_after_the_other() {
    let stage = stage();
    let script = r"
        printf '\033[?2004h'; box ''
        A=$(take 17); box 'first'; B=$(take 1); title 'busy'; box ''; take 1 >/dev/null; title 'rest'
        C=$(take 18); box 'second'; D=$(take 1); box ''; printf '%s-%s-%s-%s' $A $B $C $D; forever";
    let watch = stage.agent(script).await;
    let delivery = PromptQueue::new(watch.clone());
    let first = delivery.send(message("1\r日")).unwrap();
    let second = delivery.send(message("second")).unwrap();
    assert_ne!(first.turn_id(), second.turn_id());
    assert_eq!(first.turn_id().to_string().parse(), Ok(first.turn_id()));

    assert_eq!(settle(&stage, &watch, &first).await, submitted("busy title"));
    let receipt = first.receipt();
    let (written, accepted) = (receipt.written_at.unwrap(), receipt.accepted_at.unwrap());
    assert!(accepted.duration_since(written).unwrap() >= Duration::from_millis(200));
    assert!(receipt.queued_at <= written);
    assert_eq!(receipt.enters, 1);

    waits(&stage, &watch, &second, |waiting| *waiting == DeliveryHold::Working).await;
    type_by_hand(&watch, "x");
    assert_eq!(settle(&stage, &watch, &second).await, submitted("empty box"));
    shows(watch.session(), &format!("{}-0d-{}-0d", pasted("1\r日"), pasted("second"))).await;
    stage.end().await;
}

/// Behind a word that opens a list of completions, Enter would choose from it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blank_closes_the_completions_of_the_last_word() {
    let stage = stage();
    let script = r"
        printf '\033[?2004h'; box ''
        A=$(take 19); box 'x'; take 1 >/dev/null; box ''
        B=$(take 19); box 'y'; take 1 >/dev/null; box ''; printf '%s-%s' $A $B; forever";
    let rules = PRESET.replace("\"placeholder\"", "\"completion\": \"(?:^|\\\\s)[$]\\\\S*$\", \"placeholder\"");
    let watch = stage.agent_with(script, &rules).await;
    let delivery = PromptQueue::new(watch.clone());
    for text in ["a $rev", "$rev ab"] {
        let ticket = delivery.send(message(text)).unwrap();
        assert_eq!(settle(&stage, &watch, &ticket).await, submitted("empty box"));
    }
    shows(watch.session(), &format!("{}-{}", pasted("a $rev "), pasted("$rev ab"))).await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_after_the_receipt_is_not_satisfied_by_the_idle_before_it() {
    let stage = stage();
    // Takes the prompt at once, and shows only later that it works.
    let script = r"
        printf '\033[?2004h'; box ''; take 14 >/dev/null; box 'hi'; take 1 >/dev/null; box ''
        take 1 >/dev/null; title 'busy'; take 1 >/dev/null; title 'rest'; forever";
    let watch = stage.agent(script).await;
    let delivery = PromptQueue::new(watch.clone());
    let ticket = delivery.send(message("hi")).unwrap();
    assert_eq!(settle(&stage, &watch, &ticket).await, submitted("empty box"));
    assert_eq!(watch.current().state, State::Working);
    type_by_hand(&watch, "x");
    let busy = || watch.current().detail.contains("busy");
    wait_until("its title says that it works", busy);
    type_by_hand(&watch, "x");
    stage.pass_until("the turn is over", &watch, || watch.current().state == State::Idle).await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_typed_into_a_question() {
    let stage = stage();
    // The first byte it gets must be the answer.
    let script = r"
        printf '\033[?2004h'; ask 'delete?'; A=$(take 1); box ''
        B=$(take 14); box 'hi'; C=$(take 1); box ''; printf '%s-%s-%s' $A $B $C; forever";
    let watch = stage.agent(script).await;
    let delivery = PromptQueue::new(watch.clone());
    let ticket = delivery.send(message("hi")).unwrap();
    waits(
        &stage,
        &watch,
        &ticket,
        |waiting| matches!(waiting, DeliveryHold::Blocked { decision } if decision.detail.contains("delete?")),
    )
    .await;
    stage.pass(Duration::from_secs(20)).await;
    assert!(!ticket.receipt().outcome.is_final());
    type_by_hand(&watch, "n");
    assert_eq!(settle(&stage, &watch, &ticket).await, submitted("empty box"));
    shows(watch.session(), &format!("6e-{}-0d", pasted("hi"))).await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_comes_up_after_the_paste_is_not_answered_by_our_enter() {
    let stage = stage();
    let script = r"
        printf '\033[?2004h'; box ''; A=$(take 14); ask 'trust?'; B=$(take 1)
        box 'hi'; C=$(take 1); box ''; printf '%s-%s-%s' $A $B $C; forever";
    let watch = stage.agent(script).await;
    let delivery = PromptQueue::new(watch.clone());
    let ticket = delivery.send(message("hi")).unwrap();
    shows_after_time(&stage, &watch, "ALLOW? trust?").await;
    waits(&stage, &watch, &ticket, |waiting| matches!(waiting, DeliveryHold::Blocked { .. })).await;
    stage.pass(Duration::from_secs(10)).await;
    type_by_hand(&watch, "y");
    assert_eq!(settle(&stage, &watch, &ticket).await, submitted("empty box"));
    shows(watch.session(), &format!("{}-79-0d", pasted("hi"))).await;
    stage.end().await;
}

/// The title says for a moment what the preset takes for a prompt, and stops: nothing else changes, and the delivery must
/// notice by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_looked_like_a_prompt_for_a_moment_does_not_hold_a_delivery() {
    let stage = stage();
    let rules = PRESET.replace(
        "{\"name\": \"busy title\", \"when\": {\"title\": \"^busy\"}, \"state\": \"working\"},",
        "{\"name\": \"hint\", \"when\": {\"title\": \"^hint\"}, \"state\": \"blocked\", \"source\": \"screen\",
          \"hold_ms\": 3600000, \"linger_ms\": 0},",
    );
    assert_ne!(rules, PRESET);
    let script = r"
        printf '\033[?2004h'; title 'hint'; box ''; A=$(take 1); title 'rest'
        B=$(take 14); box 'hi'; C=$(take 1); box ''; printf '%s-%s-%s' $A $B $C; forever";
    let watch = stage.agent_with(script, &rules).await;
    stage.pass_until("it is ready", &watch, || watch.readiness().ready).await;
    assert_eq!(watch.current().state, State::Idle);
    let delivery = PromptQueue::new(watch.clone());
    let ticket = delivery.send(message("hi")).unwrap();
    waits(&stage, &watch, &ticket, |waiting| matches!(waiting, DeliveryHold::Blocked { .. })).await;
    type_by_hand(&watch, "x");
    assert_eq!(settle(&stage, &watch, &ticket).await, submitted("empty box"));
    shows(watch.session(), &format!("78-{}-0d", pasted("hi"))).await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_prompt_holds_nothing_though_its_hook_was_the_last_word() {
    let stage = stage();
    let rules = PRESET.replace(
        "{\"name\": \"hook stop\"",
        "{\"name\": \"hook asks\", \"when\": {\"hook\": \"^Ask$\"}, \"state\": \"blocked\", \"kind\": \"permission\"},
         {\"name\": \"hook stop\"",
    );
    let script = r"
        printf '\033[?2004h'; box ''; take 1 >/dev/null; ask 'delete?'; A=$(take 1); box ''
        B=$(take 14); box 'hi'; C=$(take 1); box ''; printf '%s-%s-%s' $A $B $C; forever";
    let watch = stage.agent_with(script, &rules).await;
    stage.pass_until("it is ready", &watch, || watch.readiness().ready).await;
    watch.hook("Ask", "tool=Bash", None);
    type_by_hand(&watch, "x");
    shows(watch.session(), "ALLOW? delete?").await;
    let delivery = PromptQueue::new(watch.clone());
    let ticket = delivery.send(message("hi")).unwrap();
    waits(&stage, &watch, &ticket, |waiting| matches!(waiting, DeliveryHold::Blocked { .. })).await;
    let told = ticket.receipt().outcome;
    let DeliveryOutcome::Queued(waiting) = told else { panic!("{told:?}") };
    assert!(waiting.to_string().starts_with("the agent asks for a permission ("), "{waiting}");
    type_by_hand(&watch, "\x1b");
    assert_eq!(settle(&stage, &watch, &ticket).await, submitted("empty box"));
    shows(watch.session(), &format!("1b-{}-0d", pasted("hi"))).await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_behind_the_first_are_told_what_it_waits_for() {
    let stage = stage();
    let script = r"
        printf '\033[?2004h'; box 'a draft'; A=$(take 1); ask 'first?'; B=$(take 1); box ''
        take 15 >/dev/null; box 'one'; take 1 >/dev/null; box ''; forever";
    let watch = stage.agent_with(script, PRESET).await;
    let delivery = PromptQueue::new(watch.clone());
    let tickets = ["one", "two", "three"].map(|text| delivery.send(message(text)).unwrap());
    let told = |ticket: &DeliveryTicket| match ticket.receipt().outcome {
        DeliveryOutcome::Queued(waiting) => waiting.to_string(),
        other => format!("{other:?}"),
    };
    waits(&stage, &watch, &tickets[0], |waiting| *waiting == DeliveryHold::Draft).await;
    assert!(
        told(&tickets[1]).starts_with("1 prompt is before it, of which the first waits as well: someone has begun")
    );
    assert!(told(&tickets[2]).starts_with("2 prompts are before it, of which the first waits as well: someone"));
    type_by_hand(&watch, "x");
    waits(&stage, &watch, &tickets[0], |waiting| matches!(waiting, DeliveryHold::Blocked { .. })).await;
    assert!(told(&tickets[2]).contains("the agent asks for a permission"), "{}", told(&tickets[2]));
    type_by_hand(&watch, "y");
    settle(&stage, &watch, &tickets[0]).await;
    let next = || !told(&tickets[2]).starts_with("2 prompts");
    stage.pass_until("the last one has moved up", &watch, next).await;
    drop(delivery);
    stage.end().await;
}

async fn shows_after_time(stage: &Stage, watch: &StateWatch, text: &str) {
    stage.pass_until("the text is shown", watch, || watch.session().grid_text().1.contains(text)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_swallowed_the_text_fails_the_prompt() {
    let stage = stage();
    let script = r"printf '\033[?2004h'; box ''; take 14 >/dev/null; ask 'trust?'; take 1 >/dev/null; box ''; printf 'then %s' $(take 1)";
    let watch = stage.agent(script).await;
    let delivery = PromptQueue::new(watch.clone());
    let ticket = delivery.send(message("hi")).unwrap();
    shows_after_time(&stage, &watch, "ALLOW? trust?").await;
    waits(&stage, &watch, &ticket, |waiting| matches!(waiting, DeliveryHold::Blocked { .. })).await;
    type_by_hand(&watch, "y");
    assert_eq!(settle(&stage, &watch, &ticket).await, DeliveryOutcome::Failed(DeliveryFailure::Interrupted));
    type_by_hand(&watch, "z");
    shows(watch.session(), "then 7a").await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_persons_draft_is_never_typed_over() {
    let stage = stage();
    let script = r"
        printf '\033[?2004h'; box 'half a thou'; A=$(take 1); box 'Try this one'
        B=$(take 14); box 'hi'; C=$(take 1); box ''; printf '%s-%s-%s' $A $B $C; forever";
    let watch = stage.agent(script).await;
    let delivery = PromptQueue::new(watch.clone());
    let ticket = delivery.send(message("hi")).unwrap();
    waits(&stage, &watch, &ticket, |waiting| *waiting == DeliveryHold::Draft).await;
    stage.pass(Duration::from_secs(20)).await;
    assert_eq!(ticket.receipt().outcome, DeliveryOutcome::Queued(DeliveryHold::Draft));
    type_by_hand(&watch, "c");
    assert_eq!(settle(&stage, &watch, &ticket).await, submitted("empty box"));
    shows(watch.session(), &format!("63-{}-0d", pasted("hi"))).await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_enter_is_pressed_once_more_and_no_more() {
    let stage = stage();
    let script = r"
        printf '\033[?2004h'; box ''; take 14 >/dev/null; box 'hi'; A=$(take 1); printf lost
        B=$(take 1); box ''; printf '%s-%s' $A $B; forever";
    let watch = stage.agent(script).await;
    let delivery = PromptQueue::new(watch.clone());
    let [under_way, waiting] = ["first", "second"].map(|text| delivery.send(message(text)).unwrap());
    drop(delivery);
    // The queue is gone with its last handle: prompts that were not typed yet are taken back.
    assert_eq!(waiting.receipt().outcome, DeliveryOutcome::Failed(DeliveryFailure::Cancelled));
    wait_until("the task has been stopped", || under_way.receipt().outcome.is_final());
    assert_eq!(under_way.receipt().outcome, DeliveryOutcome::Failed(DeliveryFailure::Cancelled));
    let delivery = PromptQueue::new(watch.clone());
    let ticket = delivery.send(message("hi")).unwrap();
    shows_after_time(&stage, &watch, "lost").await;
    assert_eq!(ticket.receipt().enters, 1);
    stage.clock.advance(AN_HOUR);
    assert_eq!(settle(&stage, &watch, &ticket).await, submitted("empty box"));
    assert_eq!(ticket.receipt().enters, 2);
    shows(watch.session(), "0d-0d").await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_proof_it_fails_after_the_second_enter() {
    let stage = stage();
    let script = r"
        printf '\033[?2004h'; box ''; take 14 >/dev/null; box 'hi'
        take 1 >/dev/null; printf 'lost '; take 1 >/dev/null; printf 'again '; printf 'then %s' $(take 1); forever";
    let watch = stage.agent(script).await;
    let delivery = PromptQueue::new(watch.clone());
    let ticket = delivery.send(message("hi")).unwrap();
    for step in ["lost", "again"] {
        shows_after_time(&stage, &watch, step).await;
        stage.clock.advance(AN_HOUR);
    }
    assert_eq!(settle(&stage, &watch, &ticket).await, DeliveryOutcome::Failed(DeliveryFailure::Unproved));
    stage.pass(Duration::from_secs(10)).await;
    type_by_hand(&watch, "z");
    shows(watch.session(), "then 7a").await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_never_gets_ready_and_what_ends_fail_with_their_reason() {
    let stage = stage();
    let rules = PRESET.replace("\"quiet_ms\": 300", "\"quiet_ms\": 300, \"tools_listed\": true");
    let watch = stage.agent_with("box ''; forever", &rules).await;
    let delivery = PromptQueue::new(watch.clone());
    let ticket = delivery.send(message("hi")).unwrap();
    let next = delivery.send(PromptMessage { timeout: Duration::from_secs(1), ..message("hi") }).unwrap();
    waits(
        &stage,
        &watch,
        &ticket,
        |waiting| matches!(waiting, DeliveryHold::NotReady { missing } if !missing.contains("prompt")),
    )
    .await;
    stage.clock.advance(AN_HOUR);
    let outcome = settle(&stage, &watch, &ticket).await;
    let DeliveryOutcome::Failed(DeliveryFailure::NotReady { waited, missing }) = &outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(*waited, AN_HOUR);
    assert!(missing.contains("patterm's tools"), "{missing}");
    let outcome = settle(&stage, &watch, &next).await;
    assert!(
        matches!(&outcome, DeliveryOutcome::Failed(DeliveryFailure::NotReady { waited, .. }) if *waited == Duration::from_secs(1))
    );

    let last = delivery.send(message("hi")).unwrap();
    type_by_hand(&watch, "q");
    let outcome = settle(&stage, &watch, &last).await;
    assert!(
        matches!(&outcome, DeliveryOutcome::Failed(DeliveryFailure::Ended { detail }) if detail.contains("code 0")),
        "{outcome:?}"
    );
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_without_bracketed_paste_gets_one_line_and_any_output_is_proof() {
    let stage = stage();
    let rules = r#"{"argv": ["x"], "submit": {"proof_ms": 3600000}}"#;
    let watch =
        stage.agent_with("printf 'say: '; A=$(take 5); B=$(take 1); printf '%s-%s' $A $B; forever", rules).await;
    let delivery = PromptQueue::new(watch.clone());
    let ticket = delivery.send(message("a\nb\nc")).unwrap();
    assert_eq!(settle(&stage, &watch, &ticket).await, submitted("output"));
    shows(watch.session(), &format!("{}-0d", hex("a b c"))).await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_is_bounded_and_says_so() {
    let stage = stage();
    let watch = stage.agent("ask '?'; forever").await;
    let delivery = PromptQueue::new(watch.clone());
    assert_eq!(delivery.send(message(" \n")).unwrap_err(), QueueRefusal::Empty);
    let long = "x".repeat(agents::delivery::MAX_BODY_BYTES + 1);
    assert!(matches!(delivery.send(message(&long)), Err(QueueRefusal::TooLong { .. })));
    let refused = (0..1000).map(|_| delivery.send(message("x"))).find_map(Result::err);
    assert_eq!(refused, Some(QueueRefusal::QueueFull));
    assert!(delivery.waiting() <= 256);
    stage.end().await;
}
