//! The state of a live session, kept by one task that sleeps until something moves.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::{Clock, Facts, Session, Status, TtyFacts};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::behaviour::Behaviour;
use super::explanation::Explanation;
use super::matching::InputText;
use super::observation::{HookEvent, Observation, RunPhase};
use super::tracker::{Look, Readiness, Tracker};
use super::vocabulary::{AgentStatus, State};

/// Least time between two looks at a session that never stops printing. Real time: it decides only
/// how often, not what.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

/// Cheap to clone. The watch ends with the session, or when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct StateWatch {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    session: Session,
    behaviour: Arc<Behaviour>,
    shared: Arc<Shared>,
    task: AbortHandle,
}

/// What the task and the handles share.
#[derive(Debug)]
struct Shared {
    told: watch::Sender<Told>,
    /// Moves when what a reader may wait for does.
    glance: watch::Sender<Glance>,
    /// The last look, also where only its votes changed.
    look: Mutex<Option<Look>>,
}

/// What came from outside the session's terminal, each with the run it was about.
#[derive(Clone, Debug, Default)]
struct Told {
    tools_listed: Option<(u64, Instant)>,
    hook: Option<(u64, HookEvent)>,
}

/// What waits look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glance {
    pub(crate) status: AgentStatus,
    pub(crate) readiness: Readiness,
    pub(crate) input: InputText,
    pub(crate) over: bool,
}

/// How a wait for a state ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateOutcome {
    Reached(AgentStatus),
    TimedOut(AgentStatus),
    /// The run ended, and that was not what was waited for.
    Exited(AgentStatus),
}

impl StateOutcome {
    pub fn status(&self) -> &AgentStatus {
        match self {
            StateOutcome::Reached(status) | StateOutcome::TimedOut(status) | StateOutcome::Exited(status) => status,
        }
    }
}

impl StateWatch {
    /// Follows `session` from now on. Needs a tokio runtime around it.
    pub fn new(session: Session, behaviour: Behaviour) -> Self {
        let behaviour = Arc::new(behaviour);
        let clock = session.clock().clone();
        let first = AgentStatus {
            state: State::Starting,
            since: clock.now(),
            since_time: clock.system_now(),
            source: None,
            rule: None,
            kind: None,
            detail: "not looked at yet".into(),
            changes: 0,
        };
        let readiness = Readiness { ready: false, missing: Vec::new() };
        let glance = Glance { status: first, readiness, input: InputText::Absent, over: false };
        let shared = Arc::new(Shared {
            told: watch::Sender::new(Told::default()),
            glance: watch::Sender::new(glance),
            look: Mutex::default(),
        });
        let mut follower = Follower {
            session: session.clone(),
            shared: shared.clone(),
            tracker: Tracker::new(behaviour.clone()),
            clock,
        };
        // The first look is taken here, so that nobody ever reads "not looked at yet".
        follower.look();
        let task = tokio::spawn(async move { follower.follow().await }).abort_handle();
        StateWatch { inner: Arc::new(Inner { session, behaviour, shared, task }) }
    }

    pub fn session(&self) -> &Session {
        &self.inner.session
    }

    pub fn behaviour(&self) -> &Arc<Behaviour> {
        &self.inner.behaviour
    }

    pub fn current(&self) -> AgentStatus {
        self.inner.shared.glance.borrow().status.clone()
    }

    pub fn readiness(&self) -> Readiness {
        self.inner.shared.glance.borrow().readiness.clone()
    }

    /// What stands in the agent's prompt box.
    pub fn input(&self) -> InputText {
        self.inner.shared.glance.borrow().input.clone()
    }

    /// Completes when the state, its detail, the readiness or the prompt box has changed since the
    /// last call on this receiver.
    pub fn changes(&self) -> StateChanges {
        StateChanges { glances: self.inner.shared.glance.subscribe() }
    }

