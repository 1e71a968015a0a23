//! The crew: what each session is doing, which prompts it was sent, and what was made for its start.
//!
//! An agent joins when it is started; a member for any other session is created on demand. A member is removed with its
//! session.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use agents::{
    AgentLaunch, AgentPreset, AgentStatus, ConversationId, State, StateWatch,
    delivery::{DeliveryTicket, PromptMessage, QueueRefusal, TurnId},
    state::{AskedDecision, Behaviour, Prompt},
    version::CliVersion,
};
use engine::{Origin, Session, SessionId};
use tokio::sync::{broadcast, watch};

mod member;
pub(crate) mod turns;

pub use member::AgentStanding;
use member::CrewMember;
use turns::{PromptTurn, TurnLog, TurnStage};

use crate::{
    delivery::{Deliver, DeliveryFacts, DeliveryState},
    events::ProjectEvent,
    project::lock,
    timers::activity::{Phase, Rest},
};

/// All members. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Crew {
    inner: Arc<CrewInner>,
}

#[derive(Debug)]
struct CrewInner {
    members: Mutex<HashMap<SessionId, Arc<CrewMember>>>,
    /// Silence of this length counts as rest, unless a preset says otherwise.
    idle_after: Duration,
    events: broadcast::Sender<ProjectEvent>,
}

/// An agent with a pending decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingAgent {
    pub session: SessionId,
    pub status: AgentStatus,
    /// The question, if it can be read.
    pub prompt: Option<Prompt>,
}

impl Crew {
    pub(crate) fn new(idle_after: Duration, events: broadcast::Sender<ProjectEvent>) -> Self {
        Crew { inner: Arc::new(CrewInner { members: Mutex::default(), idle_after, events }) }
    }

    /// The pending decision of the agent in this session, if there is one.
    pub fn waiting_in(&self, session: SessionId) -> Option<WaitingAgent> {
        self.known(session)?.waiting()
    }

    /// All pending decisions, oldest first.
    pub fn waiting(&self) -> Vec<WaitingAgent> {
        let members: Vec<Arc<CrewMember>> = lock(&self.inner.members).values().cloned().collect();
        let mut waiting: Vec<WaitingAgent> = members.iter().filter_map(|member| member.waiting()).collect();
        waiting.sort_by_key(|waiting| waiting.status.since);
        waiting
    }

    /// An agent started from a preset.
    pub(crate) fn join(&self, session: &Session, preset: Arc<AgentPreset>, launch: AgentLaunch) {
        let behaviour = Behaviour::from(&*preset);
        let events = self.inner.events.clone();
        let member = CrewMember::new(session.clone(), behaviour, Some((preset, launch)), events);
        lock(&self.inner.members).insert(session.id(), Arc::new(member));
    }

    pub(crate) fn leave(&self, session: SessionId) {
        // Its files are removed outside of the lock.
        let member = lock(&self.inner.members).remove(&session);
        drop(member);
    }

    pub(crate) fn dismiss_all(&self) {
        let members = std::mem::take(&mut *lock(&self.inner.members));
        drop(members);
    }

    fn known(&self, session: SessionId) -> Option<Arc<CrewMember>> {
        lock(&self.inner.members).get(&session).cloned()
    }

    fn member(&self, session: &Session) -> Arc<CrewMember> {
        if let Some(member) = self.known(session.id()) {
            return member;
        }
        // Created before the lock is taken, since it reads the session, and dropped if another task was faster.
        let behaviour = Behaviour::silence(self.inner.idle_after);
        let new = Arc::new(CrewMember::new(session.clone(), behaviour, None, self.inner.events.clone()));
        let member = lock(&self.inner.members).entry(session.id()).or_insert(new).clone();
        // A session that was removed meanwhile gets no member.
        if session.name().is_none() {
            self.leave(session.id());
        }
        member
    }

    /// What a session is doing, and the number of prompts on their way to it.
    pub(crate) fn status(&self, session: &Session) -> (AgentStatus, usize) {
        let member = self.member(session);
        let on_the_way = member.standing().borrow().on_the_way;
        (self.with_version(session.id(), member.watch().current()), on_the_way)
    }

    /// A CLI that does not get ready, or has exited, may be too old for its preset: its state then says so.
    pub(crate) fn with_version(&self, session: SessionId, mut status: AgentStatus) -> AgentStatus {
        if matches!(status.state, State::Starting | State::Unknown | State::Exited)
            && let Some(too_old) = self.known(session).as_ref().and_then(|member| member.too_old())
        {
            status.detail = format!("{}; {too_old}", status.detail);
        }
        status
    }

    pub(crate) fn note_version(&self, session: SessionId, version: CliVersion) {
        if let Some(member) = self.known(session) {
            member.note_version(version);
        }
    }

    /// The version of this session's CLI, once it is known.
    pub fn version(&self, session: SessionId) -> Option<CliVersion> {
        self.known(session)?.version().cloned()
    }

    /// The CLI's version may explain why a delivery failed.
    pub(crate) fn with_reason(&self, session: SessionId, mut facts: DeliveryFacts) -> DeliveryFacts {
        if facts.state == DeliveryState::Failed
            && let Some(too_old) = self.known(session).as_ref().and_then(|member| member.too_old())
        {
            facts.detail = format!("{}; {too_old}", facts.detail);
        }
        facts
    }

    /// The session's pending decision, according to a fresh look at the screen.
    pub(crate) fn asked_decision(&self, session: &Session) -> AskedDecision {
        self.known(session.id()).map_or(AskedDecision::None, |member| member.watch().asked_decision())
    }

    pub(crate) fn prompt(&self, session: SessionId) -> Option<Prompt> {
        self.known(session)?.watch().prompt()
    }

