//! macOS: a child is held by its number, which is its own until it is reaped, and by a watch for its end.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::Errno;
use rustix::process::{WaitOptions, waitpid};

use super::{ExitStatus, ReapWait};
use crate::exit_watch::ExitWatch;
use crate::processes::{now, process_group_members};
use crate::remembered::signal_members;
use crate::{Pid, Signal};

#[derive(Debug)]
pub(crate) struct WatchedChild {
    pid: Pid,
    watch: ExitWatch,
    /// When the child was reaped and its pid became reusable, in the unit of process start times.
    reaped: Option<u64>,
}

impl WatchedChild {
    pub(crate) fn new(pid: Pid, watch: ExitWatch) -> Self {
        Self { pid, watch, reaped: None }
    }

    pub(super) fn reap(&mut self, patience: ReapWait) -> io::Result<Option<ExitStatus>> {
        let options = match patience {
            // The kernel tells of the end some microseconds before the exit status can be collected. So a child that
            // has ended is waited for: otherwise its end would be announced, and not be there yet.
            ReapWait::None if !self.watch.has_ended()? => WaitOptions::NOHANG,
            ReapWait::None | ReapWait::Endless => WaitOptions::empty(),
        };
        let waited = loop {
            match waitpid(Some(self.pid.to_rustix()), options) {
                Err(Errno::INTR) => {}
                other => break other?,
            }
        };
        let Some((_, waited)) = waited else { return Ok(None) };
        self.reaped = Some(now());
        let status = match (waited.exit_status(), waited.terminating_signal()) {
            (Some(code), _) => ExitStatus::Code(code),
            (None, signal) => ExitStatus::Signal(signal.expect("without UNTRACED only ends are reported")),
        };
        Ok(Some(status))
    }

    pub(super) fn signal_group(&self, leader: Pid, signal: Signal) -> io::Result<()> {
        let gone = || Err(io::ErrorKind::NotFound.into());
        if self.reaped.is_some() {
            return match signal_members(leader, self.reaped, signal, |process| process.group == leader.as_raw())? {
                0 => gone(),
                _ => Ok(()),
            };
        }
        match crate::signal::kill_group(leader, signal) {
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => gone(),
            // Also the answer for a group of zombies only.
            Err(error) if error.raw_os_error() == Some(libc::EPERM) && process_group_members(leader).is_empty() => {
                gone()
            }
            other => other,
        }
    }

    pub(super) fn signal_session(&self, leader: Pid, signal: Signal) -> io::Result<usize> {
        signal_members(leader, self.reaped, signal, |_| true)
    }
}

impl AsFd for WatchedChild {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.watch.as_fd()
    }
}
