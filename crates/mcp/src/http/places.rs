//! Limits open connections: when there are too many, those whose client has shown a token are kept.
//!
//! Every user of the machine can reach loopback, and until its first request nothing tells a client from a stranger. So
//! every connection is accepted, strangers only for a short time; when all places are taken, the stranger that came
//! first is closed for the next connection. Clients with a token are never closed.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// Maximum open connections.
const PLACES: usize = 256;
/// Time limit for showing a token. A client on the same machine sends it at once.
const STRANGERS_TIME: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct ConnectionPlaces {
    room: Arc<Semaphore>,
    /// Notifies each stranger when it must close, in order of arrival.
    strangers: Mutex<VecDeque<Arc<Notify>>>,
}

impl ConnectionPlaces {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(ConnectionPlaces { room: Arc::new(Semaphore::new(PLACES)), strangers: Mutex::default() })
    }

    /// Takes a place for a connection; a stranger may be closed for it. Waits while all places belong to known clients.
    pub(super) async fn take(self: &Arc<Self>) -> ConnectionPlace {
        let free = match self.room.clone().try_acquire_owned() {
            Ok(free) => free,
            Err(_) => {
                if let Some(stranger) = self.strangers().pop_front() {
                    stranger.notify_one();
                }
                self.room.clone().acquire_owned().await.expect("nobody closes the semaphore")
            }
        };
        let leave = Arc::new(Notify::new());
        self.strangers().push_back(leave.clone());
        ConnectionPlace { places: self.clone(), leave, _taken: free }
    }

    fn strangers(&self) -> MutexGuard<'_, VecDeque<Arc<Notify>>> {
        // Each change is a single step, so the value is valid even after a panic elsewhere.
        self.strangers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection's place, freed on drop.
#[derive(Debug)]
pub(super) struct ConnectionPlace {
    places: Arc<ConnectionPlaces>,
    leave: Arc<Notify>,
    _taken: OwnedSemaphorePermit,
}

impl ConnectionPlace {
    /// The client has shown a valid token: from now on it is never closed for others.
    pub(super) fn keep(&self) {
        self.places.strangers().retain(|stranger| !Arc::ptr_eq(stranger, &self.leave));
    }

    /// Resolves when a stranger must close to make room, or its time is over.
    pub(super) async fn has_to_leave(&self) {
        let told = timeout(STRANGERS_TIME, self.leave.notified()).await.is_ok();
        if !told && !self.is_strangers() {
            // A known client, or a stranger that was notified just now.
            self.leave.notified().await;
        }
    }

    fn is_strangers(&self) -> bool {
        self.places.strangers().iter().any(|stranger| Arc::ptr_eq(stranger, &self.leave))
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        // Nobody is left to be told.
        self.keep();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tokio::time::Instant;

    use super::*;

    async fn all_taken(places: &Arc<ConnectionPlaces>) -> Vec<ConnectionPlace> {
        let mut taken = Vec::new();
        for _ in 0..PLACES {
            taken.push(places.take().await);
        }
        taken
    }

    #[tokio::test]
    async fn the_stranger_who_came_first_makes_way_and_nobody_else() {
        let places = ConnectionPlaces::new();
        let mut taken = all_taken(&places).await;
        taken[0].keep();
        let mut next = Box::pin(places.take());
        assert!(next.as_mut().now_or_never().is_none());
        let told = |at: usize| taken[at].has_to_leave().now_or_never().is_some();
        assert_eq!([told(0), told(1), told(2)], [false, true, false]);
        drop(taken.remove(1));
        taken.push(next.await);
        taken.iter().for_each(ConnectionPlace::keep);
        let mut next = Box::pin(places.take());
        assert!(next.as_mut().now_or_never().is_none(), "all are known");
        assert!(taken.iter().all(|place| place.has_to_leave().now_or_never().is_none()));
        drop(taken.pop());
        drop((next.await, taken));
        assert_eq!((places.strangers().len(), places.room.available_permits()), (0, PLACES));
    }

    #[tokio::test(start_paused = true)]
    async fn only_strangers_run_out_of_time() {
        let places = ConnectionPlaces::new();
        let (stranger, known) = (places.take().await, places.take().await);
        known.keep();
        let start = Instant::now();
        assert!(timeout(STRANGERS_TIME * 9, known.has_to_leave()).await.is_err());
        assert_eq!(start.elapsed(), STRANGERS_TIME * 9);
        let start = Instant::now();
        stranger.has_to_leave().await;
        assert_eq!(start.elapsed(), STRANGERS_TIME);
    }
}
