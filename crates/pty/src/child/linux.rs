//! Linux: a child is held by its pidfd, which can't be mistaken for another process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions, waitid};

use super::{ExitStatus, ReapWait};
use crate::processes::now;
use crate::remembered::signal_members;
use crate::signal::send_by_pidfd;
use crate::{Pid, Signal};

#[derive(Debug)]
pub(crate) struct PidfdHandle {
    pidfd: OwnedFd,
    /// When the child was reaped and its pid became reusable, in clock ticks since boot.
    reaped: Option<u64>,
}

/// Linux 6.9: `pidfd_send_signal` reaches the process group that the pidfd's process leads or led.
const PIDFD_SIGNAL_PROCESS_GROUP: u32 = 1 << 2;

impl PidfdHandle {
    pub(crate) fn new(pidfd: OwnedFd) -> Self {
        Self { pidfd, reaped: None }
    }

    pub(super) fn reap(&mut self, patience: ReapWait) -> io::Result<Option<ExitStatus>> {
        let options = match patience {
            ReapWait::None => WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
            ReapWait::Endless => WaitIdOptions::EXITED,
        };
        let waited = loop {
            match waitid(WaitId::PidFd(self.pidfd.as_fd()), options) {
                Err(Errno::INTR) => {}
                other => break other?,
            }
        };
        let Some(waited) = waited else { return Ok(None) };
        self.reaped = Some(now());
        let status = match (waited.exit_status(), waited.terminating_signal()) {
            (Some(code), _) => ExitStatus::Code(code),
            (None, signal) => ExitStatus::Signal(signal.expect("EXITED reports only exits and deaths by signal")),
        };
        Ok(Some(status))
    }

    pub(super) fn signal_group(&self, leader: Pid, signal: Signal) -> io::Result<()> {
        match send_by_pidfd(self.pidfd.as_fd(), signal, PIDFD_SIGNAL_PROCESS_GROUP) {
            Err(Errno::INVAL) => self.signal_group_before_6_9(leader, signal),
            other => not_found_if_gone(other),
        }
    }

    fn signal_group_before_6_9(&self, leader: Pid, signal: Signal) -> io::Result<()> {
        if self.reaped.is_none() {
            return not_found_if_gone(
                crate::signal::kill_group(leader, signal)
                    .map_err(|error| Errno::from_io_error(&error).expect("kill fails with a number")),
            );
        }
        match signal_members(leader, self.reaped, signal, |process| process.group == leader.as_raw())? {
            0 => Err(io::ErrorKind::NotFound.into()),
            _ => Ok(()),
        }
    }

    pub(super) fn signal_session(&self, leader: Pid, signal: Signal) -> io::Result<usize> {
        signal_members(leader, self.reaped, signal, |_| true)
    }
}

impl AsFd for PidfdHandle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }
}

fn not_found_if_gone(result: Result<(), Errno>) -> io::Result<()> {
    match result {
        Err(Errno::SRCH) => Err(io::ErrorKind::NotFound.into()),
        other => Ok(other?),
    }
}

#[cfg(test)]
mod tests {
    use testkit::Script;

    use super::*;
    use crate::{ChildProcess, Pty, PtySize, SpawnRequest, spawn};

    fn start(script: Script) -> (Pty, ChildProcess) {
        let size = PtySize { cols: 80, rows: 24 };
        let request = SpawnRequest { argv: script.argv(), env: Vec::new(), working_dir: None, size };
        spawn(request).unwrap()
    }

    fn is_gone(result: io::Result<()>) -> bool {
        result.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    /// The method for older kernels, usable on any kernel.
    #[test]
    fn a_group_is_signalled_without_6_9_too() {
        let (_pty, mut child) = start(Script::new().hang());
        child.handle.signal_group_before_6_9(child.pid, Signal::TERM).unwrap();
        assert_eq!(child.wait().unwrap(), ExitStatus::Signal(libc::SIGTERM));
        assert!(is_gone(child.handle.signal_group_before_6_9(child.pid, Signal::TERM)));
    }

    #[test]
    fn what_is_left_of_a_reaped_childs_group_is_signalled_without_6_9_too() {
        let (_pty, mut child) = start(Script::new().ignore("HUP").double_fork(60_000).exit(0));
        child.wait().unwrap();
        child.handle.signal_group_before_6_9(child.pid, Signal::TERM).unwrap();
        testkit::wait_until("the group is empty", || {
            is_gone(child.handle.signal_group_before_6_9(child.pid, Signal::TERM))
        });
    }

    #[test]
    fn processes_younger_than_the_reap_prove_nothing() {
        let (_pty, mut child) = start(Script::new().ignore("HUP").double_fork(60_000).exit(0));
        child.wait().unwrap();
        // As if the child had been reaped before the one that is left was born: then that one may
        // be a stranger's.
        child.handle.reaped = Some(0);
        assert!(is_gone(child.handle.signal_group_before_6_9(child.pid, Signal::TERM)));
        child.handle.signal_group(child.pid, Signal::KILL).unwrap();
    }
}
