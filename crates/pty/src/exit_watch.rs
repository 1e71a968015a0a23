//! macOS: notices the end of a process by a kqueue.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::kqueue::{
    Event, EventFilter, EventFlags, ProcessEvents, UserDefinedFlags, UserFlags, kevent, kqueue,
};
use rustix::io::Errno;

use crate::{Pid, PollFd, PollFlags, poll};

/// Readable once the watched process has ended, and from then on: the event is never taken out of the kqueue.
#[derive(Debug)]
pub(crate) struct ExitWatch {
    kqueue: OwnedFd,
}

/// What a watch found when it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watched {
    Running,
    /// There is no such process, or it is a zombie already.
    Ended,
}

impl ExitWatch {
    pub(crate) fn new() -> io::Result<Self> {
        let kqueue = kqueue()?;
        // A fork never inherits a kqueue, but an exec of this very process would.
        rustix::io::fcntl_setfd(&kqueue, rustix::io::FdFlags::CLOEXEC)?;
        Ok(Self { kqueue })
    }

    /// Begins to watch. If the process has ended already, the watch is readable at once.
    pub(crate) fn begin(&self, pid: Pid) -> io::Result<Watched> {
        match self.add(EventFilter::Proc { pid: pid.to_rustix(), flags: ProcessEvents::EXIT }, EventFlags::ADD) {
            Ok(()) => Ok(Watched::Running),
            Err(Errno::SRCH) => {
                self.trigger()?;
                Ok(Watched::Ended)
            }
            Err(other) => Err(other.into()),
        }
    }

    pub(crate) fn has_ended(&self) -> io::Result<bool> {
        let mut fds = [PollFd::new(&self.kqueue, PollFlags::IN)];
        Ok(poll(&mut fds, Some(Duration::ZERO))? > 0)
    }

    /// Makes the kqueue readable by an event of our own.
    fn trigger(&self) -> Result<(), Errno> {
        let event = |flags| EventFilter::User { ident: 0, flags, user_flags: UserDefinedFlags::new(0) };
        self.add(event(UserFlags::empty()), EventFlags::ADD)?;
        self.add(event(UserFlags::TRIGGER), EventFlags::empty())
    }

    #[expect(unsafe_code, reason = "events may name descriptors that are closed")]
    fn add(&self, filter: EventFilter, flags: EventFlags) -> Result<(), Errno> {
        let change = [Event::new(filter, flags, std::ptr::null_mut())];
        let mut nothing: [Event; 0] = [];
        // SAFETY: the change names a process or nothing, no descriptor. No event is taken, so nothing is written.
        unsafe { kevent(&self.kqueue, &change, &mut nothing, Some(Duration::ZERO)) }.map(drop)
    }
}

impl AsFd for ExitWatch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.kqueue.as_fd()
    }
}
