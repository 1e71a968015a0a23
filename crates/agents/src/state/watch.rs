//! The state of a live session, kept by one task that sleeps until something moves.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{ChildFacts, Clock, RawOutput, Session, Status, TtyFacts, VersionedFrame};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::behaviour::Behaviour;
use super::explanation::Explanation;
use super::matching::InputText;
use super::observation::{HookEvent, Observation, RunPhase};
use super::prompt::Prompt;
use super::tracker::{PendingDecision, Readiness, StateLook, Tracker};
use super::vocabulary::{AgentStatus, State};

/// Cheap to clone. The watch ends with the session, or when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct StateWatch {
    inner: Arc<WatchInner>,
}

#[derive(Debug)]
struct WatchInner {
    shared: Arc<WatchShared>,
    task: AbortHandle,
}

/// What the task and the handles share.
#[derive(Debug)]
struct WatchShared {
    session: Session,
    behaviour: Arc<Behaviour>,
    told: watch::Sender<ExternalSignals>,
    /// Moves when what a reader may wait for does.
    board: watch::Sender<StateBoard>,
    /// For reports of what was printed when.
    times: Mutex<VecDeque<OutputTime>>,
    /// Numbers the looks, so that an older one never overwrites a newer one's answer.
    looks: AtomicU64,
}

/// Output that was seen by then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputTime {
    pub(crate) at: Instant,
    /// Absolute offset of the first byte after it.
    pub(crate) end: u64,
}

/// Times that are kept: at one each 10 ms, twenty seconds of a flood.
const MAX_TIMES: usize = 2048;

/// What a report is made of.
#[derive(Debug)]
pub(crate) struct SessionPast {
    pub(crate) now: Instant,
    pub(crate) raw: RawOutput,
    pub(crate) size: vt::Size,
    pub(crate) times: Vec<OutputTime>,
    pub(crate) hook: Option<HookEvent>,
}

/// The latest look, and the memory that the next one needs. One lock guards both.
#[derive(Debug)]
pub(crate) struct StateBoard {
    tracker: Tracker,
    number: u64,
    look: StateLook,
    pub(crate) glance: AgentSnapshot,
}

/// What came from outside the session's terminal, each with the run it was about.
#[derive(Clone, Debug, Default)]
struct ExternalSignals {
    tools_listed: Option<(u64, Instant)>,
    hook: Option<(u64, HookEvent)>,
    prompt_sent: Option<(u64, Instant)>,
}

/// What waits look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentSnapshot {
    pub(crate) status: AgentStatus,
    pub(crate) readiness: Readiness,
    pub(crate) input: InputText,
    pub(crate) pending: Option<PendingDecision>,
    pub(crate) prompt: Option<Prompt>,
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

