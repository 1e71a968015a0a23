//! Wakes another thread from [`poll()`](crate::poll()).

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;

/// A file descriptor that becomes readable on [`PollWaker::wake`] and stays readable until [`PollWaker::drain`].
/// Several wakes before a drain count as one. Neither call blocks; share it by reference or `Arc`.
#[derive(Debug)]
pub struct PollWaker {
    readable: OwnedFd,
    /// The pipe's write end; an eventfd needs only one descriptor.
    #[cfg(target_os = "macos")]
    writable: OwnedFd,
}

impl PollWaker {
    #[cfg(target_os = "linux")]
    pub fn new() -> io::Result<Self> {
        use rustix::event::EventfdFlags;
        Ok(Self { readable: rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)? })
    }

    #[cfg(target_os = "macos")]
    pub fn new() -> io::Result<Self> {
        use rustix::fs::{OFlags, fcntl_setfl};
        let (readable, writable) = rustix::pipe::pipe()?;
        for end in [&readable, &writable] {
            rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
            fcntl_setfl(end, OFlags::NONBLOCK)?;
        }
        Ok(Self { readable, writable })
    }

    pub fn wake(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        let writable = &self.readable;
        #[cfg(target_os = "macos")]
        let writable = &self.writable;
        loop {
            match rustix::io::write(writable, &1u64.to_ne_bytes()) {
                Err(Errno::INTR) => {}
                // Full, so it is readable anyway.
                Ok(_) | Err(Errno::AGAIN) => return Ok(()),
                Err(other) => return Err(other.into()),
            }
        }
    }

    pub fn drain(&self) -> io::Result<()> {
        let mut sink = [0; 512];
        loop {
            match rustix::io::read(&self.readable, &mut sink) {
                Ok(0) | Err(Errno::AGAIN) => return Ok(()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(other) => return Err(other.into()),
            }
        }
    }
}

impl AsFd for PollWaker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.readable.as_fd()
    }
}
