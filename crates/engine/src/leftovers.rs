//! What remains of a session when its program has ended: background jobs, daemons that kept the
//! terminal, children that closed it.
//!
//! They are found by the kernel's session number, which all descendants share unless they began a
//! session of their own (`setsid`): those left on purpose and are out of reach. So is everything
//! on systems other than Linux, where only the terminal's hang-up reaches them.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pty::{Pid, Signal};
use tokio::sync::oneshot;

use crate::fair_lock::lock;
use crate::lifecycle::blocking;
use crate::run::Process;

/// Nothing announces the end of processes that are not our children. Looked for only while some are left.
const CHECK_EVERY: Duration = Duration::from_millis(20);
/// Each round kills all there are; more than a few are needed only against a fork bomb.
const KILL_ROUNDS: usize = 50;

/// Finds and ends them. A look goes through every process of the system (some 10 µs each), so
/// those who want one at the same time share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leftovers {
    census: Arc<Mutex<Census>>,
}

#[derive(Debug, Default)]
struct Census {
    under_way: bool,
    /// Served by the next look: one that is under way may have passed what they ask for.
    waiting: Vec<oneshot::Sender<Arc<HashSet<Pid>>>>,
}

impl Leftovers {
    /// Hangs up on whatever is left of the ended `processes`, gives it until `until`, then kills it.
    pub(crate) async fn sweep(&self, processes: Vec<Arc<Process>>, until: Instant) {
        let left = self.with_members(processes).await;
        if left.is_empty() {
            return;
        }
        let mut left = signal_all(left, &[Signal::HUP, Signal::CONT]).await;
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

    async fn with_members(&self, mut processes: Vec<Arc<Process>>) -> Vec<Arc<Process>> {
        let sessions = self.look().await;
        processes.retain(|process| sessions.contains(&process.pid));
        processes
    }

    /// The sessions that have a process, at some moment after the call.
    async fn look(&self) -> Arc<HashSet<Pid>> {
        let (sender, receiver) = oneshot::channel();
        let idle = {
            let mut census = lock(&self.census);
            census.waiting.push(sender);
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
        let sessions = Arc::new(pty::processes::sessions());
        for waiter in waiting {
            // One that was dropped no longer wants to know.
            let _ = waiter.send(sessions.clone());
        }
    }
}

/// Those that had anything to signal. A number that belongs to a stranger by now has not.
async fn signal_all(mut processes: Vec<Arc<Process>>, signals: &'static [Signal]) -> Vec<Arc<Process>> {
    blocking(move || {
        processes.retain(|process| {
            let child = process.child();
            let reached = signals.iter().map(|signal| child.signal_session(*signal).unwrap_or(0));
            reached.max().unwrap_or(0) > 0
        });
        processes
    })
    .await
}
