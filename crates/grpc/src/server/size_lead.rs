//! Which attached client determines a session's size: the one that typed last.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use engine::SessionId;

/// Identifies an attachment for the server's lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AttachmentId(u64);

#[derive(Debug, Default)]
pub(super) struct SizeLeads {
    leaders: Mutex<HashMap<SessionId, AttachmentId>>,
    next: AtomicU64,
}

impl SizeLeads {
    pub(super) fn new_attachment(&self) -> AttachmentId {
        AttachmentId(self.next.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn take(&self, session: SessionId, attachment: AttachmentId) {
        self.lock().insert(session, attachment);
    }

    pub(super) fn is_leader(&self, session: SessionId, attachment: AttachmentId) -> bool {
        self.lock().get(&session) == Some(&attachment)
    }

    /// The session keeps its size until someone else types.
    pub(super) fn give_up(&self, session: SessionId, attachment: AttachmentId) {
        let mut leaders = self.lock();
        if leaders.get(&session) == Some(&attachment) {
            leaders.remove(&session);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, AttachmentId>> {
        // Each change is a single step, so the map is valid even after a panic elsewhere.
        self.leaders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