    /// Every vote of the latest look.
    pub fn explain(&self) -> Explanation {
        let look = self.inner.shared.look().clone();
        let status = self.current();
        Explanation::new(status, look.expect("the first look is taken before the watch is handed out"))
    }

    /// The CLI in this session has asked for the list of our tools.
    pub fn tools_listed(&self) {
        let at = (self.inner.session.run_number(), self.clock().now());
        self.inner.shared.told.send_modify(|told| told.tools_listed = Some(at));
    }

    /// The agent's hook or plugin has reported something.
    pub fn hook(&self, name: &str, detail: &str) {
        let event = HookEvent::new(name, detail, self.clock().now());
        let event = (self.inner.session.run_number(), event);
        self.inner.shared.told.send_modify(|told| told.hook = Some(event));
    }

    /// Waits until the state is one of `wanted`, or the run ends, or the time is up. With `after`,
    /// only a state reached by a later change counts (see [`AgentStatus::changes`]).
    pub fn wait_for(
        &self,
        wanted: &[State],
        after: Option<u64>,
        timeout: Duration,
    ) -> impl Future<Output = StateOutcome> + Send + use<> {
        let mut glances = self.inner.shared.glance.subscribe();
        let clock = self.clock().clone();
        let deadline = clock.now().checked_add(timeout);
        let wanted = wanted.to_vec();
        // Keeps the task alive for as long as the wait lasts.
        let watch = self.clone();
        async move {
            let timed_out = async {
                match deadline {
                    Some(deadline) => clock.sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            tokio::pin!(timed_out);
            loop {
                let glance = glances.borrow_and_update().clone();
                let new = after.is_none_or(|changes| glance.status.changes > changes);
                if new && wanted.contains(&glance.status.state) {
                    return StateOutcome::Reached(glance.status);
                }
                if glance.over || glance.status.state == State::Exited {
                    return StateOutcome::Exited(glance.status);
                }
                tokio::select! {
                    // The sender lives as long as `watch`.
                    _ = glances.changed() => {}
                    () = &mut timed_out => return StateOutcome::TimedOut(watch.current()),
                }
            }
        }
    }

    pub(crate) fn clock(&self) -> &Clock {
        self.inner.session.clock()
    }

    pub(crate) fn glances(&self) -> watch::Receiver<Glance> {
        self.inner.shared.glance.subscribe()
    }

    /// The session as it is now, for conditions that are not rules.
    pub(crate) fn observe(&self) -> Observed {
        Observed::of(&self.inner.session, self.inner.shared.told(), &self.inner.behaviour)
    }
}

/// See [`StateWatch::changes`].
#[derive(Debug)]
pub struct StateChanges {
    glances: watch::Receiver<Glance>,
}

impl StateChanges {
    /// The status after the next change, or `None` when the session is gone.
    pub async fn next(&mut self) -> Option<AgentStatus> {
        self.glances.changed().await.ok()?;
        Some(self.glances.borrow_and_update().status.clone())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Shared {
    fn look(&self) -> MutexGuard<'_, Option<Look>> {
        self.look.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy: no lock is held while the session's are taken.
    fn told(&self) -> Told {
        self.told.borrow().clone()
    }
}

/// Everything an [`Observation`] borrows.
#[derive(Debug)]
pub(crate) struct Observed {
    pub(crate) run: u64,
    phase: RunPhase,
    pub(crate) last_output: Instant,
    facts: Facts,
    grid: String,
    alternate_screen: bool,
    tty: Option<TtyFacts>,
    hook: Option<HookEvent>,
    tools_listed: Option<Instant>,
}

impl Observed {
    fn of(session: &Session, told: Told, behaviour: &Behaviour) -> Self {
        let run = session.run_number();
        let phase = match session.status() {
            Status::Starting => RunPhase::Starting,
            Status::Running => RunPhase::Running,
            Status::Stopped | Status::Exited | Status::Errored => {
                RunPhase::Ended(session.info().ending.and_then(|ending| ending.exit))
            }
        };
        let (facts, grid, alternate_screen) = if behaviour.looks_at_screen() {
            let survey = session.survey();
            (survey.facts, survey.grid, survey.alternate_screen)
        } else {
            Default::default()
        };
        // After the screen: output that came in between makes the session look less silent, never more.
        let last_output = session.last_output();
        let tty = if behaviour.looks_at_tty() { session.tty_facts().ok() } else { None };
        let of_this_run = |(number, at): (u64, Instant)| (number == run).then_some(at);
        Observed {
            run,
            phase,
            last_output,
            facts,
            grid,
            alternate_screen,
            tty,
            hook: told.hook.and_then(|(number, event)| (number == run).then_some(event)),
            tools_listed: told.tools_listed.and_then(of_this_run),
        }
    }

    pub(crate) fn observation(&self) -> Observation<'_> {
        Observation {
            phase: self.phase,
            run: self.run,
            last_output: self.last_output,
            facts: &self.facts,
            grid: &self.grid,
            alternate_screen: self.alternate_screen,
            tty: self.tty,
            hook: self.hook.as_ref(),
            tools_listed: self.tools_listed,
        }
    }
}

struct Follower {
    session: Session,
    shared: Arc<Shared>,
    tracker: Tracker,
    clock: Clock,
}

impl Follower {
    async fn follow(&mut self) {
        let mut pulse = self.session.pulse();
        let mut told = self.shared.told.subscribe();
        loop {
            let looked = tokio::time::Instant::now();
            if pulse.borrow_and_update().removed {
                self.shared.glance.send_modify(|glance| glance.over = true);
                return;
            }
            told.mark_unchanged();
            let look_again = self.look();
            let clock = self.clock.clone();
            let due = async {
                match look_again {
                    Some(at) => clock.sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // The senders live in the session and in `shared`.
                _ = pulse.changed() => tokio::time::sleep_until(looked + LOOK_INTERVAL).await,
                _ = told.changed() => {}
                () = due => {}
            }
        }
    }

    fn look(&mut self) -> Option<Instant> {
        let observed = Observed::of(&self.session, self.shared.told(), self.tracker.behaviour());
        let now = self.clock.now();
        let look = self.tracker.look(&observed.observation(), now);
        let look_again = look.look_again;
        self.publish(&look, &observed, now);
        *self.shared.look() = Some(look);
        look_again
    }

    fn publish(&self, look: &Look, observed: &Observed, now: Instant) {
        let state = look.state;
        let evidence = look.because.as_ref();
        let detail = match (evidence, observed.phase) {
            (Some(evidence), _) => evidence.detail.clone(),
            (None, RunPhase::Ended(exit)) => describe_end(exit),
            (None, RunPhase::Starting) => "it is being started".into(),
            (None, RunPhase::Running) if state == State::Starting => "it has not shown yet what it does".into(),
            (None, RunPhase::Running) => "no rule of its preset recognises what it shows".into(),
        };
        let source = match (evidence, state) {
            (Some(evidence), _) => Some(evidence.source),
            (None, State::Starting | State::Exited) => Some(super::Source::Process),
            (None, _) => None,
        };
        self.shared.glance.send_if_modified(|glance| {
            let known = &glance.status;
            let changed = known.state != state || known.changes == 0;
            let status = AgentStatus {
                state,
                since: if changed { now } else { known.since },
                since_time: if changed { self.clock.system_now() } else { known.since_time },
                source,
                rule: evidence.map(|evidence| evidence.rule.clone()),
                kind: evidence.and_then(|evidence| evidence.kind.clone()),
                detail,
                changes: known.changes + u64::from(changed),
            };
            let new = Glance { status, readiness: look.readiness.clone(), input: look.input.clone(), over: false };
            let moved = *glance != new;
            *glance = new;
            moved
        });
    }
}

fn describe_end(exit: Option<engine::ExitStatus>) -> String {
    match exit {
        Some(exit) => exit.to_string(),
        None => "it could not be started".into(),
    }
}
