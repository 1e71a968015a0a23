//! Wishes to end a run: by a signal, by the person, because the terminal is gone. Counted, so that a second one is
//! heard as such.

use std::sync::Arc;

use tokio::sync::watch;

/// Where wishes are made. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Ending(Arc<watch::Sender<(u32, &'static str)>>);

impl Ending {
    pub(crate) fn new() -> Self {
        Ending(Arc::new(watch::Sender::new((0, ""))))
    }

    pub(crate) fn wish(&self, why: &'static str) {
        self.0.send_modify(|(count, last)| {
            *count += 1;
            *last = why;
        });
    }

    pub(crate) fn wishes(&self) -> Wishes {
        Wishes { receiver: self.0.subscribe(), heard: 0 }
    }
}

/// Hears every wish from the first on.
#[derive(Clone, Debug)]
pub(crate) struct Wishes {
    receiver: watch::Receiver<(u32, &'static str)>,
    heard: u32,
}

impl Wishes {
    /// The next wish, and why. Dropping the future loses none.
    pub(crate) async fn next(&mut self) -> &'static str {
        let heard = self.heard;
        let wish = self.receiver.wait_for(|(count, _)| *count > heard).await.map(|wish| wish.1);
        let Ok(why) = wish else {
            // Nobody can wish any more.
            return std::future::pending().await;
        };
        self.heard += 1;
        why
    }
}
