//! Returns the memory of freed sessions to the system.
//!
//! A history is freed in small pieces between those of others, and the allocator keeps such pages for future use. After
//! a flood they may not be needed for days, so the allocator is told to return them.

use std::time::Duration;

use tokio::sync::mpsc;

use crate::lifecycle::blocking;

/// Smaller amounts are kept for the next sessions.
const WORTH_IT: usize = 1 << 20;
/// Minimum interval, since sessions are often removed one after the other, and walking all heaps takes milliseconds
/// (0.8 s was seen).
const PAUSE: Duration = Duration::from_secs(1);
/// Threads that allocate may have to wait meanwhile, so constant reading of long histories must not trigger it often.
const REST: Duration = Duration::from_secs(9);

/// Notified of freed memory. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct FreedMemory(mpsc::UnboundedSender<usize>);

impl FreedMemory {
    /// Must be called in a tokio runtime.
    pub(crate) fn watch() -> Self {
        let (sender, freed) = mpsc::unbounded_channel();
        tokio::spawn(give_back(freed));
        FreedMemory(sender)
    }

    /// This many bytes are about to be freed.
    pub(crate) fn note(&self, bytes: usize) {
        // Fails only when the runtime has ended, and the program with it.
        let _ = self.0.send(bytes);
    }
}

/// Runs until all senders are dropped.
async fn give_back(mut freed: mpsc::UnboundedReceiver<usize>) {
    let mut bytes = 0;
    while let Some(more) = freed.recv().await {
        bytes += more;
        if bytes >= WORTH_IT {
            while freed.try_recv().is_ok() {}
            // What is noted from here on may not be freed yet when the pages are returned: it counts for the next time.
            tokio::time::sleep(PAUSE).await;
            blocking(pty::return_free_pages).await;
            bytes = 0;
            tokio::time::sleep(REST).await;
        }
    }
}
