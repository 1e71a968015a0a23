//! What remains of a session when its program has ended: background jobs, daemons that kept the
//! terminal, children that closed it.
//!
//! They are found by the kernel's session number, which all descendants share unless they began a
//! session of their own (`setsid`): those left on purpose and are out of reach. So is everything
//! on systems other than Linux, where only the terminal's hang-up reaches them.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pty::{Pid, RememberedSession, Signal};
use tokio::sync::oneshot;

use crate::fair_lock::lock;
use crate::io::run::RunProcess;
use crate::lifecycle::{blocking, deadline};

/// Nothing announces the end of processes that are not our children. Looked for only while some are left.
const CHECK_EVERY: Duration = Duration::from_millis(20);
/// Each round kills all there are; more than a few are needed only against a fork bomb.
const KILL_ROUNDS: usize = 50;

/// What may have left processes behind.
pub(crate) trait Remains: Clone + Send + 'static {
    fn session(&self) -> Pid;
    /// Answers how many processes it reached. One that belongs to a stranger by now is not reached.
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

/// Ends what is left of the sessions of a program that is no more: asks, waits for the grace, kills. Needs a tokio runtime
/// around it.
pub async fn end_remembered_sessions(sessions: Vec<RememberedSession>, grace: Duration) {
    LeftoverFinder::default().sweep(sessions, deadline(grace)).await;
}

/// Finds and ends them. A look goes through every process of the system (some 1 µs each), so
/// those who want one at the same time share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftoverFinder {
    census: Arc<Mutex<Census>>,
}

#[derive(Debug, Default)]
struct Census {
    under_way: bool,
    /// Served by the next look: one that is under way may have passed what they ask for.
    waiting: Vec<LeftoverQuery>,
}

#[derive(Debug)]
struct LeftoverQuery {
    sessions: Vec<Pid>,
    answer: oneshot::Sender<Arc<HashSet<Pid>>>,
}

impl LeftoverFinder {
    /// Asks whatever is left of what has `ended` to end, gives it until `until`, then kills it. It has ignored the
    /// hang-up that came with the end of its terminal, or none was sent to it.
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
        // Fails only if the runtime is going down: then nobody is left to sweep for.
        receiver.await.unwrap_or_default()
    }
}

/// Looks until nobody waits any more.
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
            // One that was dropped no longer wants to know.
            let _ = question.answer.send(living.clone());
        }
    }
}

/// Those that had anything to signal. A number that belongs to a stranger by now has not.
async fn signal_all<R: Remains>(mut remains: Vec<R>, signals: &'static [Signal]) -> Vec<R> {
    blocking(move || {
        remains.retain(|one| signals.iter().map(|signal| one.signal(*signal)).max().unwrap_or(0) > 0);
        remains
    })
    .await
}
