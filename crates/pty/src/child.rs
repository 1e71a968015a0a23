//! A started program: its signals and its end.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use crate::{Pid, PollFd, PollFlags, Signal, poll};

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::PidfdHandle as ChildHandle;

#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
pub(crate) use macos::WatchedChild as ChildHandle;

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExitStatus {
    /// It exited by itself, with a code from 0 to 255.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exited with code {code}"),
            Self::Signal(number) => match Signal::try_from(*number) {
                Ok(signal) => write!(f, "ended by {signal}"),
                Err(_) => write!(f, "ended by signal {number}"),
            },
        }
    }
}

/// A child process: the leader of its own session and process group, whose ids are its pid.
///
/// Dropping a child that was not waited for kills its process group and reaps it: a `ChildProcess` that gets lost (in a
/// panic, say) leaves nothing behind. That takes about a millisecond, and never longer than one second.
#[derive(Debug)]
pub struct ChildProcess {
    pid: Pid,
    handle: ChildHandle,
    status: Option<ExitStatus>,
}

/// A killed process is gone within a millisecond unless the kernel itself holds it (a dead network mount): then its
/// zombie is left to the process that inherits this one's children.
const DROP_PATIENCE: Duration = Duration::from_secs(1);

impl ChildProcess {
    pub(crate) fn new(pid: Pid, handle: ChildHandle) -> Self {
        Self { pid, handle, status: None }
    }

    /// The child's pid, which is also its session's and its process group's id. After the child has
    /// been waited for, the number may belong to a stranger: show it, but don't signal by it.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Readable once the child has exited, and from then on.
    pub fn exit_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// The exit status if the child has ended; the first such call reaps it.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            self.status = self.handle.reap(ReapWait::None)?;
        }
        Ok(self.status)
    }

    /// Blocks until the child has ended.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.status {
                return Ok(status);
            }
            self.status = self.handle.reap(ReapWait::Endless)?;
        }
    }

    /// Signals every process in the child's process group. `NotFound` when no process is left in it.
    ///
    /// A number that was freed is never signalled. Until the child is reaped, its zombie keeps the
    /// number. After that, Linux 6.9 and newer are asked by pidfd, which names the group itself and
    /// not its number. Older kernels: only if a process is still there that started before the reap
    /// and is in the child's session, which proves that the number was never free; processes that
    /// started later are then reached through it, but not once it has ended. The same on macOS.
    pub fn signal_group(&self, signal: Signal) -> io::Result<()> {
        self.handle.signal_group(self.pid, signal)
    }

    /// Signals every process in the child's session, job-control groups and background jobs included, and returns how
    /// many there were. It reads every process of the system (about 1 µs each): use it at the end of a session only. To
    /// be sure of `KILL`, call it until it returns 0: a process may fork meanwhile.
    ///
    /// Processes that began a session of their own are out of reach; they have left on purpose.
    pub fn signal_session(&self, signal: Signal) -> io::Result<usize> {
        self.handle.signal_session(self.pid, signal)
    }
}

/// How long a reap may wait for the child's end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReapWait {
    None,
    Endless,
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        if let Ok(None) = self.try_wait() {
            // An error here can't be handled, and the wait below shows the effect anyway.
            let _ = self.signal_group(Signal::KILL);
            let mut fds = [PollFd::from_borrowed_fd(self.handle.as_fd(), PollFlags::IN)];
            let _ = poll(&mut fds, Some(DROP_PATIENCE));
            let _ = self.try_wait();
        }
    }
}
