//! The queue of prompts for one session, in order of arrival.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::{Clock, Origin};
use thiserror::Error;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;

use super::body::MAX_BODY_BYTES;
use super::courier;
use super::receipt::{DeliveryFailure, DeliveryHold, DeliveryOutcome, DeliveryReceipt, DeliveryTicket, TurnId};
use crate::state::StateWatch;

/// Maximum prompts queued for a session.
const MAX_WAITING: usize = 256;

/// A prompt to be delivered.
#[derive(Clone, Debug)]
pub struct PromptMessage {
    /// The text made by [`compose`](super::compose).
    pub text: String,
    /// Who types. A person's input would take over the session.
    pub origin: Origin,
    /// How long it may wait to be typed, once the prompts before it are done.
    pub timeout: Duration,
}

impl PromptMessage {
    /// Long enough for a turn of work or a person's decision.
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(3600);

    pub fn new(text: String, origin: Origin) -> Self {
        PromptMessage { text, origin, timeout: Self::DEFAULT_TIMEOUT }
    }
}

/// Why a prompt was not queued.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum QueueRefusal {
    #[error("{MAX_WAITING} prompts are waiting for this agent already: wait until it takes some")]
    QueueFull,
    #[error("a prompt may have {MAX_BODY_BYTES} bytes, this one has {length}: put it in a file or a scratchpad")]
    TooLong { length: usize },
    #[error("there is nothing to send: give it some text")]
    Empty,
}

/// Cheap to clone. Dropping the last clone takes back waiting prompts; the one being delivered gets its final receipt a
/// moment later, when its task has stopped.
#[derive(Clone, Debug)]
pub struct PromptQueue {
    inner: Arc<QueueInner>,
}

#[derive(Debug)]
struct QueueInner {
    watch: StateWatch,
    queue: Arc<SharedQueue>,
    task: AbortHandle,
}

#[derive(Debug, Default)]
pub(super) struct SharedQueue {
    line: Mutex<PromptLine>,
    facts: watch::Sender<QueueFacts>,
    arrived: Notify,
    /// Includes the one being typed.
    last_turn: AtomicU64,
}

/// A queue's state, without asking each receipt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueFacts {
    /// Prompts sent and not settled, including the one being delivered.
    pub unsettled: usize,
    /// What the prompt being delivered waits for, if there is one.
    pub first: Option<DeliveryHold>,
    /// The number of settled prompts.
    pub settled: u64,
}

#[derive(Debug, Default)]
struct PromptLine {
    waiting: VecDeque<QueuedPrompt>,
    /// What the prompt being delivered waits for, if there is one.
    first: Option<DeliveryHold>,
}

/// A prompt and its receipt.
#[derive(Debug)]
pub(super) struct QueuedPrompt {
    pub(super) message: PromptMessage,
    pub(super) receipt_sender: ReceiptSender,
}

/// The sending side of a receipt. However it is dropped, the receipt becomes final.
#[derive(Debug)]
pub(super) struct ReceiptSender {
    receipt: watch::Sender<DeliveryReceipt>,
    clock: Clock,
}

impl PromptQueue {
    /// Must be called in a tokio runtime.
    pub fn new(watch: StateWatch) -> Self {
        let queue = Arc::new(SharedQueue::default());
        let task = tokio::spawn(carry(watch.clone(), queue.clone())).abort_handle();
        PromptQueue { inner: Arc::new(QueueInner { watch, queue, task }) }
    }

    /// Queues a prompt after the waiting ones. Never blocks.
    pub fn send(&self, message: PromptMessage) -> Result<DeliveryTicket, QueueRefusal> {
        let length = message.text.len();
        if length > MAX_BODY_BYTES {
            return Err(QueueRefusal::TooLong { length });
        }
        if message.text.trim().is_empty() {
            return Err(QueueRefusal::Empty);
        }
        let clock = self.inner.watch.clock().clone();
        let queue = &self.inner.queue;
        let ticket = {
            let mut line = queue.line();
            if line.waiting.len() >= MAX_WAITING {
                return Err(QueueRefusal::QueueFull);
            }
            let number = queue.last_turn.fetch_add(1, Ordering::Relaxed) + 1;
            let receipt = DeliveryReceipt {
                turn_id: TurnId::new(self.inner.watch.session().id(), number),
                outcome: DeliveryOutcome::Queued(line.place(line.waiting.len())),
                queued_at: clock.system_now(),
                written_at: None,
                accepted_at: None,
                enters: 0,
            };
            let (sender, receiver) = watch::channel(receipt);
            line.waiting.push_back(QueuedPrompt {
                message,
                receipt_sender: ReceiptSender { receipt: sender, clock: clock.clone() },
            });
            queue.tell_facts(&line);
            DeliveryTicket { receipt: receiver, clock }
        };
        queue.arrived.notify_one();
        Ok(ticket)
    }

