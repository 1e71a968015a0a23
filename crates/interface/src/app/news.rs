//! News of sessions out of sight: the first output of each is announced once, and so is its first bell or notification.
//! A separate task waits for each, so that twenty quiet sessions cause no wake-ups, and one that rings all the time is
//! announced once.

use std::time::Instant;

use engine::{Kind, SessionEvent, SessionId};
use tokio::{sync::broadcast, task::AbortHandle};
use vt::Effect;

use super::{attention, model::InterfaceState, sessions::SessionItem, sources::SessionHandle};

/// The task that waits for a session's news. Dropping this aborts it.
#[derive(Debug)]
pub(crate) struct NewsWatch {
    task: AbortHandle,
}

impl Drop for NewsWatch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl InterfaceState {
    /// Watches every session out of sight until there is news of it.
    pub(super) fn watch_for_news(&mut self) {
        let (tasks, loop_tasks) = (self.tasks.clone(), self.loop_tasks());
        // A working agent draws all the time: its news is that it came to rest, which is announced separately.
        let wanted = |item: &&mut SessionItem| item.watched.is_none() && item.kind != Kind::Agent && !item.has_ended();
        let quiet = self.sessions.hidden().filter(|item| !item.unseen);
        for item in quiet.filter(wanted) {
            let (id, session, loop_tasks) = (item.id, item.session.clone(), loop_tasks.clone());
            let (settles, mut seen) = (item.settles, item.seen_offset);
            let task = tasks.spawn(async move {
                if settles > Instant::now() {
                    tokio::time::sleep_until(settles.into()).await;
                    seen = session.pulse().borrow().output_offset;
                }
                if prints_beyond(&session, seen).await {
                    // After the end of the loop there is nobody to report to.
                    let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| app.has_printed(id, seen)));
                }
            });
            item.watched = Some(NewsWatch { task: task.abort_handle() });
        }
        let silent = |item: &&mut SessionItem| !item.rang && item.bells.is_none() && item.kind != Kind::Agent;
        for item in self.sessions.unfocused().filter(silent) {
            let (id, events, loop_tasks) = (item.id, item.session.events(), loop_tasks.clone());
            let task = tasks.spawn(async move {
                if let Some(call) = calls(events).await {
                    let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| attention::rang(app, id, call)));
                }
            });
            item.bells = Some(NewsWatch { task: task.abort_handle() });
        }
    }

    fn has_printed(&mut self, id: SessionId, beyond: u64) {
        self.sessions.printed(id, beyond);
        self.watch_for_news();
        self.dirty = true;
    }
}

/// How a program out of sight calls for attention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProgramCall {
    Bell,
    /// With its text.
    Notice(String),
}

/// Waits for a bell or a notification; `None` if the session is gone.
async fn calls(mut events: broadcast::Receiver<SessionEvent>) -> Option<ProgramCall> {
    loop {
        match events.recv().await {
            Ok(SessionEvent::Child(Effect::Bell)) => return Some(ProgramCall::Bell),
            Ok(SessionEvent::Child(Effect::Notification(notice))) => {
                let words = [notice.title.as_str(), notice.body.as_str()];
                return Some(ProgramCall::Notice(words.join(" ")));
            }
            // Missed events do not matter: others followed.
            Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return None,
        }
    }
}

/// Waits until `session` has printed more than `seen`; false if it is gone.
async fn prints_beyond(session: &SessionHandle, seen: u64) -> bool {
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
