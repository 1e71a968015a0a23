//! News of sessions out of sight: the first thing that one prints is told, once. Until then a task of its own waits for
//! it, so that twenty quiet sessions wake nobody.

use std::time::Instant;

use engine::{Kind, Session, SessionId};
use tokio::task::AbortHandle;

use super::{model::App, sessions::Item};

/// The task that waits for a session to print. It goes with this.
#[derive(Debug)]
pub(crate) struct OutputWatch {
    task: AbortHandle,
}

impl Drop for OutputWatch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl App {
    /// Every session out of sight is watched until there is news of it.
    pub(super) fn watch_for_news(&mut self) {
        let (tasks, notices) = (self.tasks.clone(), self.notices());
        // An agent draws all the time it works: that it came to rest is the news, and told as such.
        let wanted = |item: &&mut Item| item.watched.is_none() && item.kind != Kind::Agent && !item.has_ended();
        for item in self.sessions.quiet().filter(wanted) {
            let (id, session, notices) = (item.id, item.session.clone(), notices.clone());
            let (settles, mut seen) = (item.settles, item.seen_offset);
            let task = tasks.spawn(async move {
                if settles > Instant::now() {
                    tokio::time::sleep_until(settles.into()).await;
                    seen = session.pulse().borrow().output_offset;
                }
                if prints_beyond(&session, seen).await {
                    // After the end of the loop nobody is left to tell.
                    let _ = notices.send(Box::new(move |app: &mut App| app.has_printed(id, seen)));
                }
            });
            item.watched = Some(OutputWatch { task: task.abort_handle() });
        }
    }

    fn has_printed(&mut self, id: SessionId, beyond: u64) {
        self.sessions.printed(id, beyond);
        self.watch_for_news();
        self.dirty = true;
    }
}

/// Waits until `session` has printed more than `seen`; false when it is gone.
async fn prints_beyond(session: &Session, seen: u64) -> bool {
    let mut pulse = session.pulse();
    loop {
        let now = *pulse.borrow_and_update();
        if now.output_offset > seen {
            return true;
        }
        if now.removed || pulse.changed().await.is_err() {
            return false;
        }
    }
}
