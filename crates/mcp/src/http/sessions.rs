//! Sessions of the older era over HTTP: clients that have initialized, and their requests in progress.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use hyper::HeaderMap;
use ops::{Caller, Context};
use tokio::task::AbortHandle;

use crate::{connection::CallerPresence, message::RequestId};

pub(super) const SESSION_HEADER: &str = "mcp-session-id";
/// Maximum sessions; the least recently used one is dropped for a new one.
const LIMIT: usize = 64;

pub(super) struct HttpSessions<C: Context> {
    state: Mutex<SessionTable<C>>,
}

struct SessionTable<C: Context> {
    sessions: HashMap<String, HttpSession<C>>,
    /// Counts requests, to find the least recently used session.
    now: u64,
}

struct HttpSession<C: Context> {
    presence: Arc<CallerPresence<C>>,
    running: HashMap<RequestId, AbortHandle>,
    used: u64,
}

impl<C: Context> Default for HttpSessions<C> {
    fn default() -> Self {
        HttpSessions { state: Mutex::new(SessionTable { sessions: HashMap::new(), now: 0 }) }
    }
}

impl<C: Context> HttpSessions<C> {
    fn state(&self) -> MutexGuard<'_, SessionTable<C>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session that the headers name: `None` without a name, an error if it does not exist or belongs to another
    /// caller.
    pub(super) fn named_in(&self, headers: &HeaderMap, caller: &Caller) -> Option<Result<String, ()>> {
        let name = headers.get(SESSION_HEADER)?.to_str().unwrap_or_default();
        let mut state = self.state();
        state.now += 1;
        let now = state.now;
        let found = state.sessions.get_mut(name).filter(|session| session.presence.caller == *caller);
        Some(match found {
            Some(session) => {
                session.used = now;
                Ok(name.to_owned())
            }
            None => Err(()),
        })
    }

    pub(super) fn presence(&self, name: &str) -> Option<Arc<CallerPresence<C>>> {
        self.state().sessions.get(name).map(|session| session.presence.clone())
    }

    pub(super) fn open(&self, presence: Arc<CallerPresence<C>>) -> Result<String, getrandom::Error> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut state = self.state();
        let oldest = state.sessions.iter().min_by_key(|(_, session)| session.used).map(|(name, _)| name.clone());
        let gone = oldest.filter(|_| state.sessions.len() >= LIMIT).and_then(|oldest| state.sessions.remove(&oldest));
        state.now += 1;
        let used = state.now;
        state.sessions.insert(name.clone(), HttpSession { presence, running: HashMap::new(), used });
        drop(state);
        drop(gone); // Dropping tells the host, which must not happen while our lock is held.
        Ok(name)
    }

    /// False if the id is in use.
    pub(super) fn started(&self, name: &str, id: &RequestId, cancel: AbortHandle) -> bool {
        let mut state = self.state();
        let Some(session) = state.sessions.get_mut(name) else { return true };
        session.running.retain(|_, running| !running.is_finished());
        if session.running.contains_key(id) {
            return false;
        }
        session.running.insert(id.clone(), cancel);
        true
    }

    pub(super) fn cancel(&self, name: &str, id: &RequestId) {
        let cancel = self.state().sessions.get_mut(name).and_then(|session| session.running.remove(id));
        if let Some(cancel) = cancel {
            cancel.abort();
        }
    }

    pub(super) fn remove(&self, name: &str) {
        let gone = self.state().sessions.remove(name);
        if let Some(session) = gone {
            session.running.values().for_each(AbortHandle::abort);
        }
    }
}