/// Whether something waits for a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskedDecision {
    None,
    Prompt(Prompt),
    /// Something does, and no rule of the preset can read it.
    Unreadable,
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
        let shared = Arc::new(WatchShared {
            board: watch::Sender::new(StateBoard::new(&session, &behaviour)),
            session,
            behaviour,
            told: watch::Sender::new(ExternalSignals::default()),
            times: Mutex::default(),
            looks: AtomicU64::new(1),
        });
        let task = tokio::spawn(follow(shared.clone())).abort_handle();
        StateWatch { inner: Arc::new(WatchInner { shared, task }) }
    }

    pub fn session(&self) -> &Session {
        &self.inner.shared.session
    }

    pub fn behaviour(&self) -> &Arc<Behaviour> {
        &self.inner.shared.behaviour
    }

    /// Looks now: never older than the call.
    pub fn current(&self) -> AgentStatus {
        self.glance().status
    }

    pub fn readiness(&self) -> Readiness {
        self.glance().readiness
    }

    /// What stands in the agent's prompt box.
    pub fn input(&self) -> InputText {
        self.glance().input
    }

    /// What it asks by a look taken now, where that can be read.
    pub fn prompt(&self) -> Option<Prompt> {
        self.glance().prompt
    }

    /// What a look taken now finds waiting for a decision.
    pub fn asked_decision(&self) -> AskedDecision {
        let glance = self.glance();
        match glance.prompt {
            Some(prompt) => AskedDecision::Prompt(prompt),
            None if glance.status.state == State::Blocked || glance.pending.is_some() => AskedDecision::Unreadable,
            None => AskedDecision::None,
        }
    }

    /// Tells of every change of the state, its detail, the readiness, the prompt box or what is asked from now on.
    pub fn changes(&self) -> StateChanges {
        StateChanges { board: self.inner.shared.board.subscribe() }
    }

    /// Every vote of a look taken now.
    pub fn explain(&self) -> Explanation {
        self.inner.shared.look();
        let board = self.inner.shared.board.borrow();
        Explanation::new(board.glance.status.clone(), board.look.clone())
    }

    /// The CLI in this session has asked for the list of our tools.
    pub fn tools_listed(&self) {
        let at = (self.session().run_number(), self.clock().now());
        self.inner.shared.told.send_modify(|told| told.tools_listed = Some(at));
    }

    /// The agent's hook or plugin has reported something; `command` is what the agent is about to do, where the event is
    /// about that.
    pub fn hook(&self, name: &str, detail: &str, command: Option<&str>) {
        let event = HookEvent::new(name, detail, self.clock().now());
        let run = self.session().run_number();
        self.inner.shared.told.send_modify(|told| {
            let earlier = told.hook.take().filter(|(earlier, _)| *earlier == run);
            let known = earlier.as_ref().and_then(|(_, event)| event.command.as_deref());
            told.hook = Some((run, event.with_command(known).with_command(command)));
        });
        // Each one is looked at: the next may come before the task gets to it.
        self.inner.shared.look();
    }

    /// Waits until the state is one of `wanted`, or the run ends, or the time is up. With `after`,
    /// only a state reached by a later change counts (see [`AgentStatus::changes`]).
    pub fn wait_for(
        &self,
        wanted: &[State],
        after: Option<u64>,
        timeout: Duration,
    ) -> impl Future<Output = StateOutcome> + Send + use<> {
        self.inner.shared.look();
        let mut board = self.inner.shared.board.subscribe();
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
                let glance = board.borrow_and_update().glance.clone();
                let new = after.is_none_or(|changes| glance.status.changes > changes);
                if new && wanted.contains(&glance.status.state) {
                    return StateOutcome::Reached(glance.status);
                }
                if glance.over || glance.status.state == State::Exited {
                    return StateOutcome::Exited(glance.status);
                }
                tokio::select! {
                    // The sender lives as long as `watch`.
                    _ = board.changed() => {}
                    () = &mut timed_out => return StateOutcome::TimedOut(watch.current()),
                }
            }
        }
    }

    /// A prompt was taken whose Enter was pressed at `at`: older signs of idleness don't count for a while.
    pub(crate) fn prompt_sent(&self, at: Instant) {
        let sent = (self.session().run_number(), at);
        self.inner.shared.told.send_modify(|told| told.prompt_sent = Some(sent));
        self.inner.shared.look();
    }

    pub(crate) fn clock(&self) -> &Clock {
        self.session().clock()
    }

    /// What is still known of the run's output, and when it came.
    pub(crate) fn past(&self) -> SessionPast {
        let shared = &self.inner.shared;
        shared.note_output_time();
        let session = &shared.session;
        let hook = shared.told.borrow().hook.clone();
        SessionPast {
            now: self.clock().now(),
            raw: session.raw(0, usize::MAX),
            size: session.info().size,
            times: shared.times.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect(),
            hook: hook.and_then(|(run, event)| (run == session.run_number()).then_some(event)),
        }
    }

    pub(crate) fn board(&self) -> watch::Receiver<StateBoard> {
        self.inner.shared.board.subscribe()
    }

    pub(crate) fn glance(&self) -> AgentSnapshot {
        self.inner.shared.look();
        self.inner.shared.board.borrow().glance.clone()
    }

    /// The session as it is now, for conditions that are not rules.
    pub(crate) fn observe(&self) -> ObservedSession {
        self.inner.shared.observe()
    }
}

/// See [`StateWatch::changes`].
#[derive(Debug)]
pub struct StateChanges {
    board: watch::Receiver<StateBoard>,
}

impl StateChanges {
    /// The status after the next change, or `None` when the watch is gone.
    pub async fn next(&mut self) -> Option<AgentStatus> {
        self.board.changed().await.ok()?;
        Some(self.board.borrow_and_update().glance.status.clone())
    }
}

impl Drop for WatchInner {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl WatchShared {
    fn note_output_time(&self) {
        let time = OutputTime { at: self.session.last_output(), end: self.session.output_offset() };
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        if times.back().is_none_or(|last| last.end < time.end) {
            if times.len() == MAX_TIMES {
                times.pop_front();
            }
            times.push_back(time);
        }
    }

    fn observe(&self) -> ObservedSession {
        // A copy: no lock is held while the session's are taken.
        let told = self.told.borrow().clone();
        ObservedSession::of(&self.session, told, &self.behaviour)
    }

