//! WatchSessions: the list, then each change to it.

use std::collections::HashMap;

use engine::{Engine, EngineEvent, Session, SessionId};
use futures_util::{Stream, stream};
use tokio::sync::broadcast::{self, error::RecvError};
use tonic::Status;

use crate::{
    convert,
    proto::{SessionList, SessionRemoved, WatchSessionsEvent, watch_sessions_event::Event},
};

pub(super) fn events(engine: Engine) -> impl Stream<Item = Result<WatchSessionsEvent, Status>> + Send {
    // Listening starts before the list is taken: a change in between is sent twice, never missed.
    let watch = SessionsWatch { changes: engine.events(), engine, known: None };
    stream::unfold(watch, |mut watch| async {
        let event = watch.next().await?;
        Some((Ok(WatchSessionsEvent { event: Some(event) }), watch))
    })
}

struct SessionsWatch {
    engine: Engine,
    changes: broadcast::Receiver<EngineEvent>,
    /// Names of the sessions that the client knows; `None` before the first list.
    known: Option<HashMap<SessionId, String>>,
}

impl SessionsWatch {
    async fn next(&mut self) -> Option<Event> {
        if self.known.is_none() {
            return Some(self.snapshot());
        }
        loop {
            let change = match self.changes.recv().await {
                Ok(change) => change,
                Err(RecvError::Lagged(_)) => return Some(self.snapshot()),
                Err(RecvError::Closed) => return None,
            };
            let event = match change {
                EngineEvent::Added(id)
                | EngineEvent::Status(id, _)
                | EngineEvent::Renamed(id)
                | EngineEvent::Owner(id, _)
                | EngineEvent::Reported(id) => self.changed(id),
                EngineEvent::Removed(id) => self.removed(id),
            };
            if event.is_some() {
                return event;
            }
        }
    }

    fn snapshot(&mut self) -> Event {
        let sessions = self.engine.list();
        self.known = Some(sessions.iter().map(|session| (session.id(), name_of(session))).collect());
        Event::Snapshot(SessionList {
            sessions: sessions.iter().map(|session| convert::session(session.info())).collect(),
        })
    }

    fn changed(&mut self, id: SessionId) -> Option<Event> {
        // Gone by now: its removal is the next event.
        let session = self.engine.get(id).ok()?;
        let was_known = self.known.as_mut()?.insert(id, name_of(&session)).is_some();
        let session = convert::session(session.info());
        Some(if was_known { Event::Changed(session) } else { Event::Added(session) })
    }

    fn removed(&mut self, id: SessionId) -> Option<Event> {
        let name = self.known.as_mut()?.remove(&id)?;
        Some(Event::Removed(SessionRemoved { id: id.to_string(), name }))
    }
}

fn name_of(session: &Session) -> String {
    session.name().map(|name| name.to_string()).unwrap_or_default()
}
