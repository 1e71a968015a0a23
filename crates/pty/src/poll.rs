//! Waiting on several file descriptors at once.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::Timespec;
pub use rustix::event::{PollFd, PollFlags};

/// Waits until one of `fds` is ready, or until `timeout` has passed (`None` waits without limit). Returns how many are
/// ready: 0 means timeout. If a signal handler runs meanwhile, the wait continues for the time that is left.
pub fn poll(fds: &mut [PollFd<'_>], timeout: Option<Duration>) -> io::Result<usize> {
    // A deadline too far away for the clock is treated as none.
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match rustix::event::poll(fds, left.as_ref()) {
            Err(rustix::io::Errno::INTR) => {}
            other => return Ok(other?),
        }
    }
}
