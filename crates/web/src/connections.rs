//! Limits open connections: when there are too many, the one that has been silent longest is closed.
//!
//! Any user of the machine can connect and send nothing, and until the first request nothing tells such a connection
//! from a browser's. So every connection is accepted, and silent ones are closed to make room. WebSockets are not
//! counted here: they have shown a login, and count towards its budget.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Instant,
};

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use tokio::sync::Notify;

/// Maximum open connections. A browser opens six while it loads the page.
const MAX_CONNECTIONS: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct ConnectionTable {
    open: Mutex<Vec<Arc<TrackedConnection>>>,
    /// A connection has ended or fallen silent. Only the accept loop waits for this.
    changed: Notify,
}

#[derive(Debug)]
struct TrackedConnection {
    state: Mutex<ConnectionState>,
    leave: Notify,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionState {
    SilentSince(Instant),
    /// A request is being answered.
    Busy,
    /// It was told to close, and has not closed yet.
    Leaving,
}

impl TrackedConnection {
    fn state(&self) -> ConnectionState {
        *locked(&self.state)
    }

    /// `Leaving` is final.
    fn set(&self, new: ConnectionState) {
        let mut state = locked(&self.state);
        if *state != ConnectionState::Leaving {
            *state = new;
        }
    }

    fn silent_since(&self) -> Option<Instant> {
        match self.state() {
            ConnectionState::SilentSince(since) => Some(since),
            ConnectionState::Busy | ConnectionState::Leaving => None,
        }
    }
}

impl ConnectionTable {
    /// Registers a connection; another one may have to be closed for it.
    pub(crate) async fn enter(self: &Arc<Self>) -> ConnectionGuard {
        loop {
            {
                let mut open = locked(&self.open);
                if open.len() < MAX_CONNECTIONS {
                    let state = Mutex::new(ConnectionState::SilentSince(Instant::now()));
                    let connection = Arc::new(TrackedConnection { state, leave: Notify::new() });
                    open.push(connection.clone());
                    return ConnectionGuard { connections: self.clone(), connection };
                }
                // At most one connection is closing at a time: this loop may have been woken by something other than
                // its end.
                if open.iter().all(|connection| connection.state() != ConnectionState::Leaving) {
                    let silent = open.iter().filter_map(|connection| Some((connection.silent_since()?, connection)));
                    if let Some((_, oldest)) = silent.min_by_key(|(since, _)| *since) {
                        oldest.set(ConnectionState::Leaving);
                        oldest.leave.notify_one();
                    }
                }
            }
            self.changed.notified().await;
        }
    }
}

/// A connection's entry in the table, removed on drop.
#[derive(Debug)]
pub(crate) struct ConnectionGuard {
    connections: Arc<ConnectionTable>,
    connection: Arc<TrackedConnection>,
}

impl ConnectionGuard {
    /// Resolves when this connection must close to make room.
    pub(crate) async fn has_to_leave(&self) {
        self.connection.leave.notified().await;
    }

    /// Protects the connection from being closed while a request is answered.
    pub(crate) fn answering(&self) -> AnswerInProgress {
        self.connection.set(ConnectionState::Busy);
        AnswerInProgress { connections: self.connections.clone(), connection: self.connection.clone() }
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        locked(&self.connections.open).retain(|other| !Arc::ptr_eq(other, &self.connection));
        self.connections.changed.notify_one();
    }
}

#[derive(Debug)]
pub(crate) struct AnswerInProgress {
    connections: Arc<ConnectionTable>,
    connection: Arc<TrackedConnection>,
}

impl Drop for AnswerInProgress {
    fn drop(&mut self) {
        self.connection.set(ConnectionState::SilentSince(Instant::now()));
        self.connections.changed.notify_one();
    }
}

/// An answer's body: its connection counts as busy until the body is fully sent.
#[derive(Debug)]
pub(crate) struct AnswerBody {
    body: Body,
    _answering: AnswerInProgress,
}

impl AnswerBody {
    pub(crate) fn new(body: Body, answering: AnswerInProgress) -> Self {
        AnswerBody { body, _answering: answering }
    }
}

impl hyper::body::Body for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each change is a single step, so the value is valid even after a panic elsewhere.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn the_one_that_was_silent_for_longest_makes_way() {
        let connections = Arc::new(ConnectionTable::default());
        let mut present = full_house(&connections).await;
        // The first connection is answering, the second has just finished.
        let answering = present[0].answering();
        drop(present[1].answering());
        let mut next = Box::pin(connections.enter());
        assert!(next.as_mut().now_or_never().is_none());
        let told = |at: usize| present[at].has_to_leave().now_or_never().is_some();
        assert_eq!([told(0), told(1), told(2), told(3)], [false, false, true, false]);
        drop(present.remove(2));
        let next = next.await;
        assert_eq!(locked(&connections.open).len(), MAX_CONNECTIONS);
        drop((answering, present, next));
        assert_eq!(locked(&connections.open).len(), 0);
    }

    async fn full_house(connections: &Arc<ConnectionTable>) -> Vec<ConnectionGuard> {
        let mut present = Vec::new();
        for _ in 0..MAX_CONNECTIONS {
            present.push(connections.enter().await);
        }
        present
    }

    fn told(present: &[ConnectionGuard]) -> Vec<usize> {
        (0..present.len()).filter(|at| present[*at].has_to_leave().now_or_never().is_some()).collect()
    }

    #[tokio::test]
    async fn whoever_waits_in_a_busy_house_hears_of_the_first_that_falls_silent() {
        let connections = Arc::new(ConnectionTable::default());
        let mut present = full_house(&connections).await;
        let mut answering: Vec<_> = present.iter().map(ConnectionGuard::answering).collect();
        let mut next = Box::pin(connections.enter());
        assert!(next.as_mut().now_or_never().is_none());
        assert!(told(&present).is_empty());
        drop(answering.remove(7));
        assert!(next.as_mut().now_or_never().is_none());
        assert_eq!(told(&present), [7]);
        drop(present.remove(7));
        next.now_or_never().unwrap();
    }

    #[tokio::test]
    async fn one_makes_way_for_one() {
        let connections = Arc::new(ConnectionTable::default());
        let mut present = full_house(&connections).await;
        // One closed while nobody waited; the notification is kept.
        present.remove(0);
        present.push(connections.enter().await);
        let mut next = Box::pin(connections.enter());
        assert!(next.as_mut().now_or_never().is_none());
        assert_eq!(told(&present), [0]);
        // No second connection is closed because one falls silent meanwhile, or because the closing one got another
        // request.
        drop(present[9].answering());
        drop(present[0].answering());
        assert!(next.as_mut().now_or_never().is_none());
        assert!(told(&present).is_empty());
        drop(present.remove(0));
        let next = next.now_or_never().unwrap();
        assert!(told(&present).is_empty());
        drop(next);
    }
}
