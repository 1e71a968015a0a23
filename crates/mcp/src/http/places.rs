//! Which connections are kept when there are too many: those whose client has shown a token.
//!
//! Every user of the machine can reach loopback, and nothing tells a client from a stranger until its first request is
//! there. So everyone is let in, strangers for a short time; and when all places are taken, the stranger who came first
//! makes way for the next connection. Clients with a token never do.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// Connections at once.
const PLACES: usize = 256;
/// For a token to be shown. A client on the same machine sends it at once.
const STRANGERS_TIME: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct ConnectionPlaces {
    room: Arc<Semaphore>,
    /// Tells each to leave. Whoever came first is first.
    strangers: Mutex<VecDeque<Arc<Notify>>>,
}

impl ConnectionPlaces {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(ConnectionPlaces { room: Arc::new(Semaphore::new(PLACES)), strangers: Mutex::default() })
    }

    /// A place for a connection; a stranger may have to make way for it. Waits when everyone is known.
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
        // Each change is one step: a panic elsewhere leaves what is inside whole.
        self.strangers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection's place, until it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionPlace {
    places: Arc<ConnectionPlaces>,
    leave: Arc<Notify>,
    _taken: OwnedSemaphorePermit,
}

impl ConnectionPlace {
    /// The client has shown a token that is known: from now on the place is its own.
    pub(super) fn keep(&self) {
        self.places.strangers().retain(|stranger| !Arc::ptr_eq(stranger, &self.leave));
    }

    /// Resolves when a stranger has to make way, or has had its time.
    pub(super) async fn has_to_leave(&self) {
        let told = timeout(STRANGERS_TIME, self.leave.notified()).await.is_ok();
        if !told && !self.is_strangers() {
            // A client we know, or a stranger who was told just now.
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