    pub(crate) fn explain(&self, session: &Session) -> agents::Explanation {
        self.member(session).watch().explain()
    }

    /// What the session is doing, and every change of it.
    pub fn standing(&self, session: &Session) -> watch::Receiver<AgentStanding> {
        self.member(session).standing()
    }

    pub(crate) fn preset(&self, session: SessionId) -> Option<Arc<AgentPreset>> {
        self.known(session)?.preset()
    }

    /// The watch of an agent that was started from a preset.
    pub(crate) fn watched_agent(&self, session: SessionId) -> Option<(StateWatch, Arc<AgentPreset>)> {
        let member = self.known(session)?;
        Some((member.watch().clone(), member.preset()?))
    }

    /// The CLI in this session has listed our tools.
    pub(crate) fn tools_listed(&self, session: SessionId) {
        if let Some(member) = self.known(session) {
            member.watch().tools_listed();
        }
    }

    /// The agent's hook or plugin has reported an event.
    pub fn hook(&self, session: SessionId, name: &str, detail: &str, command: Option<&str>) {
        if let Some(member) = self.known(session) {
            member.watch().hook(name, detail, command);
        }
    }

    /// The CLI in this session has told which conversation it is in, or is known to be in it.
    pub(crate) fn note_conversation(&self, session: SessionId, conversation: ConversationId) {
        if let Some(member) = self.known(session) {
            member.note_conversation(conversation);
        }
    }

    /// The conversation that the agent in this session was in last, if that is known.
    pub(crate) fn conversation(&self, session: SessionId) -> Option<ConversationId> {
        self.known(session)?.conversation()
    }

    /// The results of the prompts sent to it lately.
    pub(crate) fn turns(&self, session: SessionId) -> Option<Arc<TurnLog>> {
        Some(self.known(session)?.turns())
    }

    pub(crate) fn turn(&self, turn: TurnId) -> Option<PromptTurn> {
        self.turns(turn.session())?.get(turn)
    }
}

/// Verified delivery: waits until the agent can take the prompt, types it, and looks for proof.
impl Deliver for Crew {
    fn deliver(&self, target: &Session, text: String, origin: Origin) -> Result<DeliveryTicket, QueueRefusal> {
        self.member(target).send(PromptMessage::new(text, origin))
    }
}

impl Crew {
    /// Whether a session is at rest: the present value, and every change while there is a listener. The sender is
    /// dropped with the session. With a turn, only the end of that turn is rest.
    pub(crate) fn rest(&self, session: &Session, turn: Option<TurnId>) -> watch::Receiver<Rest> {
        let mut standing = self.standing(session);
        let looker = RestLooker {
            session: session.clone(),
            silence: self.preset(session.id()).is_none().then_some(self.inner.idle_after),
            turn: turn.zip(self.turns(session.id())),
        };
        let (sender, receiver) = watch::channel(looker.look(&standing.borrow_and_update()).rest);
        tokio::spawn(async move {
            loop {
                let RestLook { rest: now, quiet_after } = looker.look(&standing.borrow_and_update());
                sender.send_if_modified(|rest| std::mem::replace(rest, now) != now);
                tokio::select! {
                    changed = standing.changed() => {
                        if changed.is_err() {
                            // The member was removed with its session; dropping the sender tells so.
                            return;
                        }
                    }
                    () = looker.is_quiet(quiet_after) => {}
                    () = sender.closed() => return,
                }
            }
        });
        receiver
    }
}

/// Determines whether a session is at rest, at the moment of the call.
struct RestLooker {
    session: Session,
    /// If no preset says otherwise, silence of this length is rest.
    silence: Option<Duration>,
    /// Only the end of this turn is rest.
    turn: Option<(TurnId, Arc<TurnLog>)>,
}

struct RestLook {
    rest: Rest,
    /// The member has not noticed the latest output yet, and may never: check again after a silence of this length.
    quiet_after: Option<Duration>,
}

impl RestLooker {
    fn look(&self, standing: &AgentStanding) -> RestLook {
        if let Some((turn, turns)) = &self.turn {
            let phase = turns.get(*turn).map_or(Phase::Ended, |turn| phase_of_turn(turn.stage(), standing));
            // A turn comes to rest once: what follows belongs to another turn.
            return RestLook { rest: Rest { phase, changes: 0 }, quiet_after: None };
        }
        let mut rest = rest(standing);
        let talks = |silence: &Duration| {
            rest.phase == Phase::Resting && self.session.idle_for() < *silence && !self.session.status().has_ended()
        };
        let quiet_after = self.silence.filter(talks);
        if quiet_after.is_some() {
            rest.phase = Phase::Working;
        }
        RestLook { rest, quiet_after }
    }

    async fn is_quiet(&self, after: Option<Duration>) {
        match after {
            Some(silence) => drop(self.session.wait_for_quiet(silence, Duration::MAX).await),
            None => std::future::pending().await,
        }
    }
}

fn rest(standing: &AgentStanding) -> Rest {
    let phase = match standing.state() {
        State::Exited => Phase::Ended,
        State::Idle | State::Blocked => Phase::Resting,
        State::Starting | State::Working | State::Unknown => Phase::Working,
    };
    Rest { phase, changes: standing.changes }
}

fn phase_of_turn(stage: TurnStage, standing: &AgentStanding) -> Phase {
    match stage {
        TurnStage::UnderWay if standing.status.state == State::Blocked => Phase::Resting,
        TurnStage::Queued | TurnStage::UnderWay => Phase::Working,
        TurnStage::Settled => Phase::Resting,
        // It will not come to rest any more.
        TurnStage::Failed | TurnStage::Exited => Phase::Ended,
    }
}
