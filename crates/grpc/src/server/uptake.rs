//! How much of an answer its client program has read.
//!
//! HTTP/2 lets a server send ahead by a window, four megabytes with gRPC core (Python, C++, Ruby): the reader of a
//! stream of frames would first get minutes of old ones. These clients update the window for each message that was read
//! as soon as they write anything, and a ping makes them write. So the next frame is made once the window for all that
//! was sent has been returned. Other clients update the window in large steps, which say nothing about their readers:
//! they are not waited for.

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

/// The `user-agent` of gRPC core, for any language on top of it.
const GRPC_CORE: &str = "grpc-c/";
/// The window for the next message's prefix is granted with the call, with the message before it, or not yet.
const HEAD_BYTES: u64 = 16;
/// First and maximum interval of pings while a frame is unread.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// Window that a client has returned, for the watched streams.
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

    /// For one stream, until it is dropped. `None` if its client does not tell what its program reads.
    pub(super) fn watch(self: &Arc<Self>, stream: u32, headers: &HeaderMap) -> Option<StreamUptake> {
        let agent = headers.get(USER_AGENT)?.to_str().ok()?;
        if !agent.contains(GRPC_CORE) {
            return None;
        }
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let room = streams.entry(stream).or_default().subscribe();
        Some(StreamUptake { of: Arc::clone(self), stream, room })
    }

    /// Pings the client on request.
    pub(super) async fn ping(&self, mut pings: PingPong) {
        loop {
            self.ping_wanted.notified().await;
            if pings.ping(Ping::opaque()).await.is_err() {
                // The connection is over, which its server notices.
                return;
            }
        }
    }
}

/// What is known of a stream's reader.
#[derive(Debug)]
pub(super) struct StreamUptake {
    of: Arc<GivenRoom>,
    stream: u32,
    room: watch::Receiver<u64>,
}

impl StreamUptake {
    /// Whether the reader has received this many bytes.
    pub(super) fn has_taken(&self, bytes: u64) -> bool {
        *self.room.borrow() + HEAD_BYTES >= bytes
    }

    /// Waits until it has.
    pub(super) async fn taken(&mut self, bytes: u64) {
        let mut pause = FIRST_PAUSE;
        while !self.has_taken(bytes) {
            self.of.ping_wanted.notify_one();
            tokio::select! {
                // The sender is kept as long as we exist.
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
            // Its client writes when it is pinged, and returns the prefix's window with the next message.
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
