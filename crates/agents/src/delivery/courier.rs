//! Delivers one prompt: waits until it can be typed, pastes it, pauses, presses Enter, looks for proof.

use std::time::{Duration, Instant};

use engine::{Clock, Input, Pulse, Session};
use tokio::sync::watch;
use vt::input::{Key, KeyEvent};

use super::queue::{QueuedPrompt, ReceiptSender, SharedQueue};
use super::receipt::{DeliveryFailure, DeliveryHold};
use crate::preset::Submit;
use crate::state::{AgentSnapshot, InputText, Matcher, PendingDecision, State, StateBoard, StateWatch};

/// Every CLI tried needs less than this between a paste and its Enter.
const MIN_ENTER_DELAY: Duration = Duration::from_millis(150);
/// A long paste takes time to draw; Enter waits until output has paused for this long…
const PASTE_SETTLES: Duration = Duration::from_millis(50);
/// …but no longer than this: some agents never stop drawing.
const MAX_PASTE_SETTLES: Duration = Duration::from_secs(2);
/// How long Enter waits for the text to appear in the prompt box. Opencode took 1.4 s on a busy machine.
const MAX_TEXT_UNSEEN: Duration = Duration::from_secs(10);
/// Time limit for a child that does not read its input.
const MAX_WRITE: Duration = Duration::from_secs(10);
/// Silence after which a prompt may be typed if nothing tells what the agent is doing.
const UNCLEAR_SILENCE: Duration = Duration::from_secs(1);
/// Minimum interval between two checks. Real time: it only affects how often.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

pub(super) async fn deliver(watch: &StateWatch, queue: &SharedQueue, prompt: QueuedPrompt) {
    let QueuedPrompt { message, receipt_sender } = prompt;
    let mut courier = PromptCourier {
        watch,
        session: watch.session(),
        submit: &watch.behaviour().submit,
        clock: watch.clock(),
        board: watch.board(),
        pulse: watch.session().pulse(),
        queue,
        receipt_sender: &receipt_sender,
        begun: watch.clock().now(),
    };
    let delivered = async {
        courier.wait_for_gate(message.timeout).await?;
        courier.type_text(&message).await?;
        courier.press_enter_when_safe(&message).await
    };
    match delivered.await {
        Ok(verified_by) => receipt_sender.submitted(verified_by),
        Err(why) => receipt_sender.failed(why),
    }
}

struct PromptCourier<'a> {
    watch: &'a StateWatch,
    session: &'a Session,
    submit: &'a Submit,
    clock: &'a Clock,
    board: watch::Receiver<StateBoard>,
    pulse: watch::Receiver<Pulse>,
    queue: &'a SharedQueue,
    receipt_sender: &'a ReceiptSender,
    begun: Instant,
}

/// What to do with a prompt now.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TypingGate {
    Open,
    Closed(DeliveryHold),
    /// The run is over.
    Gone {
        detail: String,
    },
}

