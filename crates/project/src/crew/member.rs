//! One session's worker: its state, its queue of prompts, and both together.
//!
//! An agent with a prompt on its way is not idle, whatever its screen shows: who waits for the answer would be told of
//! the moment before the question.

use std::sync::Arc;

use agents::{
    AgentPreset, AgentStatus, Delivery, Launch, State, StateWatch,
    delivery::{Message, Refused, Ticket},
    state::Behaviour,
};
use engine::{Session, SessionId};
use tokio::{
    sync::{broadcast, watch},
    task::AbortHandle,
};

use super::{Waiting, turns::Turns};
use crate::events::ProjectEvent;

/// What a session is doing, its prompts considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub status: AgentStatus,
    /// Prompts that were sent and not taken yet.
    pub on_the_way: usize,
    /// What somebody has begun to type holds them back.
    pub behind_draft: bool,
    /// Counts the changes of [`Standing::state`], and rests that followed work nobody saw.
    pub changes: u64,
    /// Counts what happened to its turns.
    pub turn_changes: u64,
}

impl Standing {
    /// Idle only when no prompt is on its way.
    pub fn state(&self) -> State {
        match self.status.state {
            State::Idle if self.on_the_way > 0 => State::Working,
            state => state,
        }
    }

    /// What a person is told: an agent whose prompts wait for a draft does nothing, and will not by itself.
    pub fn shown_state(&self) -> State {
        if self.behind_draft { self.status.state } else { self.state() }
    }

    /// Prompts that wait until what somebody has begun to type is sent or cleared.
    pub fn held_back(&self) -> usize {
        if self.behind_draft { self.on_the_way } else { 0 }
    }
}

/// Prompts of one session that were sent and not taken yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PromptCount {
    all: usize,
    /// Of these, such as wait for a draft; those behind them wait for their turn.
    behind_draft: usize,
}

#[derive(Debug)]
pub(super) struct Member {
    watch: StateWatch,
    delivery: Delivery,
    on_the_way: watch::Sender<PromptCount>,
    standing: watch::Receiver<Standing>,
    turns: Arc<Turns>,
    preset: Option<Arc<AgentPreset>>,
    /// Its files go with it.
    _launch: Option<Launch>,
    task: AbortHandle,
}

impl Member {
    pub(super) fn new(
        session: Session,
        behaviour: Behaviour,
        started: Option<(Arc<AgentPreset>, Launch)>,
        events: broadcast::Sender<ProjectEvent>,
    ) -> Self {
        let watch = StateWatch::new(session, behaviour);
        let on_the_way = watch::Sender::new(PromptCount::default());
        let standing =
            Standing { status: watch.current(), on_the_way: 0, behind_draft: false, changes: 0, turn_changes: 0 };
        let (sender, standing) = watch::channel(standing);
        let turns = Arc::<Turns>::default();
        let follower = Follower {
            changes: watch.changes(),
            on_the_way: on_the_way.subscribe(),
            turns: turns.clone(),
            sender,
            events,
            asked: None,
        };
        let task = tokio::spawn(follower.follow(watch.clone())).abort_handle();
        let (preset, launch) = started.unzip();
        let delivery = Delivery::new(watch.clone());
        Member { watch, delivery, on_the_way, standing, turns, preset, _launch: launch, task }
    }

    pub(super) fn watch(&self) -> &StateWatch {
        &self.watch
    }

    pub(super) fn standing(&self) -> watch::Receiver<Standing> {
        self.standing.clone()
    }

    pub(super) fn preset(&self) -> Option<Arc<AgentPreset>> {
        self.preset.clone()
    }

    pub(super) fn send(&self, message: Message) -> Result<Ticket, Refused> {
        let ticket = self.delivery.send(message)?;
        self.on_the_way.send_modify(|count| count.all += 1);
        self.turns.add(ticket.clone());
        tokio::spawn(count(ticket.clone(), self.on_the_way.clone()));
        Ok(ticket)
    }

    pub(super) fn waiting(&self) -> Option<Waiting> {
        let status = self.watch.current();
        let waits = status.state == State::Blocked;
        waits.then(|| Waiting { session: self.watch.session().id(), status, prompt: self.watch.prompt() })
    }

