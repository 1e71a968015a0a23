//! Starting, stopping, restarting and removing a session.
//!
//! No lock is held from one step to the next. Operations that meet on one session agree by its
//! record: a start claims the session, a stop marks the run, a removal marks the session for good.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pty::{PollWaker, Signal, SpawnError, SpawnRequest};
use tokio::task::JoinError;
use tokio::time::timeout;

use crate::engine::EngineInner;
use crate::error::{Error, Result};
use crate::io_thread;
use crate::notices::EngineEvent;
use crate::pulse::Life;
use crate::run::Run;
use crate::session::Session;
use crate::shared::Shared;
use crate::status::{Ending, Kind, Status};

/// How to end a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopRequest {
    /// `None`: TERM; for a terminal also HUP, as interactive shells ignore TERM.
    pub signal: Option<Signal>,
    /// Before it is killed; `None`: the engine's.
    pub grace: Option<Duration>,
}

/// What became of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Started {
    Now,
    /// It was running, or someone else was starting it.
    Already,
}

/// A process that outlives KILL for this long is in the kernel's hands.
const KILL_PATIENCE: Duration = Duration::from_secs(5);

impl Session {
    /// Signals the child's process group, and the job in its terminal's foreground. Nothing else:
    /// an end that follows is the child's own.
    pub fn kill(&self, signal: Signal) -> Result<()> {
        let run = self.shared().run()?;
        let reached = run.process.signal(signal).map_err(|source| self.internal("sending a signal", source))?;
        signal_job(&run, signal);
        if reached { Ok(()) } else { Err(Error::NotRunning { id: self.id(), status: self.status() }) }
    }

    /// Ends the run: asks, waits for the grace, kills, and sees to what it left behind. A session
    /// that is not running stays as it is.
    pub async fn stop(&self, request: StopRequest) -> Result<Status> {
        let session = self.clone();
        to_the_end(async move {
            session.end(&request).await;
            Ok(session.status())
        })
        .await
    }

    /// Runs the same command again, on an empty screen.
    pub async fn start(&self) -> Result<Started> {
        let session = self.clone();
        to_the_end(async move { session.start_now().await }).await
    }

    /// Stops the run, if there is one, and starts it again. The session's children stay.
    pub async fn restart(&self, request: StopRequest) -> Result<Status> {
        let session = self.clone();
        to_the_end(async move {
            let _restarting = Restarting::begin(session.shared());
            session.end(&request).await;
            session.start_now().await?;
            Ok(session.status())
        })
        .await
    }

    /// Stops the session and everything below it, and takes them out of the engine. Their names are
    /// free again; handles stay readable.
    pub async fn remove(&self, request: StopRequest) -> Result<()> {
        let tree = self.engine().directory.tree(self.shared());
        let sessions = tree.into_iter().map(|shared| Session::new(self.engine().clone(), shared));
        let removals: Vec<_> =
            sessions.map(|session| tokio::spawn(async move { session.remove_alone(&request).await })).collect();
        for removal in removals {
            // Fails only when the runtime goes down, and this future with it.
            let _ = removal.await;
        }
        Ok(())
    }

    async fn end(&self, request: &StopRequest) {
        let until = deadline(request.grace.unwrap_or(self.engine().options.grace));
        end_run(self.shared(), request, until).await;
        self.sweep(until).await;
    }

    async fn start_now(&self) -> Result<Started> {
        let (engine, shared) = (self.engine().clone(), self.shared().clone());
        if !shared.claim_start()? {
            return Ok(Started::Already);
        }
        shared.publish_life();
        // What the last run left behind would hold its ports and files.
        self.sweep(Instant::now()).await;
        let before = shared.clone();
        blocking(move || before.join_thread()).await;
        engine.clone().start_program(move || launch(&engine, &shared)).await?;
        Ok(Started::Now)
    }

    async fn remove_alone(&self, request: &StopRequest) {
        let shared = self.shared();
        let first = !std::mem::replace(&mut shared.record().removing, true);
        if !first {
            let _ = shared.life.subscribe().wait_for(|life| life.removed).await;
            return;
        }
        self.end(request).await;
        let joined = shared.clone();
        blocking(move || joined.join_thread()).await;
        self.engine().forget(shared);
    }

    async fn sweep(&self, until: Instant) {
        let process = self.shared().record().process.clone();
        if let Some(process) = process {
            self.engine().leftovers.sweep(vec![process], until).await;
        }
    }
}

impl EngineInner {
    /// Takes an ended session out of the list.
    pub(crate) fn forget(&self, shared: &Shared) {
        shared.record().process = None;
        self.directory.remove(shared.id);
        shared.publish_removal();
        self.notices.tell(EngineEvent::Removed(shared.id));
        // Its children are gone or going with it; those that were just being added are not.
        self.notices.ended(shared.id);
    }
}

impl Shared {
    /// `true` when the caller is now the one who starts the session.
    fn claim_start(&self) -> Result<bool> {
        let mut record = self.record();
        if record.removing {
            return Err(Error::NotFound { wanted: self.id.to_string() });
        }
        let free = record.status.has_ended();
        if free {
            record.status = Status::Starting;
            record.runs += 1;
        }
        Ok(free)
    }

    /// The I/O thread of an ended run is at its last line.
    pub(crate) fn join_thread(&self) {
        let thread = self.record().thread.take();
        if let Some(thread) = thread {
            // It catches its own panics.
            let _ = thread.join();
        }
    }

