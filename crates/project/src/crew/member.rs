//! One session's member: its state, its queue of prompts, and the combination of both.
//!
//! An agent with a prompt on its way is not idle, whatever its screen shows: otherwise a wait for its answer would see
//! the moment before the prompt.

use std::sync::{Arc, Mutex, OnceLock};

use agents::{
    AgentLaunch, AgentPreset, AgentStatus, ConversationId, PromptQueue, State, StateWatch,
    delivery::{DeliveryHold, DeliveryTicket, PromptMessage, QueueFacts, QueueRefusal},
    state::Behaviour,
    version::{CliVersion, VersionFit},
};
use engine::{Session, SessionId};
use tokio::{
    sync::{broadcast, watch},
    task::AbortHandle,
};

use super::{WaitingAgent, turns::TurnLog};
use crate::{events::ProjectEvent, project::lock};

/// What a session is doing, including its prompts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentStanding {
    pub status: AgentStatus,
    /// Prompts that were sent and not accepted yet.
    pub on_the_way: usize,
    /// What the first of them waits for.
    pub first_waits: Option<DeliveryHold>,
    /// Counts the changes of [`AgentStanding::state`], and periods of rest after work that nobody saw.
    pub changes: u64,
    /// Counts the changes of its turns.
    pub turn_changes: u64,
}

impl AgentStanding {
    /// Idle only if no prompt is on its way.
    pub fn state(&self) -> State {
        match self.status.state {
            State::Idle if self.on_the_way > 0 => State::Working,
            state => state,
        }
    }

    /// The state shown to people: an agent whose prompts wait for a draft does nothing, and will not by itself.
    pub fn shown_state(&self) -> State {
        if self.is_behind_draft() { self.status.state } else { self.state() }
    }

    /// Prompts that wait until a person's draft is sent or cleared.
    pub fn held_back(&self) -> usize {
        if self.is_behind_draft() { self.on_the_way } else { 0 }
    }

    fn is_behind_draft(&self) -> bool {
        self.first_waits == Some(DeliveryHold::Draft)
    }

    /// Prompts that wait, and the reason; the one being typed does not wait any more.
    pub fn waiting_prompts(&self) -> Option<(usize, &DeliveryHold)> {
        match &self.first_waits {
            Some(DeliveryHold::Typing | DeliveryHold::Turn { .. }) | None => None,
            Some(reason) => Some((self.on_the_way, reason)),
        }
    }
}

#[derive(Debug)]
pub(super) struct CrewMember {
    watch: StateWatch,
    delivery: PromptQueue,
    standing: watch::Receiver<AgentStanding>,
    turns: Arc<TurnLog>,
    preset: Option<Arc<AgentPreset>>,
    /// The CLI's version, once it is known.
    version: OnceLock<CliVersion>,
    /// The CLI's conversation, as far as it is known.
    conversation: Mutex<Option<ConversationId>>,
    /// Dropping it removes its files.
    _launch: Option<AgentLaunch>,
    task: AbortHandle,
}

impl CrewMember {
    pub(super) fn new(
        session: Session,
        behaviour: Behaviour,
        started: Option<(Arc<AgentPreset>, AgentLaunch)>,
        events: broadcast::Sender<ProjectEvent>,
    ) -> Self {
        let watch = StateWatch::new(session, behaviour);
        let delivery = PromptQueue::new(watch.clone());
        let standing =
            AgentStanding { status: watch.current(), on_the_way: 0, first_waits: None, changes: 0, turn_changes: 0 };
        let (sender, standing) = watch::channel(standing);
        let turns = Arc::<TurnLog>::default();
        let follower = MemberTask {
            changes: watch.changes(),
            prompts: delivery.facts(),
            turns: turns.clone(),
            sender,
            events,
            asked: None,
        };
        let task = tokio::spawn(follower.follow(watch.clone())).abort_handle();
        let (preset, launch) = started.unzip();
        let (version, conversation) = (OnceLock::new(), Mutex::default());
        CrewMember { watch, delivery, standing, turns, preset, version, conversation, _launch: launch, task }
    }

    pub(super) fn watch(&self) -> &StateWatch {
        &self.watch
    }

    pub(super) fn standing(&self) -> watch::Receiver<AgentStanding> {
        self.standing.clone()
    }

    pub(super) fn preset(&self) -> Option<Arc<AgentPreset>> {
        self.preset.clone()
    }

    pub(super) fn note_version(&self, version: CliVersion) {
        // Asked once per start.
        let _ = self.version.set(version);
    }

    pub(super) fn version(&self) -> Option<&CliVersion> {
        self.version.get()
    }

    pub(super) fn note_conversation(&self, conversation: ConversationId) {
        *lock(&self.conversation) = Some(conversation);
    }

