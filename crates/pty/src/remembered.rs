//! A session known only by its number, which may have been reused meanwhile.

use std::io;

use crate::held_process::HeldProcess;
use crate::processes::{ProcessStat, now, stat, stats_in_session};
use crate::{Pid, Signal};

/// The session of a program that another process started, or that has ended: its remaining processes can still be
/// signalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RememberedSession {
    leader: Pid,
    /// The time until which the number was certainly the session's own, in the unit of process start times; `None` if
    /// it still is.
    certain_until: Option<u64>,
}

impl RememberedSession {
    /// The leader has not been reaped, so the number is still its own.
    pub fn new(leader: Pid) -> Self {
        Self { leader, certain_until: None }
    }

    pub fn leader(&self) -> Pid {
        self.leader
    }

    /// The leader is being reaped or has just been reaped: from now on the number is the session's only while it has a
    /// process.
    pub fn note_end(&mut self) {
        self.certain_until.get_or_insert_with(now);
    }

    /// As [`ChildProcess::signal_session`](crate::ChildProcess::signal_session).
    pub fn signal(&self, signal: Signal) -> io::Result<usize> {
        signal_members(self.leader, self.certain_until, signal, |_| true)
    }
}

/// Signals the wanted processes of the session that `leader` began, one by one.
pub(crate) fn signal_members(
    leader: Pid,
    certain_until: Option<u64>,
    signal: Signal,
    wanted: impl Fn(&ProcessStat) -> bool,
) -> io::Result<usize> {
    let members = stats_in_session(leader);
    // A session number is not reused while any process is in that session. So one process that certainly belongs to
    // it proves the same for all others with this number.
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
            // It ended meanwhile, which has the wanted effect.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(other) => refused = Some(other),
        }
    }
    match refused {
        Some(error) if signalled == 0 => Err(error),
        _ => Ok(signalled),
    }
}

/// Signals exactly the process that was inspected: with the process held, a second look tells whether the number was
/// reused before.
fn signal_exactly(seen: &ProcessStat, signal: Signal) -> io::Result<()> {
    let held = HeldProcess::hold(seen.pid)?;
    match stat(seen.pid) {
        Some(now) if now.started == seen.started => held.signal(signal),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

#[cfg(all(test, target_os = "linux"))]
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
        assert_eq!(signal_exactly(&seen, Signal::KILL).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(child.try_wait().unwrap(), None);
    }
}