    /// Changes with every event of a prompt in the queue.
    pub fn facts(&self) -> watch::Receiver<QueueFacts> {
        self.inner.queue.facts.subscribe()
    }

    /// The number of waiting prompts, without the one being typed.
    pub fn waiting(&self) -> usize {
        self.inner.queue.line().waiting.len()
    }
}

impl Drop for QueueInner {
    fn drop(&mut self) {
        self.task.abort();
        // Dropping a sender settles its receipt.
        self.queue.line().waiting.clear();
    }
}

impl SharedQueue {
    fn line(&self) -> MutexGuard<'_, PromptLine> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next prompt, which is now the first in line.
    fn take_next(&self) -> Option<QueuedPrompt> {
        let mut line = self.line();
        let next = line.waiting.pop_front();
        line.first = next.as_ref().map(|_| DeliveryHold::Turn { ahead: 0, first: None });
        line.tell_all();
        self.tell_facts(&line);
        next
    }

    /// Sets what the prompt being delivered waits for; those after it are told, too.
    pub(super) fn first_waits_for(&self, waiting: DeliveryHold) {
        let mut line = self.line();
        line.first = Some(waiting);
        line.tell_all();
        self.tell_facts(&line);
    }

    /// The delivered prompt's receipt is final.
    fn first_is_settled(&self) {
        let mut line = self.line();
        line.first = None;
        self.facts.send_modify(|facts| facts.settled += 1);
        self.tell_facts(&line);
    }

    fn tell_facts(&self, line: &PromptLine) {
        let unsettled = line.waiting.len() + usize::from(line.first.is_some());
        self.facts.send_if_modified(|facts| {
            let now = QueueFacts { unsettled, first: line.first.clone(), settled: facts.settled };
            let changed = now != *facts;
            *facts = now;
            changed
        });
    }
}

impl PromptLine {
    /// The receipt of the waiting prompt with this index.
    fn place(&self, index: usize) -> DeliveryHold {
        let known = |first: &&DeliveryHold| !matches!(first, DeliveryHold::Turn { .. });
        let first = self.first.as_ref().filter(known).cloned().map(Box::new);
        DeliveryHold::Turn { ahead: index + usize::from(self.first.is_some()), first }
    }

    fn tell_all(&self) {
        for (index, prompt) in self.waiting.iter().enumerate() {
            prompt.receipt_sender.waits_for(self.place(index));
        }
    }
}

/// Delivers prompts one at a time, in order.
async fn carry(watch: StateWatch, queue: Arc<SharedQueue>) {
    loop {
        match queue.take_next() {
            Some(prompt) => {
                courier::deliver(&watch, &queue, prompt).await;
                queue.first_is_settled();
            }
            None => queue.arrived.notified().await,
        }
    }
}

impl ReceiptSender {
    pub(super) fn waits_for(&self, waiting: DeliveryHold) {
        self.receipt.send_if_modified(|receipt| {
            let outcome = DeliveryOutcome::Queued(waiting);
            let changed = receipt.outcome != outcome;
            receipt.outcome = outcome;
            changed
        });
    }

    pub(super) fn written(&self) {
        let now = self.clock.system_now();
        self.receipt.send_modify(|receipt| receipt.written_at = Some(now));
    }

    pub(super) fn entered(&self) {
        self.receipt.send_modify(|receipt| receipt.enters += 1);
    }

    pub(super) fn submitted(&self, verified_by: String) {
        let now = self.clock.system_now();
        self.receipt.send_modify(|receipt| {
            receipt.accepted_at = Some(now);
            receipt.outcome = DeliveryOutcome::Submitted { verified_by };
        });
    }

    pub(super) fn failed(&self, why: DeliveryFailure) {
        self.receipt.send_modify(|receipt| receipt.outcome = DeliveryOutcome::Failed(why));
    }
}

impl Drop for ReceiptSender {
    fn drop(&mut self) {
        if !self.receipt.borrow().outcome.is_final() {
            self.failed(DeliveryFailure::Cancelled);
        }
    }
}
