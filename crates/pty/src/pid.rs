//! Numbers of processes and process groups.

use std::fmt;

/// A process id, or the id of a process group: always positive, so that it can never turn a `kill`
/// into "every process" (-1) or "my own group" (0).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pid(i32);

impl Pid {
    pub const fn new(raw: i32) -> Option<Self> {
        if raw > 0 { Some(Self(raw)) } else { None }
    }

    pub const fn as_raw(self) -> i32 {
        self.0
    }

    pub(crate) fn to_rustix(self) -> rustix::process::Pid {
        rustix::process::Pid::from_raw(self.0).expect("a Pid is positive")
    }
}

impl From<rustix::process::Pid> for Pid {
    fn from(pid: rustix::process::Pid) -> Self {
        Self(pid.as_raw_pid())
    }
}

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pid({})", self.0)
    }
}
