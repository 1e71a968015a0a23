//! The host's bytes, waited for beside tasks.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use tokio::io::{Interest, unix::AsyncFd};

/// One read: a paste comes in several.
const READ_BYTES: usize = 16 << 10;

/// Registered with the runtime, so that a key wakes the loop itself and no thread before it.
#[derive(Debug)]
pub struct HostInput {
    fd: AsyncFd<OwnedFd>,
    /// For one read after the other: a key needs one byte of it.
    buffer: Box<[u8]>,
}

impl HostInput {
    /// Needs a runtime around it. `input` is another descriptor of the host's input.
    pub fn start(input: OwnedFd) -> io::Result<Self> {
        #[expect(
            deprecated,
            reason = "its successor wants a promise that an OwnedFd keeps by itself: to stay open and the same"
        )]
        let fd = AsyncFd::with_interest(input, Interest::READABLE)?;
        Ok(HostInput { fd, buffer: vec![0; READ_BYTES].into() })
    }

    /// The next bytes; `None` when the terminal is gone. Nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let mut ready = self.fd.readable().await.ok()?;
            // The descriptor blocks, as others have it open too, and the runtime tells only what is new: so it is asked
            // before each read whether there is something.
            // A failure is the read's to report.
            if has_input(self.fd.get_ref(), Some(Duration::ZERO), OnSignal::LookAgain) == Ok(false) {
                ready.clear_ready();
                continue;
            }
            match rustix::io::read(self.fd.get_ref(), &mut self.buffer[..]) {
                Ok(0) => return None,
                Ok(count) => return Some(self.buffer[..count].to_vec()),
                Err(Errno::INTR | Errno::AGAIN) => {}
                // What a terminal says that hung up.
                Err(_) => return None,
            }
        }
    }
}

/// What a signal does to a wait for input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnSignal {
    /// Nothing came: the caller may have something to do about the signal first.
    GiveUp,
    /// The time begins anew: for looks that don't wait, whose answer has to be right.
    LookAgain,
}

/// Whether there is something to read within `timeout`; `None` waits for ever.
pub(super) fn has_input(fd: impl AsFd, timeout: Option<Duration>, on_signal: OnSignal) -> Result<bool, Errno> {
    let timeout = timeout.map(|timeout| Timespec {
        tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: timeout.subsec_nanos().into(),
    });
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    loop {
        match (poll(&mut fds, timeout.as_ref()), on_signal) {
            (Err(Errno::INTR), OnSignal::LookAgain) => {}
            (Err(Errno::INTR), OnSignal::GiveUp) => return Ok(false),
            (ready, _) => return ready.map(|ready| ready > 0),
        }
    }
}
