//! One session's worker: its state, its queue of prompts, and both together.
//!
//! An agent with a prompt on its way is not idle, whatever its screen shows: who waits for the answer would be told of
//! the moment before the question.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use agents::{
    AgentPreset, AgentStatus, Delivery, Launch, Outcome, State, StateWatch,
    delivery::{Message, Refused, Ticket},
    state::Behaviour,
};
use engine::{Clock, Session};
use tokio::{sync::watch, task::AbortHandle};

use crate::project::lock;

/// What a session is doing, its prompts considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub status: AgentStatus,
    /// Prompts that were sent and not taken yet.
    pub on_the_way: usize,
    /// A prompt was just taken, and the screen does not show the work yet.
    pub just_prompted: bool,
    /// Counts the changes of [`Standing::state`], and rests that followed work nobody saw.
    pub changes: u64,
}

impl Standing {
    /// Idle only when no prompt is on its way.
    pub fn state(&self) -> State {
        match self.status.state {
            State::Idle if self.on_the_way > 0 || self.just_prompted => State::Working,
            state => state,
        }
    }
}

/// After a prompt was taken, the work begins to show within this time, or was too short to show.
const WORK_SHOWS: Duration = Duration::from_secs(2);
/// Turns that can still be asked about.
const MAX_TICKETS: usize = 64;

#[derive(Debug)]
pub(super) struct Member {
    watch: StateWatch,
    delivery: Delivery,
    prompts: watch::Sender<Prompts>,
    standing: watch::Receiver<Standing>,
    tickets: Mutex<VecDeque<Ticket>>,
    preset: Option<Arc<AgentPreset>>,
    /// Its files go with it.
    _launch: Option<Launch>,
    task: AbortHandle,
}

/// What was sent to the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Prompts {
    on_the_way: usize,
    /// When the latest was taken, and the state's count of changes then.
    taken: Option<(Instant, u64)>,
}

impl Member {
    pub(super) fn new(session: Session, behaviour: Behaviour, started: Option<(Arc<AgentPreset>, Launch)>) -> Self {
        let clock = session.clock().clone();
        let watch = StateWatch::new(session, behaviour);
        let prompts = watch::Sender::new(Prompts::default());
        let first = Standing { status: watch.current(), on_the_way: 0, just_prompted: false, changes: 0 };
        let (sender, standing) = watch::channel(first);
        let follower = Follower { changes: watch.changes(), prompts: prompts.subscribe(), sender, clock };
        let task = tokio::spawn(follower.follow(watch.clone())).abort_handle();
        let (preset, launch) = started.unzip();
        let delivery = Delivery::new(watch.clone());
        Member { watch, delivery, prompts, standing, tickets: Mutex::default(), preset, _launch: launch, task }
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
        self.prompts.send_modify(|prompts| prompts.on_the_way += 1);
        {
            let mut tickets = lock(&self.tickets);
            if tickets.len() == MAX_TICKETS {
                tickets.pop_front();
            }
            tickets.push_back(ticket.clone());
        }
        let (prompts, mut settling, watch) = (self.prompts.clone(), ticket.clone(), self.watch.clone());
        tokio::spawn(async move {
            let receipt = settling.settled(Duration::MAX).await;
            let taken = matches!(receipt.outcome, Outcome::Submitted { .. });
            let at = taken.then(|| (watch.session().clock().now(), watch.current().changes));
            prompts.send_modify(|prompts| {
                prompts.on_the_way = prompts.on_the_way.saturating_sub(1);
                prompts.taken = at.or(prompts.taken);
            });
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
    prompts: watch::Receiver<Prompts>,
    sender: watch::Sender<Standing>,
    clock: Clock,
}

impl Follower {
    /// Until the session or the member is gone.
    async fn follow(mut self, watch: StateWatch) {
        let mut seen = watch.current().changes;
        loop {
            let look_again = self.look(watch.current(), &mut seen);
            let due = async {
                match look_again {
                    Some(at) => self.clock.sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = self.changes.next() => {
                    if changed.is_none() || watch.session().pulse().borrow().removed {
                        let last = watch.current();
                        self.publish(AgentStatus { state: State::Exited, ..last }, Prompts::default(), false, false);
                        return;
                    }
                }
                changed = self.prompts.changed() => {
                    if changed.is_err() {
                        return;
                    }
                }
                () = due => {}
            }
        }
    }

    /// Publishes what is so now, and tells when time alone will change it.
    fn look(&mut self, status: AgentStatus, seen: &mut u64) -> Option<Instant> {
        let prompts = *self.prompts.borrow_and_update();
        let shows_at = match prompts.taken {
            Some((at, changes)) if status.state == State::Idle && status.changes == changes => {
                at.checked_add(WORK_SHOWS)
            }
            _ => None,
        };
        let shows_at = shows_at.filter(|at| *at > self.clock.now());
        // Two changes at once: it has worked and rests again.
        let unseen_turn = status.changes > *seen + 1;
        *seen = status.changes;
        self.publish(status, prompts, shows_at.is_some(), unseen_turn);
        shows_at
    }

    fn publish(&self, status: AgentStatus, prompts: Prompts, just_prompted: bool, unseen_turn: bool) {
        self.sender.send_if_modified(|known| {
            let changes = known.changes;
            let mut new = Standing { status, on_the_way: prompts.on_the_way, just_prompted, changes };
            if new.state() != known.state() || unseen_turn {
                new.changes += 1;
            }
            let changed = new != *known;
            *known = new;
            changed
        });
    }
}
