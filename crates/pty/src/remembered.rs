//! A session that is known by its number only, and that the number may not be its own any more.

use std::io;

use crate::{Pid, Signal};

/// The session of a program that somebody else started, or that has ended: what is left of it can still be signalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RememberedSession {
    leader: Pid,
    /// Until when its number was certainly its own, in clock ticks since boot; still, if `None`.
    certain_until: Option<u64>,
}

impl RememberedSession {
    /// Its leader has not been reaped: the number is its own.
    pub fn new(leader: Pid) -> Self {
        Self { leader, certain_until: None }
    }

    pub fn leader(&self) -> Pid {
        self.leader
    }

    /// Its leader is about to be reaped or has just been: from now on the number is its own only as long as it has a process.
    pub fn note_end(&mut self) {
        self.certain_until.get_or_insert_with(now_in_ticks);
    }

    /// As [`ChildProcess::signal_session`](crate::ChildProcess::signal_session).
    pub fn signal(&self, signal: Signal) -> io::Result<usize> {
        signal_members(self.leader, self.certain_until, signal, |_| true)
    }
}

#[cfg(target_os = "linux")]
pub(crate) use linux::signal_members;

#[cfg(target_os = "linux")]
use crate::processes::now_in_ticks;

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::os::fd::AsFd;

    use rustix::io::Errno;
    use rustix::process::{PidfdFlags, pidfd_open};

    use crate::processes::{ProcessStat, stat, stats_in_session};
    use crate::{Pid, Signal};

    /// Signals the wanted processes of the session that `leader` began, one by one.
    pub(crate) fn signal_members(
        leader: Pid,
        certain_until: Option<u64>,
        signal: Signal,
        wanted: impl Fn(&ProcessStat) -> bool,
    ) -> io::Result<usize> {
        let members = stats_in_session(leader);
        // A number is not handed out again while any process has it as its session. So one process
        // that is ours without doubt vouches for all others with this session number.
        let vouched = match certain_until {
            None => true,
            Some(certain) => members.iter().any(|process| process.started <= certain),
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

    /// Signals the very process that was looked at: once the pidfd is open, a second look tells whether
    /// the number had changed hands before.
    fn signal_exactly(seen: &ProcessStat, signal: Signal) -> Result<(), Errno> {
        let pidfd = pidfd_open(seen.pid.to_rustix(), PidfdFlags::empty())?;
        match stat(seen.pid) {
            Some(now) if now.started == seen.started => crate::signal::send_by_pidfd(pidfd.as_fd(), signal, 0),
            _ => Err(Errno::SRCH),
        }
    }

    #[cfg(test)]
    mod tests {
        use testkit::Script;

        use super::*;
        use crate::{PtySize, SpawnRequest, spawn};

        #[test]
        fn a_process_that_is_not_the_one_seen_is_spared() {
            let size = PtySize { cols: 80, rows: 24 };
            let argv = Script::new().hang().argv();
            let (_pty, mut child) = spawn(SpawnRequest { argv, env: Vec::new(), working_dir: None, size }).unwrap();
            let mut seen = stat(child.pid()).unwrap();
            seen.started += 1;
            assert_eq!(signal_exactly(&seen, Signal::KILL), Err(Errno::SRCH));
            assert_eq!(child.try_wait().unwrap(), None);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn now_in_ticks() -> u64 {
    0
}

#[cfg(not(target_os = "linux"))]
fn signal_members(_: Pid, _: Option<u64>, _: Signal, _: impl Fn(&Pid) -> bool) -> io::Result<usize> {
    Ok(0)
}