    /// Looks at the session, and says when to look again though nothing happens.
    fn look(&self) -> Option<Instant> {
        let number = self.looks.fetch_add(1, Ordering::Relaxed);
        let observed = self.observe();
        let clock = self.session.clock();
        self.board.send_if_modified(|board| board.look(number, &observed, clock));
        self.board.borrow().look.look_again
    }
}

/// Everything an [`Observation`] borrows.
#[derive(Debug)]
pub(crate) struct ObservedSession {
    run: u64,
    phase: RunPhase,
    last_output: Instant,
    facts: ChildFacts,
    grid: String,
    /// `None` also where the screen moved on between the two looks at it.
    colours: Option<VersionedFrame>,
    alternate_screen: bool,
    cols: u16,
    tty: Option<TtyFacts>,
    hook: Option<HookEvent>,
    tools_listed: Option<Instant>,
    prompt_sent: Option<Instant>,
}

impl ObservedSession {
    fn of(session: &Session, told: ExternalSignals, behaviour: &Behaviour) -> Self {
        let run = session.run_number();
        let phase = match session.status() {
            Status::Starting => RunPhase::Starting,
            Status::Running => RunPhase::Running,
            Status::Stopped | Status::Exited | Status::Errored => {
                RunPhase::Ended(session.info().ending.and_then(|ending| ending.exit))
            }
        };
        let (facts, grid, colours, alternate_screen, cols) = if behaviour.looks_at_screen() {
            let survey = session.survey();
            let colours = behaviour.looks_at_colours(&survey.grid).then(|| session.frame());
            let colours = colours.filter(|frame| frame.version == survey.version);
            (survey.facts, survey.grid, colours, survey.alternate_screen, survey.size.cols)
        } else if behaviour.looks_at_reports() {
            (session.facts(), String::new(), None, false, 0)
        } else {
            Default::default()
        };
        // After the screen: output that came in between makes the session look less silent, never more.
        let last_output = session.last_output();
        let tty = if behaviour.looks_at_tty() { session.tty_facts().ok() } else { None };
        let of_this_run = |(number, at): (u64, Instant)| (number == run).then_some(at);
        ObservedSession {
            run,
            phase,
            last_output,
            facts,
            grid,
            colours,
            alternate_screen,
            cols,
            tty,
            hook: told.hook.and_then(|(number, event)| (number == run).then_some(event)),
            tools_listed: told.tools_listed.and_then(of_this_run),
            prompt_sent: told.prompt_sent.and_then(of_this_run),
        }
    }

    pub(crate) fn observation(&self) -> Observation<'_> {
        Observation {
            phase: self.phase,
            run: self.run,
            last_output: self.last_output,
            facts: &self.facts,
            grid: &self.grid,
            rows: self.colours.as_ref().map(|colours| colours.frame.rows.as_slice()),
            alternate_screen: self.alternate_screen,
            cols: self.cols,
            tty: self.tty,
            hook: self.hook.as_ref(),
            tools_listed: self.tools_listed,
            prompt_sent: self.prompt_sent,
        }
    }
}

impl StateBoard {
    /// With a first look, so that nobody ever reads an answer without one.
    fn new(session: &Session, behaviour: &Arc<Behaviour>) -> Self {
        let clock = session.clock();
        let observed = ObservedSession::of(session, ExternalSignals::default(), behaviour);
        let mut tracker = Tracker::new(behaviour.clone());
        let look = tracker.look(&observed.observation(), clock.now());
        let status = status(&look, &observed, None, clock);
        let glance = AgentSnapshot {
            status,
            readiness: look.readiness.clone(),
            input: look.input.clone(),
            pending: look.pending.clone(),
            prompt: look.prompt.clone(),
            over: false,
        };
        StateBoard { tracker, number: 0, look, glance }
    }

    /// Whether a reader would see a difference.
    fn look(&mut self, number: u64, observed: &ObservedSession, clock: &Clock) -> bool {
        if number < self.number {
            return false;
        }
        self.number = number;
        self.look = self.tracker.look(&observed.observation(), clock.now());
        let glance = AgentSnapshot {
            status: status(&self.look, observed, Some(&self.glance.status), clock),
            readiness: self.look.readiness.clone(),
            input: self.look.input.clone(),
            pending: self.look.pending.clone(),
            prompt: self.look.prompt.clone(),
            over: self.glance.over,
        };
        let moved = self.glance != glance;
        self.glance = glance;
        moved
    }
}

fn status(look: &StateLook, observed: &ObservedSession, known: Option<&AgentStatus>, clock: &Clock) -> AgentStatus {
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
    let of_rule = evidence.and_then(|evidence| evidence.kind);
    let unchanged = known.filter(|known| known.state == state);
    AgentStatus {
        state,
        since: unchanged.map_or_else(|| clock.now(), |known| known.since),
        since_time: unchanged.map_or_else(|| clock.system_now(), |known| known.since_time),
        source,
        rule: evidence.map(|evidence| evidence.rule.clone()),
        kind: look.pending.as_ref().filter(|_| state == State::Blocked).and_then(|pending| pending.kind).or(of_rule),
        mode: look.mode.clone(),
        detail,
        changes: known.map_or(1, |known| known.changes + u64::from(unchanged.is_none())),
    }
}

/// Looks whenever something moved, or could have by time alone. Ends with the session.
async fn follow(shared: Arc<WatchShared>) {
    let mut pulse = shared.session.late_pulse();
    let mut told = shared.told.subscribe();
    let clock = shared.session.clock().clone();
    loop {
        if pulse.borrow_and_update().removed {
            shared.look();
            shared.board.send_modify(|board| board.glance.over = true);
            return;
        }
        told.mark_unchanged();
        shared.note_output_time();
        let look_again = shared.look();
        let due = async {
            match look_again {
                Some(at) => clock.sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // The senders live in the session and in `shared`.
            _ = pulse.changed() => {}
            _ = told.changed() => {}
            () = due => {}
        }
    }
}

fn describe_end(exit: Option<engine::ExitStatus>) -> String {
    match exit {
        Some(exit) => exit.to_string(),
        None => "it could not be started".into(),
    }
}