impl PromptCourier<'_> {
    /// Returns when the prompt may be typed.
    async fn wait_for_gate(&mut self, timeout: Duration) -> Result<(), DeliveryFailure> {
        let ready_timeout = Duration::from_millis(self.watch.behaviour().ready_signal.timeout_ms).min(timeout);
        loop {
            self.board.mark_unchanged();
            let glance = self.watch.glance();
            let silence = self.clock.now().saturating_duration_since(self.session.last_output());
            let (waiting, limit) = match gate(&glance, self.submit, silence) {
                TypingGate::Open => return Ok(()),
                TypingGate::Gone { detail } => return Err(DeliveryFailure::Ended { detail }),
                TypingGate::Closed(waiting @ DeliveryHold::NotReady { .. }) => (waiting, ready_timeout),
                TypingGate::Closed(waiting) => (waiting, timeout),
            };
            let deadline = self.begun.checked_add(limit);
            if deadline.is_some_and(|deadline| deadline <= self.clock.now()) {
                return Err(match waiting {
                    DeliveryHold::NotReady { missing } => DeliveryFailure::NotReady { waited: limit, missing },
                    other => DeliveryFailure::TimedOut { waited: limit, reason: other.to_string() },
                });
            }
            let unclear = matches!(waiting, DeliveryHold::Unclear { .. });
            self.waits_for(waiting);
            let silent_at = if unclear { self.session.last_output().checked_add(UNCLEAR_SILENCE) } else { None };
            let wake = [deadline, silent_at.filter(|at| *at > self.clock.now())].into_iter().flatten().min();
            tokio::select! {
                // The sender is in `watch`.
                _ = self.board.changed() => {}
                () = until(self.clock, wake) => {}
            }
        }
    }

    fn waits_for(&self, waiting: DeliveryHold) {
        self.queue.first_waits_for(waiting.clone());
        self.receipt_sender.waits_for(waiting);
    }

    /// A pending decision, according to a fresh look at the screen.
    fn pending(&self) -> Option<PendingDecision> {
        pending(&self.watch.glance())
    }

    async fn type_text(&mut self, message: &super::PromptMessage) -> Result<(), DeliveryFailure> {
        self.waits_for(DeliveryHold::Typing);
        let bracketed = self.session.with_screen(|screen| screen.input_modes().bracketed_paste);
        // Without brackets, each line end would submit the text before it.
        let mut text = if bracketed { message.text.clone() } else { message.text.replace('\n', " ") };
        if self.submit.completion.as_ref().is_some_and(|completion| completion.is_match(&text)) {
            text.push(' ');
        }
        self.send(Input::Paste(text), message.origin).await?;
        self.receipt_sender.written();
        let written = self.clock.now();
        let delay = Duration::from_millis(self.submit.enter_delay_ms).max(MIN_ENTER_DELAY);
        until(self.clock, written.checked_add(delay)).await;
        self.wait_until_seen(written).await;
        self.session.wait_for_quiet(PASTE_SETTLES, MAX_PASTE_SETTLES).await;
        Ok(())
    }

    /// Enter must not overtake the text, and an empty prompt box is proof only after a full one.
    async fn wait_until_seen(&mut self, written: Instant) {
        let deadline = written.checked_add(MAX_TEXT_UNSEEN);
        while self.submit.input_box.is_some()
            && self.input_now() == InputText::Empty
            && deadline.is_none_or(|deadline| deadline > self.clock.now())
        {
            tokio::select! {
                // The sender is in the session.
                _ = self.pulse.changed() => {}
                () = until(self.clock, deadline) => {}
            }
        }
    }

    async fn send(&self, input: Input, origin: engine::Origin) -> Result<(), DeliveryFailure> {
        let not_typed = |error: engine::Error| match error {
            engine::Error::NotRunning { status, .. } => DeliveryFailure::Ended { detail: status.to_string() },
            other => DeliveryFailure::NotTyped { message: other.to_string() },
        };
        let sent = self.session.send(input, origin).map_err(not_typed)?;
        tokio::select! {
            written = sent.written() => written.map_err(not_typed),
            () = until(self.clock, self.clock.now().checked_add(MAX_WRITE)) => Err(DeliveryFailure::NotTyped {
                message: "the agent does not read its input; look at its screen, or interrupt it".into(),
            }),
        }
    }

    /// Presses Enter, waits for proof, and presses Enter at most once more.
    async fn press_enter_when_safe(&mut self, message: &super::PromptMessage) -> Result<String, DeliveryFailure> {
        self.wait_until_no_prompt(message.timeout).await?;
        for last in [false, true] {
            let mut proofs = ProofWatch::before_enter(self);
            let entered = self.clock.now();
            self.send(Input::Key(KeyEvent::press(Key::Enter)), message.origin).await?;
            self.receipt_sender.entered();
            if let Some(verified_by) = self.wait_for_proof(&mut proofs, entered).await? {
                // Before the receipt: a wait for the end of the turn must not see the idle state before it.
                self.watch.prompt_sent(entered);
                return Ok(verified_by);
            }
            // A second Enter only if the text is visible in the box: otherwise it would answer something else.
            let still_there = matches!(self.input_now(), InputText::Text(_)) && self.pending().is_none();
            if last || !still_there {
                break;
            }
        }
        Err(DeliveryFailure::Unproved)
    }

    /// A prompt that appeared since the text was typed: Enter would answer it.
    async fn wait_until_no_prompt(&mut self, timeout: Duration) -> Result<(), DeliveryFailure> {
        let Some(mut decision) = self.pending() else { return Ok(()) };
        let deadline = self.clock.now().checked_add(timeout);
        loop {
            self.waits_for(DeliveryHold::Blocked { decision });
            tokio::select! {
                _ = self.pulse.changed() => {}
                _ = self.board.changed() => {}
                () = until(self.clock, deadline) => return Err(DeliveryFailure::Interrupted),
            }
            if let Some(detail) = self.ended() {
                return Err(DeliveryFailure::Ended { detail });
            }
            match self.pending() {
                Some(still) => decision = still,
                // The text may have gone into the dialog: it is submitted only if it is visible in the box.
                None if self.submit.input_box.is_some() && !matches!(self.input_now(), InputText::Text(_)) => {
                    return Err(DeliveryFailure::Interrupted);
                }
                None => return Ok(()),
            }
        }
    }

    fn input_now(&self) -> InputText {
        self.watch.input()
    }

    fn ended(&self) -> Option<String> {
        let glance = self.watch.glance();
        let over = glance.over || glance.status.state == State::Exited;
        over.then_some(glance.status.detail)
    }

    async fn wait_for_proof(
        &mut self,
        proofs: &mut ProofWatch,
        entered: Instant,
    ) -> Result<Option<String>, DeliveryFailure> {
        let deadline = entered.checked_add(Duration::from_millis(self.submit.proof_ms));
        loop {
            let looked = tokio::time::Instant::now();
            self.pulse.borrow_and_update();
            self.board.mark_unchanged();
            if let Some(name) = proofs.found(self, entered) {
                return Ok(Some(name));
            }
            if let Some(detail) = self.ended() {
                return Err(DeliveryFailure::Ended { detail });
            }
            tokio::select! {
                _ = self.pulse.changed() => tokio::time::sleep_until(looked + LOOK_INTERVAL).await,
                _ = self.board.changed() => {}
                () = until(self.clock, deadline) => return Ok(proofs.found(self, entered)),
            }
        }
    }
}

