//! One session's worker: its state, its queue of prompts, and both together.
//!
//! An agent with a prompt on its way is not idle, whatever its screen shows: who waits for the answer would be told of
//! the moment before the question.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use agents::{
    AgentPreset, AgentStatus, Delivery, Launch, State, StateWatch,
    delivery::{Message, Refused, Ticket},
    state::Behaviour,
};
use engine::Session;
use tokio::{sync::watch, task::AbortHandle};

use crate::project::lock;

/// What a session is doing, its prompts considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub status: AgentStatus,
    /// Prompts that were sent and not taken yet.
    pub on_the_way: usize,
    /// Counts the changes of [`Standing::state`], and rests that followed work nobody saw.
    pub changes: u64,
}

impl Standing {
    /// Idle only when no prompt is on its way.
    pub fn state(&self) -> State {
        match self.status.state {
            State::Idle if self.on_the_way > 0 => State::Working,
            state => state,
        }
    }
}

/// Turns that can still be asked about.
const MAX_TICKETS: usize = 64;

#[derive(Debug)]
pub(super) struct Member {
    watch: StateWatch,
    delivery: Delivery,
    /// Prompts that were sent and not taken yet.
    on_the_way: watch::Sender<usize>,
    standing: watch::Receiver<Standing>,
    tickets: Mutex<VecDeque<Ticket>>,
    preset: Option<Arc<AgentPreset>>,
    /// Its files go with it.
    _launch: Option<Launch>,
    task: AbortHandle,
}

impl Member {
    pub(super) fn new(session: Session, behaviour: Behaviour, started: Option<(Arc<AgentPreset>, Launch)>) -> Self {
        let watch = StateWatch::new(session, behaviour);
        let on_the_way = watch::Sender::new(0);
        let (sender, standing) = watch::channel(Standing { status: watch.current(), on_the_way: 0, changes: 0 });
        let follower = Follower { changes: watch.changes(), on_the_way: on_the_way.subscribe(), sender };
        let task = tokio::spawn(follower.follow(watch.clone())).abort_handle();
        let (preset, launch) = started.unzip();
        let delivery = Delivery::new(watch.clone());
        Member { watch, delivery, on_the_way, standing, tickets: Mutex::default(), preset, _launch: launch, task }
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
        self.on_the_way.send_modify(|count| *count += 1);
        {
            let mut tickets = lock(&self.tickets);
            if tickets.len() == MAX_TICKETS {
                tickets.pop_front();
            }
            tickets.push_back(ticket.clone());
        }
        let (on_the_way, mut settling) = (self.on_the_way.clone(), ticket.clone());
        tokio::spawn(async move {
            settling.settled(Duration::MAX).await;
            on_the_way.send_modify(|count| *count = count.saturating_sub(1));
        });
        Ok(ticket)
    }

    pub(super) fn ticket(&self, turn_id: &str) -> Option<Ticket> {
        lock(&self.tickets).iter().find(|ticket| ticket.turn_id().to_string() == turn_id).cloned()
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Follower {
    changes: agents::state::StateChanges,
    on_the_way: watch::Receiver<usize>,
    sender: watch::Sender<Standing>,
}

impl Follower {
    /// Until the session or the member is gone.
    async fn follow(mut self, watch: StateWatch) {
        let mut seen = watch.current().changes;
        loop {
            let status = watch.current();
            // Two changes at once: it has worked and rests again.
            let unseen_turn = status.changes > seen + 1;
            seen = status.changes;
            let on_the_way = *self.on_the_way.borrow_and_update();
            self.publish(status, on_the_way, unseen_turn);
            tokio::select! {
                changed = self.changes.next() => {
                    if changed.is_none() || watch.session().pulse().borrow().removed {
                        self.publish(AgentStatus { state: State::Exited, ..watch.current() }, 0, false);
                        return;
                    }
                }
                changed = self.on_the_way.changed() => {
                    if changed.is_err() {
                        return;
                    }
                }
            }
        }
    }

    fn publish(&self, status: AgentStatus, on_the_way: usize, unseen_turn: bool) {
        self.sender.send_if_modified(|known| {
            let mut new = Standing { status, on_the_way, changes: known.changes };
            if new.state() != known.state() || unseen_turn {
                new.changes += 1;
            }
            let changed = new != *known;
            *known = new;
            changed
        });
    }
}
