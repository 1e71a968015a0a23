//! Reads the host's bytes asynchronously.

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

/// Bytes per read; a paste takes several.
const READ_BYTES: usize = 16 << 10;

/// Registered with the runtime, so that a key wakes the main loop directly, without a thread in between.
#[derive(Debug)]
pub struct HostInput {
    fd: AsyncFd<OwnedFd>,
    /// Reused by all reads: most keys are a few bytes.
    buffer: Box<[u8]>,
}

impl HostInput {
    /// Must be called inside a runtime. `input` is a duplicate of the host's input descriptor.
    pub fn start(input: OwnedFd) -> io::Result<Self> {
        #[expect(
            deprecated,
            reason = "its successor wants a promise that an OwnedFd keeps by itself: to stay open and the same"
        )]
        let fd = AsyncFd::with_interest(input, Interest::READABLE)?;
        Ok(HostInput { fd, buffer: vec![0; READ_BYTES].into() })
    }

    /// The next bytes; `None` when the terminal is gone. Cancel-safe.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let mut ready = self.fd.readable().await.ok()?;
            // The descriptor is blocking, since other processes share it, and the runtime reports readiness only by
            // edges: so readiness is polled before each read. Errors are reported by the read itself.
            if has_input(self.fd.get_ref(), Some(Duration::ZERO), OnSignal::LookAgain) == Ok(false) {
                ready.clear_ready();
                continue;
            }
            match rustix::io::read(self.fd.get_ref(), &mut self.buffer[..]) {
                Ok(0) => return None,
                Ok(count) => return Some(self.buffer[..count].to_vec()),
                Err(Errno::INTR | Errno::AGAIN) => {}
                // The error of a terminal that hung up.
                Err(_) => return None,
            }
        }
    }
}

/// The effect of a signal on a wait for input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnSignal {
    /// The wait ends without input: the caller may have to handle the signal first.
    GiveUp,
    /// The wait starts over: for polls with a zero timeout, whose answer must be right.
    LookAgain,
}

/// Whether there is something to read within `timeout`; `None` waits without limit.
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