/// Something may be, or may become, visible that prevents prompts from being typed.
fn pending(glance: &AgentSnapshot) -> Option<PendingDecision> {
    let status = &glance.status;
    let blocked = || PendingDecision { kind: status.kind, detail: status.detail.clone() };
    glance.pending.clone().or_else(|| (status.state == State::Blocked).then(blocked))
}

/// Whether, according to the watch's last look, a prompt may be typed.
fn gate(glance: &AgentSnapshot, submit: &Submit, silence: Duration) -> TypingGate {
    let status = &glance.status;
    if glance.over || status.state == State::Exited {
        return TypingGate::Gone { detail: status.detail.clone() };
    }
    if let Some(decision) = pending(glance) {
        return TypingGate::Closed(DeliveryHold::Blocked { decision });
    }
    if !glance.readiness.ready {
        return TypingGate::Closed(DeliveryHold::NotReady { missing: glance.readiness.missing.join(", ") });
    }
    if let InputText::Text(_) = glance.input {
        return TypingGate::Closed(DeliveryHold::Draft);
    }
    if submit.input_box.is_some() && glance.input == InputText::Absent {
        let detail = "its prompt box is not to be seen".into();
        return TypingGate::Closed(if status.state == State::Working {
            DeliveryHold::Working
        } else {
            DeliveryHold::Unclear { detail }
        });
    }
    match status.state {
        State::Idle => TypingGate::Open,
        State::Working if submit.while_working => TypingGate::Open,
        State::Working => TypingGate::Closed(DeliveryHold::Working),
        // A visible prompt box is enough; so is silence if the preset describes no box.
        _ if glance.input == InputText::Empty || silence >= UNCLEAR_SILENCE => TypingGate::Open,
        _ => TypingGate::Closed(DeliveryHold::Unclear { detail: status.detail.clone() }),
    }
}

/// A preset's proofs, and which of them were visible before Enter was pressed.
struct ProofWatch {
    held_before: Vec<bool>,
    output_before: u64,
}

impl ProofWatch {
    fn before_enter(courier: &PromptCourier<'_>) -> Self {
        let observed = courier.watch.observe();
        let observation = observed.observation();
        let matcher = Matcher::new(&observation, courier.watch.behaviour(), courier.clock.now());
        let held = |proof: &crate::preset::Proof| matcher.ask(&proof.when).holds.is_some();
        ProofWatch {
            held_before: courier.submit.proof.iter().map(held).collect(),
            output_before: courier.session.output_offset(),
        }
    }

    /// The first proof that appeared after Enter. One that was visible before counts only after it has disappeared
    /// once.
    fn found(&mut self, courier: &PromptCourier<'_>, entered: Instant) -> Option<String> {
        if courier.submit.proof.is_empty() {
            return (courier.session.output_offset() > self.output_before).then(|| "output".into());
        }
        let observed = courier.watch.observe();
        let observation = observed.observation();
        let matcher = Matcher::new(&observation, courier.watch.behaviour(), courier.clock.now());
        for (proof, held_before) in courier.submit.proof.iter().zip(&mut self.held_before) {
            match matcher.ask(&proof.when).holds {
                Some(found) if found.given.map_or(!*held_before, |given| given >= entered) => {
                    return Some(proof.name.clone());
                }
                Some(_) => {}
                None => *held_before = false,
            }
        }
        None
    }
}

async fn until(clock: &Clock, deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => clock.sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
