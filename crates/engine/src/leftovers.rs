//! What remains of a session when its program has ended: background jobs, daemons that kept the
//! terminal, children that closed it.
//!
//! They are found by the kernel's session number, which all descendants share unless they began a
//! session of their own (`setsid`): those left on purpose and are out of reach. So is everything
//! on systems other than Linux, where only the terminal's hang-up reaches them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pty::Signal;

use crate::lifecycle::blocking;
use crate::run::Process;

/// Nothing announces the end of processes that are not our children. Looked for only while some are left.
const CHECK_EVERY: Duration = Duration::from_millis(20);
/// Each round kills all there are; more than a few are needed only against a fork bomb.
const KILL_ROUNDS: usize = 50;

/// Hangs up on whatever is left of the ended `processes`, gives it until `until`, then kills it.
pub(crate) async fn sweep(processes: Vec<Arc<Process>>, until: Instant) {
    let mut left = blocking(move || signal_all(with_members(processes), &[Signal::HUP, Signal::CONT])).await;
    while !left.is_empty() && Instant::now() < until {
        tokio::time::sleep(CHECK_EVERY).await;
        left = blocking(move || with_members(left)).await;
    }
    for _ in 0..KILL_ROUNDS {
        if left.is_empty() {
            return;
        }
        left = blocking(move || with_members(signal_all(left, &[Signal::KILL]))).await;
        tokio::time::sleep(CHECK_EVERY / 10).await;
    }
}

fn with_members(mut processes: Vec<Arc<Process>>) -> Vec<Arc<Process>> {
    processes.retain(|process| !pty::processes::session_members(process.pid).is_empty());
    processes
}

/// Those that had anything to signal. A number that belongs to a stranger by now has not.
fn signal_all(mut processes: Vec<Arc<Process>>, signals: &[Signal]) -> Vec<Arc<Process>> {
    processes.retain(|process| {
        let child = process.child();
        let reached = signals.iter().map(|signal| child.signal_session(*signal).unwrap_or(0));
        reached.max().unwrap_or(0) > 0
    });
    processes
}
