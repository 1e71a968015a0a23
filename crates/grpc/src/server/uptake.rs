//! How much of an answer its client's program has taken.
//!
//! HTTP/2 lets a server send ahead by a window, four megabytes with gRPC core (Python, C++, Ruby): of a stream of frames
//! its reader would get minutes of old ones first. These clients give room back for what was read as soon as they
//! write anything, and a ping makes them write. So the next frame is made when there is room again for all that was
//! sent. Clients that give room back in large pieces only are not held up: that says nothing of their readers.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use h2::{Ping, PingPong};
use tokio::{
    sync::{Notify, watch},
    time::sleep,
};

/// Room that is given back in pieces below this is given back as it is read: other clients wait until it is a good part
/// of a window, and no window is smaller than 64 KiB.
const PROMPT_BYTES: u64 = 8 << 10;
/// Streams whose room is counted. A client has no more calls under way.
const MAX_STREAMS: usize = 4096;
/// Between two pings while a frame lies unread: first, and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// Room that a client has given, by stream.
#[derive(Debug, Default)]
pub(super) struct GivenRoom {
    streams: Mutex<HashMap<u32, watch::Sender<Room>>>,
    ping_wanted: Notify,
}

#[derive(Clone, Copy, Debug, Default)]
struct Room {
    /// Beyond what the stream began with.
    bytes: u64,
    prompt: bool,
}

impl GivenRoom {
    pub(super) fn add(&self, stream: u32, bytes: u32) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if streams.len() >= MAX_STREAMS && !streams.contains_key(&stream) {
            return;
        }
        streams.entry(stream).or_default().send_modify(|room| {
            room.bytes = room.bytes.saturating_add(bytes.into());
            room.prompt |= u64::from(bytes) < PROMPT_BYTES;
        });
    }

    /// Of one stream, until it is dropped.
    pub(super) fn watch(self: &Arc<Self>, stream: u32) -> StreamUptake {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let room = streams.entry(stream).or_default().subscribe();
        StreamUptake { of: Arc::clone(self), stream, room }
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
    room: watch::Receiver<Room>,
}

impl StreamUptake {
    /// The reader has taken so many bytes, or its client does not tell.
    pub(super) fn has_taken(&self, bytes: u64) -> bool {
        let room = *self.room.borrow();
        !room.prompt || room.bytes >= bytes
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

    #[tokio::test]
    async fn a_client_that_gives_room_back_as_it_reads_is_waited_for() {
        let room = Arc::<GivenRoom>::default();
        // Before anyone watches: it comes with the call itself.
        room.add(1, 5);
        let mut uptake = room.watch(1);
        assert!(uptake.has_taken(5) && !uptake.has_taken(40_009));
        let told = Arc::clone(&room);
        let reader = tokio::spawn(async move {
            // Its client writes when it is pinged.
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
        let uptake = room.watch(1);
        assert!(uptake.has_taken(1 << 30));
        room.add(1, 32 << 10);
        assert!(uptake.has_taken(1 << 30));
        (0..10_000).for_each(|stream| room.add(stream, 1));
        assert_eq!(room.streams.lock().unwrap().len(), MAX_STREAMS);
    }
}
