//! Linux: a child is held by its pidfd, which can't be mistaken for another process.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::process::{PidfdFlags, WaitId, WaitIdOptions, pidfd_open, waitid};

use super::{ExitStatus, Patience};
use crate::processes::{ProcessStat, all_stats, now_in_ticks, stat};
use crate::{Pid, Signal};

#[derive(Debug)]
pub(crate) struct Handle {
    pidfd: OwnedFd,
    /// When the child was reaped and its number ceased to be certain, in clock ticks since boot.
    reaped: Option<u64>,
}

/// Linux 6.9: `pidfd_send_signal` reaches the process group that the pidfd's process leads or led.
const PIDFD_SIGNAL_PROCESS_GROUP: u32 = 1 << 2;

impl Handle {
    pub(crate) fn new(pidfd: OwnedFd) -> Self {
        Self { pidfd, reaped: None }
    }

    pub(super) fn reap(&mut self, patience: Patience) -> io::Result<Option<ExitStatus>> {
        let options = match patience {
            Patience::None => WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
            Patience::Endless => WaitIdOptions::EXITED,
        };
        let waited = loop {
            match waitid(WaitId::PidFd(self.pidfd.as_fd()), options) {
                Err(Errno::INTR) => {}
                other => break other?,
            }
        };
        let Some(waited) = waited else { return Ok(None) };
        self.reaped = Some(now_in_ticks());
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
        match self.signal_members(leader, signal, |process| process.group == leader.as_raw())? {
            0 => Err(io::ErrorKind::NotFound.into()),
            _ => Ok(()),
        }
    }

    pub(super) fn signal_session(&self, leader: Pid, signal: Signal) -> io::Result<usize> {
        self.signal_members(leader, signal, |_| true)
    }

    /// Signals the wanted processes of the session that `leader` began, one by one.
    fn signal_members(&self, leader: Pid, signal: Signal, wanted: impl Fn(&ProcessStat) -> bool) -> io::Result<usize> {
        let mut members = all_stats();
        members.retain(|process| process.session == leader.as_raw() && !process.is_dead());
        // A number is not handed out again while any process has it as its session. So one process
        // that is ours without doubt vouches for all others with this session number.
        let vouched = match self.reaped {
            None => true,
            Some(reaped) => members.iter().any(|process| process.started <= reaped),
        };
        if !vouched {
            return Ok(0);
        }
        let mut signalled = 0;
        let mut refused = None;
        for member in members.iter().filter(|member| wanted(member)) {
            match signal_exactly(member, signal) {
                Ok(()) => signalled += 1,
                // It ended while we were looking: what the caller wanted, more or less.
                Err(Errno::SRCH) => {}
                Err(other) => refused = Some(other),
            }
        }
        match refused {
            Some(errno) if signalled == 0 => Err(errno.into()),
            _ => Ok(signalled),
        }
    }
}

impl AsFd for Handle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }
}

/// Signals the very process that was looked at: once the pidfd is open, a second look tells whether
/// the number had changed hands before.
fn signal_exactly(seen: &ProcessStat, signal: Signal) -> Result<(), Errno> {
    let pidfd = pidfd_open(seen.pid.to_rustix(), PidfdFlags::empty())?;
    match stat(seen.pid) {
        Some(now) if now.started == seen.started => send_by_pidfd(pidfd.as_fd(), signal, 0),
        _ => Err(Errno::SRCH),
    }
}

fn not_found_if_gone(result: Result<(), Errno>) -> io::Result<()> {
    match result {
        Err(Errno::SRCH) => Err(io::ErrorKind::NotFound.into()),
        other => Ok(other?),
    }
}

#[expect(unsafe_code, reason = "rustix offers neither the flags nor real-time signals here")]
fn send_by_pidfd(pidfd: BorrowedFd<'_>, signal: Signal, flags: u32) -> Result<(), Errno> {
    // SAFETY: the descriptor is open for the length of the call, and the null pointer asks for the
    // siginfo that `kill` would send, so no memory of ours is read.
    let result = unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            pidfd.as_raw_fd(),
            signal.as_raw(),
            std::ptr::null::<libc::siginfo_t>(),
            flags,
        )
    };
    match result {
        0 => Ok(()),
        _ => Err(Errno::from_io_error(&io::Error::last_os_error()).expect("a failed call leaves a number")),
    }
}

#[cfg(test)]
mod tests {
    use testkit::Script;

    use super::*;
    use crate::{Child, Pty, Size, SpawnRequest, spawn};

    fn start(script: Script) -> (Pty, Child) {
        let size = Size { cols: 80, rows: 24 };
        let request = SpawnRequest { argv: script.argv(), env: Vec::new(), working_dir: None, size };
        spawn(request).unwrap()
    }

    fn is_gone(result: io::Result<()>) -> bool {
        result.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    /// The way of older kernels, on whatever kernel this is.
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

    #[test]
    fn a_process_that_is_not_the_one_seen_is_spared() {
        let (_pty, mut child) = start(Script::new().hang());
        let mut seen = stat(child.pid).unwrap();
        seen.started += 1;
        assert_eq!(signal_exactly(&seen, Signal::KILL), Err(Errno::SRCH));
        assert_eq!(child.try_wait().unwrap(), None);
    }
}
