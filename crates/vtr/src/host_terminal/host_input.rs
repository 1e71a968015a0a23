//! A thread that reads the host's bytes, because a terminal can't be waited for beside tasks without it.

use std::{
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    },
    thread::JoinHandle,
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
};
use tokio::sync::mpsc;

/// Reads that may wait for the loop: a paste in flight, and no more.
const WAITING_READS: usize = 16;

/// Ends the thread when it is dropped.
#[derive(Debug)]
pub(crate) struct HostInput {
    bytes: mpsc::Receiver<Vec<u8>>,
    /// Closing it wakes the thread.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl HostInput {
    pub(crate) fn start(input: OwnedFd) -> io::Result<Self> {
        let (stop, stopped) = UnixStream::pair()?;
        let (sender, bytes) = mpsc::channel(WAITING_READS);
        let work = move || while read(&input, &stopped).is_some_and(|read| sender.blocking_send(read).is_ok()) {};
        let thread = std::thread::Builder::new().name("host-input".into()).spawn(work)?;
        Ok(HostInput { bytes, stop: Some(stop), thread: Some(thread) })
    }

    /// The next bytes; `None` when the terminal is gone.
    pub(crate) async fn next(&mut self) -> Option<Vec<u8>> {
        self.bytes.recv().await
    }
}

impl Drop for HostInput {
    fn drop(&mut self) {
        self.bytes.close();
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It panicked, if at all, after its work was done.
            let _ = thread.join();
        }
    }
}

/// What there is to read next; `None` at the end, or when it shall stop.
fn read(input: &OwnedFd, stopped: &UnixStream) -> Option<Vec<u8>> {
    let mut buffer = vec![0; 16 << 10];
    loop {
        let mut fds = [PollFd::from_borrowed_fd(stopped.as_fd(), PollFlags::IN), PollFd::new(input, PollFlags::IN)];
        match poll(&mut fds, None) {
            Err(Errno::INTR) => continue,
            Err(_) => return None,
            Ok(_) if !fds[0].revents().is_empty() => return None,
            Ok(_) => {}
        }
        match rustix::io::read(input, &mut buffer[..]) {
            Ok(0) => return None,
            Ok(count) => {
                buffer.truncate(count);
                return Some(buffer);
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            // What a terminal says that hung up.
            Err(_) => return None,
        }
    }
}