    pub(super) fn conversation(&self) -> Option<ConversationId> {
        lock(&self.conversation).clone()
    }

    /// A possible explanation of a failed start or delivery.
    pub(super) fn too_old(&self) -> Option<&str> {
        self.version().filter(|version| version.fit == VersionFit::TooOld)?.sentence.as_deref()
    }

    pub(super) fn send(&self, message: PromptMessage) -> Result<DeliveryTicket, QueueRefusal> {
        let ticket = self.delivery.send(message)?;
        self.turns.add(ticket.clone());
        Ok(ticket)
    }

    pub(super) fn waiting(&self) -> Option<WaitingAgent> {
        let status = self.watch.current();
        let waits = status.state == State::Blocked;
        waits.then(|| WaitingAgent { session: self.watch.session().id(), status, prompt: self.watch.prompt() })
    }

    pub(super) fn turns(&self) -> Arc<TurnLog> {
        self.turns.clone()
    }
}

impl Drop for CrewMember {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct MemberTask {
    changes: agents::state::StateChanges,
    prompts: watch::Receiver<QueueFacts>,
    turns: Arc<TurnLog>,
    sender: watch::Sender<AgentStanding>,
    events: broadcast::Sender<ProjectEvent>,
    /// What faces were told last: the pending decision, and the digest of its readable part.
    asked: Option<Option<String>>,
}

impl MemberTask {
    /// Runs until the session or the member is gone.
    async fn follow(mut self, watch: StateWatch) {
        let mut seen = watch.current().changes;
        let mut told_of_prompts = false;
        loop {
            let prompts = self.prompts.borrow_and_update().clone();
            let under_way = self.turns.under_way();
            let status = watch.current();
            let turns_moved = self.turns.note(&under_way, status.state, watch.session().clock().system_now());
            // Two changes at once: it has worked and is at rest again.
            let unseen_turn = status.changes > seen + 1;
            seen = status.changes;
            let asks = (status.state == State::Blocked).then(|| watch.prompt().map(|prompt| prompt.digest));
            self.publish(status, prompts, unseen_turn, turns_moved || told_of_prompts);
            self.tell_of_question(watch.session().id(), asks);
            told_of_prompts = false;
            tokio::select! {
                changed = self.changes.next() => {
                    if changed.is_none() || watch.session().pulse().borrow().removed {
                        let ended = AgentStatus { state: State::Exited, ..watch.current() };
                        let now = watch.session().clock().system_now();
                        self.turns.note(&self.turns.under_way(), State::Exited, now);
                        self.publish(ended, QueueFacts::default(), false, true);
                        self.tell_of_question(watch.session().id(), None);
                        return;
                    }
                }
                changed = self.prompts.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    // A prompt that came and failed at once leaves the number unchanged.
                    told_of_prompts = true;
                }
            }
        }
    }

    fn tell_of_question(&mut self, session: SessionId, asks: Option<Option<String>>) {
        if self.asked != asks {
            self.asked = asks;
            // Having no listener is no error.
            let _ = self.events.send(ProjectEvent::PromptsChanged { session });
        }
    }

    fn publish(&self, status: AgentStatus, prompts: QueueFacts, unseen_turn: bool, turns_moved: bool) {
        self.sender.send_if_modified(|known| {
            let turn_changes = known.turn_changes + u64::from(turns_moved);
            let mut new = AgentStanding {
                status,
                on_the_way: prompts.unsettled,
                first_waits: prompts.first,
                changes: known.changes,
                turn_changes,
            };
            if new.state() != known.state() || unseen_turn {
                new.changes += 1;
            }
            let changed = new != *known;
            *known = new;
            changed
        });
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Instant, SystemTime};

    use super::*;

    #[test]
    fn prompts_behind_a_draft_are_held_back_and_no_work() {
        let status = AgentStatus {
            state: State::Idle,
            since: Instant::now(),
            since_time: SystemTime::now(),
            source: None,
            rule: None,
            kind: None,
            mode: None,
            detail: String::new(),
            changes: 0,
        };
        let standing = |on_the_way, first_waits| AgentStanding {
            status: status.clone(),
            on_the_way,
            first_waits,
            changes: 0,
            turn_changes: 0,
        };
        let told = |standing: AgentStanding| (standing.state(), standing.shown_state(), standing.held_back());
        assert_eq!(told(standing(0, None)), (State::Idle, State::Idle, 0));
        assert_eq!(
            told(standing(1, Some(DeliveryHold::Typing))),
            (State::Working, State::Working, 0),
            "it is about to be typed"
        );
        assert_eq!(
            told(standing(2, Some(DeliveryHold::Draft))),
            (State::Working, State::Idle, 2),
            "who waits for its rest waits on"
        );
    }
}
