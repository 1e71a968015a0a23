//! Restores the terminal exactly once, from any place where the program may end.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    termios::{OptionalActions, QueueSelector, Termios, tcflush, tcsetattr},
};

/// How long a host that reads nothing may delay our exit.
const PATIENCE: Duration = Duration::from_millis(500);

/// A handle that restores the terminal. Cheap to clone; all clones share one "done" flag.
#[derive(Clone, Debug)]
pub struct HostRestorer(Arc<RestoreState>);

#[derive(Debug)]
struct RestoreState {
    input: OwnedFd,
    output: OwnedFd,
    saved: Termios,
    /// There is something to restore.
    armed: AtomicBool,
    leave: Mutex<Vec<u8>>,
}

impl HostRestorer {
    pub(super) fn new(input: OwnedFd, output: OwnedFd, saved: Termios) -> Self {
        let leave = Mutex::default();
        HostRestorer(Arc::new(RestoreState { input, output, saved, armed: AtomicBool::new(false), leave }))
    }

    pub(super) fn output(&self) -> BorrowedFd<'_> {
        self.0.output.as_fd()
    }

    pub(super) fn saved(&self) -> &Termios {
        &self.0.saved
    }

    /// Sets the bytes that restore the terminal, and enables restoring.
    pub(super) fn arm(&self, leave: Vec<u8>) {
        *self.0.leave.lock().unwrap_or_else(PoisonError::into_inner) = leave;
        self.0.armed.store(true, Ordering::SeqCst);
    }

    /// Restores the terminal, unless it is restored already. Errors are ignored: there is nowhere left to report them.
    pub fn restore(&self) {
        let shared = &*self.0;
        if !shared.armed.swap(false, Ordering::SeqCst) {
            return;
        }
        // The lock is held only for a copy; a poisoned lock still holds valid bytes.
        let leave = shared.leave.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let _ = write_all(shared.output.as_fd(), &leave, Some(PATIENCE));
        // Discards late answers, which would otherwise be typed into the shell.
        let _ = tcflush(&shared.input, QueueSelector::IFlush);
        let _ = tcsetattr(&shared.input, OptionalActions::Now, &shared.saved);
    }
}

/// Writes all bytes, for at most `patience` if given.
pub(super) fn write_all(fd: BorrowedFd<'_>, mut bytes: &[u8], patience: Option<Duration>) -> Result<(), Errno> {
    let end = patience.map(|patience| Instant::now() + patience);
    while !bytes.is_empty() {
        if let Some(end) = end {
            let left = end.saturating_duration_since(Instant::now());
            let left = Timespec { tv_sec: 0, tv_nsec: left.subsec_nanos().into() };
            if poll(&mut [PollFd::new(&fd, PollFlags::OUT)], Some(&left))? == 0 {
                return Err(Errno::TIMEDOUT);
            }
        }
        match rustix::io::write(fd, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            // A process that shares the terminal made it non-blocking.
            Err(Errno::AGAIN) => {
                poll(&mut [PollFd::new(&fd, PollFlags::OUT)], None)?;
            }
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}
