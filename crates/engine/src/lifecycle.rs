//! Stopping, restarting and removing a session; starting it is in `start`.
//!
//! No lock is held from one step to the next. Concurrent operations on one session coordinate through its record: a
//! start claims the session, a stop marks the run, a removal marks the session for good.

pub(crate) mod environment;
pub(crate) mod leftovers;
pub(crate) mod orphans;
pub(crate) mod start;
pub(crate) mod supervisor;

use std::time::{Duration, Instant};

use pty::Signal;
use tokio::task::JoinError;
use tokio::time::timeout;

use crate::engine::EngineInner;
use crate::error::{Error, Result};
use crate::io::run::ProgramRun;
use crate::notices::EngineEvent;
use crate::session::Session;
use crate::session::pulse::LifePulse;
use crate::session::shared::SessionShared;
use crate::session::status::{Kind, Status};

/// How to end a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopRequest {
    /// `None`: TERM; for a terminal also HUP, as interactive shells ignore TERM.
    pub signal: Option<Signal>,
    /// Delay before the program is killed; `None` for the engine's default.
    pub grace: Option<Duration>,
}

/// A process that survives KILL for this long is stuck in the kernel.
const KILL_PATIENCE: Duration = Duration::from_secs(5);

impl Session {
    /// Signals the child's process group, and its terminal's foreground job. Nothing else happens: if the child exits,
    /// that counts as its own exit.
    pub fn kill(&self, signal: Signal) -> Result<()> {
        let run = self.shared().run()?;
        let reached = run.process.signal(signal).map_err(|source| self.internal("sending a signal", source))?;
        signal_job(&run, signal);
        if reached { Ok(()) } else { Err(Error::NotRunning { id: self.id(), status: self.status() }) }
    }

    /// Ends the run: asks, waits for the grace period, kills, and ends leftover processes. A session that is not
    /// running is left as it is.
    pub async fn stop(&self, request: StopRequest) -> Result<Status> {
        let session = self.clone();
        to_the_end(async move {
            session.end(&request).await;
            Ok(session.status())
        })
        .await
    }

    /// Stops the run, if there is one, and starts the program again. The session's children stay.
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

    /// Stops the session and everything below it, and removes them from the engine. Their names become free; handles
    /// stay readable.
    pub async fn remove(&self, request: StopRequest) -> Result<()> {
        let tree = self.engine().directory.tree(self.shared());
        let sessions = tree.into_iter().map(|shared| Session::new(self.engine().clone(), shared));
        let removals: Vec<_> =
            sessions.map(|session| tokio::spawn(async move { session.remove_alone(&request).await })).collect();
        for removal in removals {
            // Fails only if the runtime shuts down, and this future with it.
            let _ = removal.await;
        }
        Ok(())
    }

    async fn end(&self, request: &StopRequest) {
        let until = deadline(request.grace.unwrap_or(self.engine().options.grace));
        end_run(self.shared(), request, until).await;
        self.sweep(until).await;
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
    /// Removes an ended session from the list.
    pub(crate) fn forget(&self, shared: &SessionShared) {
        shared.record().process = None;
        self.directory.remove(shared.id);
        shared.publish_removal();
        self.notices.tell(EngineEvent::Removed(shared.id));
        // Its children are gone or going; this covers children that were just being added.
        self.notices.ended(shared.id);
    }
}

impl SessionShared {
    /// The I/O thread of an ended run is about to return.
    pub(crate) fn join_thread(&self) {
        let thread = self.record().thread.take();
        if let Some(thread) = thread {
            // The thread catches its own panics.
            let _ = thread.join();
        }
    }
}

/// Marks a session as being restarted, so that the end of its run does not end its children.
struct Restarting<'a>(&'a SessionShared);

impl<'a> Restarting<'a> {
    fn begin(shared: &'a SessionShared) -> Self {
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
        // The restart failed or was cancelled, so the end counts after all.
        if left_ended {
            self.0.notices.ended(self.0.id);
        }
    }
}

/// Ends the current run and returns when its I/O thread is done with it.
pub(crate) async fn end_run(shared: &SessionShared, request: &StopRequest, until: Instant) {
    let mut life = shared.life.subscribe();
    // The sender is in `shared`, so waiting can't fail, here and below.
    let _ = life.wait_for(|life| life.status != Status::Starting).await;
    let run = {
        let mut record = shared.record();
        let Some(run) = record.run.clone() else { return };
        record.stop_asked = true;
        run
    };
    ask_to_end(shared.kind, &run, request.signal);
    let number = run.number;
    let over = |life: &LifePulse| life.run != number || life.status.has_ended();
    if timeout(until.saturating_duration_since(Instant::now()), life.wait_for(over)).await.is_ok() {
        return;
    }
    // Signalling the group is enough: the child can't leave it, and other processes are swept up later.
    let _ = run.process.signal(Signal::KILL);
    if timeout(KILL_PATIENCE, life.wait_for(over)).await.is_err() {
        run.abandon();
        let _ = life.wait_for(over).await;
    }
}

/// A signal that can't be delivered is ignored: what counts is whether the run ends.
fn ask_to_end(kind: Kind, run: &ProgramRun, signal: Option<Signal>) {
    let asked = signal.unwrap_or(Signal::TERM);
    let _ = run.process.signal(asked);
    signal_job(run, asked);
    if signal.is_none() && kind == Kind::Terminal {
        let _ = run.process.signal(Signal::HUP);
    }
    // A stopped process handles signals only after CONT.
    let _ = run.process.signal(Signal::CONT);
    signal_job(run, Signal::CONT);
}

/// A shell puts each job into its own process group.
fn signal_job(run: &ProgramRun, signal: Signal) {
    if run.pty.foreground_group().is_some_and(|group| group != run.process.pid) {
        let _ = run.pty.signal_foreground(signal);
    }
}

/// The end of a grace period that starts now. An endless one lasts a year.
pub(crate) fn deadline(grace: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);
    Instant::now() + grace.min(YEAR)
}

/// Runs `work` to completion even if the caller goes away: half a stop would leave a process that was asked to end and
/// is never killed, and half a start one that is not recorded anywhere.
pub async fn to_the_end<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    unwrap_task(tokio::spawn(work).await).await
}

/// Runs briefly blocking work outside of the async tasks.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    unwrap_task(tokio::task::spawn_blocking(work).await).await
}

pub(crate) async fn unwrap_task<T>(done: Result<T, JoinError>) -> T {
    match done.map_err(JoinError::try_into_panic) {
        Ok(done) => done,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        // The runtime is shutting down and will not poll this future again.
        Err(Err(_)) => std::future::pending().await,
    }
}
