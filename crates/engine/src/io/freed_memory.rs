//! What sessions leave goes back to the system.
//!
//! A history is freed in small pieces among those of others, and the allocator keeps such pages for what may come. After a
//! flood nothing may come for days, so it is told to let go of them.

use std::time::Duration;

use tokio::sync::mpsc;

use crate::lifecycle::blocking;

/// Less is kept for the next sessions.
const WORTH_IT: usize = 1 << 20;
/// Those who remove one session often remove more, and a look through all heaps takes milliseconds, and was seen
/// to take 0.8 s: at most once a second.
const PAUSE: Duration = Duration::from_secs(1);
/// Threads that want memory may have to wait for the look: nobody who reads long histories all day causes many.
const REST: Duration = Duration::from_secs(9);

/// Told of what is freed. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct FreedMemory(mpsc::UnboundedSender<usize>);

impl FreedMemory {
    /// Needs a tokio runtime around it.
    pub(crate) fn watch() -> Self {
        let (sender, freed) = mpsc::unbounded_channel();
        tokio::spawn(give_back(freed));
        FreedMemory(sender)
    }

    /// So many bytes are about to be freed.
    pub(crate) fn note(&self, bytes: usize) {
        // Fails only when the runtime has gone, and the program with it.
        let _ = self.0.send(bytes);
    }
}

/// Until nobody is left to free anything.
async fn give_back(mut freed: mpsc::UnboundedReceiver<usize>) {
    let mut bytes = 0;
    while let Some(more) = freed.recv().await {
        bytes += more;
        if bytes >= WORTH_IT {
            tokio::time::sleep(PAUSE).await;
            while freed.try_recv().is_ok() {}
            blocking(pty::return_free_pages).await;
            bytes = 0;
            tokio::time::sleep(REST).await;
        }
    }
}
