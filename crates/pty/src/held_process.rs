//! A process that need not be a child of this one, held so that its number can't be mistaken.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use crate::{Pid, Signal};

/// Readable (see [`AsFd`]) once the process has ended, and from then on.
#[derive(Debug)]
pub struct HeldProcess {
    system: system::Hold,
}

impl HeldProcess {
    /// `NotFound` if there is no such process any more.
    pub fn hold(pid: Pid) -> io::Result<Self> {
        Ok(Self { system: system::Hold::new(pid)? })
    }

    /// Signals this process, and never another one that got its number since. `NotFound` if it has ended.
    ///
    /// On macOS, where signals go by number, the process is looked at just before: a stranger is hit only if the number
    /// is freed and given away within those few microseconds.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        self.system.signal(signal)
    }
}

impl AsFd for HeldProcess {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.system.as_fd()
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

    use rustix::io::Errno;
    use rustix::process::{PidfdFlags, pidfd_open};

    use crate::{Pid, Signal};

    #[derive(Debug)]
    pub(super) struct Hold {
        pidfd: OwnedFd,
    }

    impl Hold {
        pub(super) fn new(pid: Pid) -> io::Result<Self> {
            Ok(Self { pidfd: pidfd_open(pid.to_rustix(), PidfdFlags::empty()).map_err(not_found_if_gone)? })
        }

        pub(super) fn signal(&self, signal: Signal) -> io::Result<()> {
            crate::signal::send_by_pidfd(self.pidfd.as_fd(), signal, 0).map_err(not_found_if_gone)
        }

        pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
            self.pidfd.as_fd()
        }
    }

    fn not_found_if_gone(error: Errno) -> io::Error {
        match error {
            Errno::SRCH => io::ErrorKind::NotFound.into(),
            other => other.into(),
        }
    }
}

#[cfg(target_os = "macos")]
mod system {
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd};

    use crate::exit_watch::{ExitWatch, Watched};
    use crate::{Pid, Signal};

    #[derive(Debug)]
    pub(super) struct Hold {
        pid: Pid,
        /// It watches this process, whatever becomes of its number.
        watch: ExitWatch,
    }

    impl Hold {
        pub(super) fn new(pid: Pid) -> io::Result<Self> {
            let watch = ExitWatch::new()?;
            match watch.begin(pid)? {
                Watched::Running => Ok(Self { pid, watch }),
                Watched::Ended => Err(io::ErrorKind::NotFound.into()),
            }
        }

        pub(super) fn signal(&self, signal: Signal) -> io::Result<()> {
            if self.watch.has_ended()? {
                return Err(io::ErrorKind::NotFound.into());
            }
            match crate::signal::kill_process(self.pid, signal) {
                Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Err(io::ErrorKind::NotFound.into()),
                other => other,
            }
        }

        pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
            self.watch.as_fd()
        }
    }
}
