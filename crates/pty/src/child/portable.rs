//! Unix systems without pidfds. Untested.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};

use super::{ExitStatus, ReapWait};
use crate::{Pid, Signal};

/// A thread waits for the child's end without reaping it, and then closes its end of a pipe, which makes the other end
/// readable.
#[derive(Debug)]
pub(crate) struct WaiterHandle {
    pid: Pid,
    exit: OwnedFd,
    reaped: bool,
}

impl WaiterHandle {
    pub(crate) fn new(pid: Pid) -> io::Result<Self> {
        let (exit, held_while_alive) = rustix::pipe::pipe()?;
        for end in [&exit, &held_while_alive] {
            rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
        }
        std::thread::Builder::new().name("pty-wait".into()).spawn(move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Err(Errno::INTR) = waitid(WaitId::Pid(pid.to_rustix()), options) {}
            drop(held_while_alive);
        })?;
        Ok(Self { pid, exit, reaped: false })
    }

    pub(super) fn reap(&mut self, patience: ReapWait) -> io::Result<Option<ExitStatus>> {
        let options = match patience {
            ReapWait::None => WaitOptions::NOHANG,
            ReapWait::Endless => WaitOptions::empty(),
        };
        let waited = loop {
            match waitpid(Some(self.pid.to_rustix()), options) {
                Err(Errno::INTR) => {}
                other => break other?,
            }
        };
        let Some((_, waited)) = waited else { return Ok(None) };
        self.reaped = true;
        let status = match (waited.exit_status(), waited.terminating_signal()) {
            (Some(code), _) => ExitStatus::Code(code),
            (None, signal) => ExitStatus::Signal(signal.expect("without UNTRACED only ends are reported")),
        };
        Ok(Some(status))
    }

    pub(super) fn signal_group(&self, leader: Pid, signal: Signal) -> io::Result<()> {
        if self.reaped {
            return Err(io::ErrorKind::NotFound.into());
        }
        match crate::signal::kill_group(leader, signal) {
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Err(io::ErrorKind::NotFound.into()),
            other => other,
        }
    }

    pub(super) fn signal_session(&self, _leader: Pid, _signal: Signal) -> io::Result<usize> {
        Ok(0)
    }
}

impl AsFd for WaiterHandle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.exit.as_fd()
    }
}
