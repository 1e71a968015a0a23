//! The kernel's word that a child has printed something, heard before the session's own thread has read it.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::session::Session;

/// Whoever draws a key's echo can wake up while the session's thread reads it, instead of after it. Only a hint: nothing
/// is read here, and the pulse says when there is something to see. Made for one key and dropped with its echo, because
/// a flood would wake its owner for every read.
#[derive(Debug)]
pub struct OutputHint {
    fd: AsyncFd<OwnedFd>,
}

impl OutputHint {
    /// Comes once: then the session is about to move. Needs the runtime it was made in.
    pub async fn came(&self) {
        if self.fd.readable().await.is_err() {
            std::future::pending().await
        }
    }
}

impl Session {
    /// Needs a runtime around it. Fails when nothing runs, or for want of descriptors.
    pub fn output_hint(&self) -> io::Result<OutputHint> {
        let run = self.shared().run().map_err(io::Error::other)?;
        let copy = run.pty.as_fd().try_clone_to_owned()?;
        #[expect(
            deprecated,
            reason = "its successor wants a promise that an OwnedFd keeps by itself: to stay open and the same"
        )]
        let fd = AsyncFd::with_interest(copy, Interest::READABLE)?;
        Ok(OutputHint { fd })
    }
}
