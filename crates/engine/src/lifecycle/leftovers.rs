//! Processes left over when a session's program has ended: background jobs, daemons that kept the terminal, children
//! that closed it.
//!
//! They are found by the kernel's session number, which all descendants share unless they started a session of their
//! own (`setsid`): those left on purpose and are out of reach.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pty::{Pid, RememberedSession, Signal};
use tokio::sync::oneshot;

use crate::fair_lock::lock;
use crate::io::run::RunProcess;
use crate::lifecycle::{blocking, deadline};

/// The end of processes that are not our children is not announced. Polled only while some are left.
const CHECK_EVERY: Duration = Duration::from_millis(20);
/// Each round kills all of them; more than a few rounds are needed only against a fork bomb.
const KILL_ROUNDS: usize = 50;

/// Something that may have left processes behind.
pub(crate) trait Remains: Clone + Send + 'static {
    fn session(&self) -> Pid;
    /// Returns how many processes were signalled. Processes under a reused number are not.
    fn signal(&self, signal: Signal) -> usize;
}

impl Remains for Arc<RunProcess> {
    fn session(&self) -> Pid {
        self.pid
    }

    fn signal(&self, signal: Signal) -> usize {
        self.child().signal_session(signal).unwrap_or(0)
    }
}

impl Remains for RememberedSession {
    fn session(&self) -> Pid {
        self.leader()
    }

    fn signal(&self, signal: Signal) -> usize {
        RememberedSession::signal(self, signal).unwrap_or(0)
    }
}

/// Ends what is left of the sessions of a program that is gone: asks, waits for the grace period, kills. Must be called
/// in a tokio runtime.
pub async fn end_remembered_sessions(sessions: Vec<RememberedSession>, grace: Duration) {
    LeftoverFinder::default().sweep(sessions, deadline(grace)).await;
}

/// Finds and ends leftover processes. A search reads every process of the system (some 1 µs each), so simultaneous
/// requests share one.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftoverFinder {
    census: Arc<Mutex<Census>>,
}

#[derive(Debug, Default)]
struct Census {
    under_way: bool,
    /// Answered by the next search: the current one may have passed the processes in question.
    waiting: Vec<LeftoverQuery>,
}

#[derive(Debug)]
struct LeftoverQuery {
    sessions: Vec<Pid>,
    answer: oneshot::Sender<Arc<HashSet<Pid>>>,
}

impl LeftoverFinder {
    /// Asks all that is left of `ended` to end, waits until `until`, then kills it. These processes have ignored the
    /// hang-up of their terminal, or got none.
    pub(crate) async fn sweep<R: Remains>(&self, ended: Vec<R>, until: Instant) {
        let left = self.with_members(ended).await;
        if left.is_empty() {
            return;
        }
        let mut left = signal_all(left, &[Signal::TERM, Signal::CONT]).await;
        while !left.is_empty() && Instant::now() < until {
            tokio::time::sleep(CHECK_EVERY).await;
            left = self.with_members(left).await;
        }
        for _ in 0..KILL_ROUNDS {
            if left.is_empty() {
                return;
            }
            left = signal_all(left, &[Signal::KILL]).await;
            tokio::time::sleep(CHECK_EVERY / 10).await;
            left = self.with_members(left).await;
        }
    }

    async fn with_members<R: Remains>(&self, mut remains: Vec<R>) -> Vec<R> {
        let living = self.look(remains.iter().map(R::session).collect()).await;
        remains.retain(|one| living.contains(&one.session()));
        remains
    }

    /// Those of `sessions` that have a process, at some moment after the call.
    async fn look(&self, sessions: Vec<Pid>) -> Arc<HashSet<Pid>> {
        let (answer, receiver) = oneshot::channel();
        let idle = {
            let mut census = lock(&self.census);
            census.waiting.push(LeftoverQuery { sessions, answer });
            !std::mem::replace(&mut census.under_way, true)
        };
        if idle {
            let census = self.census.clone();
            tokio::task::spawn_blocking(move || serve(&census));
        }
        // Fails only if the runtime is shutting down: then the result does not matter.
        receiver.await.unwrap_or_default()
    }
}

/// Searches until no request is left.
fn serve(census: &Mutex<Census>) {
    loop {
        let waiting = {
            let mut census = lock(census);
            census.under_way = !census.waiting.is_empty();
            std::mem::take(&mut census.waiting)
        };
        if waiting.is_empty() {
            return;
        }
        let sessions = waiting.iter().flat_map(|question| question.sessions.iter().copied()).collect();
        let living = Arc::new(pty::processes::living_sessions(&sessions));
        for question in waiting {
            // The caller has dropped its request.
            let _ = question.answer.send(living.clone());
        }
    }
}

/// Those that had any process to signal. Processes under a reused number don't count.
async fn signal_all<R: Remains>(mut remains: Vec<R>, signals: &'static [Signal]) -> Vec<R> {
    blocking(move || {
        remains.retain(|one| signals.iter().map(|signal| one.signal(*signal)).max().unwrap_or(0) > 0);
        remains
    })
    .await
}
