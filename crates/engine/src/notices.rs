//! Notices sent up from sessions: to the supervisor, and to those who watch the list of sessions.
//!
//! Sending never waits.

use tokio::sync::{broadcast, mpsc};

use crate::names::SessionId;
use crate::session::status::{Owner, Status};

/// A change of the list of sessions. Only a hint: after a lag, list again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineEvent {
    Added(SessionId),
    Status(SessionId, Status),
    Renamed(SessionId),
    Owner(SessionId, Owner),
    /// What its program says of its own work has changed.
    Reported(SessionId),
    Removed(SessionId),
}

/// Engine events queued for a slow listener.
const EVENT_CAPACITY: usize = 1024;

#[derive(Clone, Debug)]
pub(crate) struct NoticeBus {
    events: broadcast::Sender<EngineEvent>,
    /// Unbounded, but contains at most one message per ended run that the supervisor has not handled.
    ended: mpsc::UnboundedSender<SessionId>,
}

impl NoticeBus {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<SessionId>) {
        let (ended, receiver) = mpsc::unbounded_channel();
        (NoticeBus { events: broadcast::Sender::new(EVENT_CAPACITY), ended }, receiver)
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<EngineEvent> {
        self.events.subscribe()
    }

    /// Having no listener is no error.
    pub(crate) fn tell(&self, event: EngineEvent) {
        let _ = self.events.send(event);
    }

    pub(crate) fn status(&self, id: SessionId, status: Status) {
        self.tell(EngineEvent::Status(id, status));
    }

    /// After a shutdown there is no supervisor, and nothing to supervise.
    pub(crate) fn ended(&self, id: SessionId) {
        let _ = self.ended.send(id);
    }
}