    pub(super) fn turns(&self) -> Arc<Turns> {
        self.turns.clone()
    }
}

/// Keeps a prompt counted as it stands, until it has been taken or has failed.
async fn count(mut ticket: Ticket, counts: watch::Sender<PromptCount>) {
    let mut drafted = false;
    loop {
        let outcome = ticket.receipt().outcome;
        if outcome.waits_for_draft() != drafted {
            drafted = !drafted;
            counts.send_modify(|count| match drafted {
                true => count.behind_draft += 1,
                false => count.behind_draft = count.behind_draft.saturating_sub(1),
            });
        }
        if outcome.is_final() || !ticket.moved().await {
            break;
        }
    }
    counts.send_modify(|count| {
        count.all = count.all.saturating_sub(1);
        count.behind_draft = count.behind_draft.saturating_sub(usize::from(drafted));
    });
}

impl Drop for Member {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Follower {
    changes: agents::state::StateChanges,
    on_the_way: watch::Receiver<PromptCount>,
    turns: Arc<Turns>,
    sender: watch::Sender<Standing>,
    events: broadcast::Sender<ProjectEvent>,
    /// What faces were told last: that it waits for a decision, and the digest of what can be read of it.
    asked: Option<Option<String>>,
}

impl Follower {
    /// Until the session or the member is gone.
    async fn follow(mut self, watch: StateWatch) {
        let mut seen = watch.current().changes;
        let mut told_of_prompts = false;
        loop {
            let on_the_way = *self.on_the_way.borrow_and_update();
            let under_way = self.turns.under_way();
            let status = watch.current();
            let turns_moved = self.turns.note(&under_way, status.state, watch.session().clock().system_now());
            // Two changes at once: it has worked and rests again.
            let unseen_turn = status.changes > seen + 1;
            seen = status.changes;
            let asks = (status.state == State::Blocked).then(|| watch.prompt().map(|prompt| prompt.digest));
            self.publish(status, on_the_way, unseen_turn, turns_moved || told_of_prompts);
            self.tell_of_question(watch.session().id(), asks);
            told_of_prompts = false;
            tokio::select! {
                changed = self.changes.next() => {
                    if changed.is_none() || watch.session().pulse().borrow().removed {
                        let ended = AgentStatus { state: State::Exited, ..watch.current() };
                        let now = watch.session().clock().system_now();
                        self.turns.note(&self.turns.under_way(), State::Exited, now);
                        self.publish(ended, PromptCount::default(), false, true);
                        self.tell_of_question(watch.session().id(), None);
                        return;
                    }
                }
                changed = self.on_the_way.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    // One that came and failed at once leaves the number as it was.
                    told_of_prompts = true;
                }
            }
        }
    }

    fn tell_of_question(&mut self, session: SessionId, asks: Option<Option<String>>) {
        if self.asked != asks {
            self.asked = asks;
            // Nobody listening is no error.
            let _ = self.events.send(ProjectEvent::PromptsChanged { session });
        }
    }

    fn publish(&self, status: AgentStatus, prompts: PromptCount, unseen_turn: bool, turns_moved: bool) {
        self.sender.send_if_modified(|known| {
            let turn_changes = known.turn_changes + u64::from(turns_moved);
            let mut new = Standing {
                status,
                on_the_way: prompts.all,
                behind_draft: prompts.behind_draft > 0,
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
            detail: String::new(),
            changes: 0,
        };
        let standing = |on_the_way, behind_draft| Standing {
            status: status.clone(),
            on_the_way,
            behind_draft,
            changes: 0,
            turn_changes: 0,
        };
        let told = |standing: Standing| (standing.state(), standing.shown_state(), standing.held_back());
        assert_eq!(told(standing(0, false)), (State::Idle, State::Idle, 0));
        assert_eq!(told(standing(1, false)), (State::Working, State::Working, 0), "it is about to be typed");
        assert_eq!(told(standing(2, true)), (State::Working, State::Idle, 2), "who waits for its rest waits on");
    }
}