    pub(crate) fn fail_start(&self) {
        {
            let mut record = self.record();
            record.status = Status::Errored;
            record.run = None;
            record.ending = Some(Ending { exit: None, at: self.clock.system_now() });
        }
        self.publish_life();
    }
}

/// Marks a session as being restarted, so that its end is not taken for the end of its children.
struct Restarting<'a>(&'a Shared);

impl<'a> Restarting<'a> {
    fn begin(shared: &'a Shared) -> Self {
        shared.record().restarts += 1;
        Restarting(shared)
    }
}

impl Drop for Restarting<'_> {
    fn drop(&mut self) {
        let left_ended = {
            let mut record = self.0.record();
            record.restarts -= 1;
            record.restarts == 0 && record.status.has_ended()
        };
        // The restart failed or was given up: now it is an end after all.
        if left_ended {
            self.0.notices.ended(self.0.id);
        }
    }
}

/// Runs a claimed session's command. Blocks for some hundred microseconds, in a thread that may start programs.
pub(crate) fn launch(engine: &EngineInner, shared: &Arc<Shared>) -> Result<()> {
    let launched = try_launch(engine, shared);
    if launched.is_err() {
        shared.fail_start();
    }
    launched
}

fn try_launch(engine: &EngineInner, shared: &Arc<Shared>) -> Result<()> {
    // After the claim: a shutdown that came before is seen here, one that comes later waits for us.
    if engine.directory.is_closed() {
        return Err(Error::ShuttingDown);
    }
    let number = shared.record().runs;
    let size = {
        let mut screen = shared.screen.lock();
        if number > 1 {
            screen.begin_run();
        }
        screen.terminal.size()
    };
    let command = &shared.command;
    let (pty, child) = pty::spawn(SpawnRequest {
        argv: command.argv.clone(),
        env: command.env.clone(),
        working_dir: command.working_dir.clone(),
        size: pty::PtySize { cols: size.cols, rows: size.rows },
    })?;
    let waker = PollWaker::new().map_err(|source| SpawnError::TooManyFiles { source })?;
    let run = Arc::new(Run::new(number, pty, child, waker, shared.limits.input_queue));
    shared.note_output(shared.clock.now());
    {
        let mut record = shared.record();
        record.status = Status::Running;
        record.process = Some(run.process.clone());
        record.run = Some(run.clone());
        record.started_at = Some(shared.clock.system_now());
        record.ending = None;
        record.stop_asked = false;
    }
    // Before the thread begins: it may see the end of a short command at once.
    shared.publish_life();
    // Whoever sees the end of this run finds its thread in the record.
    let mut record = shared.record();
    record.thread =
        Some(io_thread::start(shared.clone(), run).map_err(|source| SpawnError::TooManyProcesses { source })?);
    Ok(())
}

/// Ends the run under way and returns when its I/O thread is done with it.
pub(crate) async fn end_run(shared: &Shared, request: &StopRequest, until: Instant) {
    let mut life = shared.life.subscribe();
    // The sender lives in `shared`: waiting can't fail, here and below.
    let _ = life.wait_for(|life| life.status != Status::Starting).await;
    let run = {
        let mut record = shared.record();
        let Some(run) = record.run.clone() else { return };
        record.stop_asked = true;
        run
    };
    ask_to_end(shared.kind, &run, request.signal);
    let number = run.number;
    let over = |life: &Life| life.run != number || life.status.has_ended();
    if timeout(until.saturating_duration_since(Instant::now()), life.wait_for(over)).await.is_ok() {
        return;
    }
    // Its group is enough: the child can't leave it, and what is elsewhere is swept up later.
    let _ = run.process.signal(Signal::KILL);
    if timeout(KILL_PATIENCE, life.wait_for(over)).await.is_err() {
        run.abandon();
        let _ = life.wait_for(over).await;
    }
}

/// A signal that can't be delivered is no matter: what decides is whether the run ends.
fn ask_to_end(kind: Kind, run: &Run, signal: Option<Signal>) {
    let asked = signal.unwrap_or(Signal::TERM);
    let _ = run.process.signal(asked);
    signal_job(run, asked);
    if signal.is_none() && kind == Kind::Terminal {
        let _ = run.process.signal(Signal::HUP);
    }
    // A stopped process gets signals only when it goes on.
    let _ = run.process.signal(Signal::CONT);
    signal_job(run, Signal::CONT);
}

/// A shell puts each job into a group of its own.
fn signal_job(run: &Run, signal: Signal) {
    if run.pty.foreground_group().is_some_and(|group| group != run.process.pid) {
        let _ = run.pty.signal_foreground(signal);
    }
}

/// When a grace given now is over. An endless one lasts a year.
pub(crate) fn deadline(grace: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);
    Instant::now() + grace.min(YEAR)
}

/// Does `work` even if whoever asked for it goes away: half a stop would leave a process that was
/// asked to end and is never killed, and half a start one that nobody has noted down.
pub async fn to_the_end<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    unwrap_task(tokio::spawn(work).await).await
}

/// Runs what may block for a moment beside the async tasks.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    unwrap_task(tokio::task::spawn_blocking(work).await).await
}

pub(crate) async fn unwrap_task<T>(done: Result<T, JoinError>) -> T {
    match done.map_err(JoinError::try_into_panic) {
        Ok(done) => done,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        // The runtime is going down and will not poll this future again.
        Err(Err(_)) => std::future::pending().await,
    }
}
