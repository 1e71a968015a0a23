//! How much of an answer its client's program has taken.
//!
//! HTTP/2 lets a server send ahead by a window, four megabytes with gRPC core (Python, C++, Ruby): of a stream of frames
//! its reader would get minutes of old ones first. These clients give room back for each message that was read as soon as
//! they write anything, and a ping makes them write. So the next frame is made when there is room again for all that was
//! sent. Other clients give room back in large pieces, which say nothing of their readers: they are not waited for.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use h2::{Ping, PingPong};
use http::{HeaderMap, header::USER_AGENT};
use tokio::{
    sync::{Notify, watch},
    time::sleep,
};

/// How gRPC core names itself in `user-agent`, whichever language is on top of it.
const GRPC_CORE: &str = "grpc-c/";
/// Room for the head of the next message is given with the call, or with the message before it, or not yet.
const HEAD_BYTES: u64 = 16;
/// Between two pings while a frame lies unread: first, and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// Room that a client has given back, by stream, of those that somebody watches.
#[derive(Debug, Default)]
pub(super) struct GivenRoom {
    streams: Mutex<HashMap<u32, watch::Sender<u64>>>,
    ping_wanted: Notify,
}

impl GivenRoom {
    pub(super) fn add(&self, stream: u32, bytes: u32) {
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(room) = streams.get(&stream) {
            room.send_modify(|room| *room = room.saturating_add(bytes.into()));
        }
    }

    /// Of one stream, until it is dropped. None when its client does not tell what its program reads.
    pub(super) fn watch(self: &Arc<Self>, stream: u32, headers: &HeaderMap) -> Option<StreamUptake> {
        let agent = headers.get(USER_AGENT)?.to_str().ok()?;
        if !agent.contains(GRPC_CORE) {
            return None;
        }
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let room = streams.entry(stream).or_default().subscribe();
        Some(StreamUptake { of: Arc::clone(self), stream, room })
    }

    /// Pings the client whenever someone wants to hear of it.
    pub(super) async fn ping(&self, mut pings: PingPong) {
        loop {
            self.ping_wanted.notified().await;
            if pings.ping(Ping::opaque()).await.is_err() {
                // The connection is over; whoever serves it hears of that.
                return;
            }
        }
    }
}

/// What is known of one stream's reader.
#[derive(Debug)]
pub(super) struct StreamUptake {
    of: Arc<GivenRoom>,
    stream: u32,
    room: watch::Receiver<u64>,
}

impl StreamUptake {
    /// The reader has taken so many bytes.
    pub(super) fn has_taken(&self, bytes: u64) -> bool {
        *self.room.borrow() + HEAD_BYTES >= bytes
    }

    /// Until it has.
    pub(super) async fn taken(&mut self, bytes: u64) {
        let mut pause = FIRST_PAUSE;
        while !self.has_taken(bytes) {
            self.of.ping_wanted.notify_one();
            tokio::select! {
                // The sender is kept as long as we are.
                _ = self.room.changed() => {}
                () = sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
            }
        }
    }
}

impl Drop for StreamUptake {
    fn drop(&mut self) {
        self.of.streams.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.stream);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(agent: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(USER_AGENT, http::HeaderValue::from_static(agent))])
    }

    #[tokio::test]
    async fn a_client_that_gives_room_back_as_it_reads_is_waited_for() {
        let room = Arc::<GivenRoom>::default();
        let mut uptake = room.watch(1, &headers("grpc-python/1.85.1 grpc-c/54.0.0 (linux; chttp2)")).unwrap();
        assert!(!uptake.has_taken(40_009));
        let told = Arc::clone(&room);
        let reader = tokio::spawn(async move {
            // Its client writes when it is pinged, and gives the head's room with the next message.
            told.ping_wanted.notified().await;
            told.add(1, 40_004);
        });
        uptake.taken(40_009).await;
        reader.await.unwrap();
        drop(uptake);
        assert!(room.streams.lock().unwrap().is_empty());
    }

    #[test]
    fn others_are_not_held_up() {
        let room = Arc::<GivenRoom>::default();
        assert!(room.watch(1, &HeaderMap::new()).is_none());
        assert!(room.watch(1, &headers("grpc-go/1.80.0")).is_none());
        (0..10_000).for_each(|stream| room.add(stream, 1));
        assert!(room.streams.lock().unwrap().is_empty());
    }
}
