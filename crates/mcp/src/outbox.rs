//! The queue of messages to a client, bounded for clients that don't read.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::Value;
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
};

use crate::MESSAGE_LIMIT;

/// Maximum bytes of tool replies in the queue, enough for one of maximum length; further replies wait inside their
/// calls.
const ROOM_FOR_REPLIES: usize = MESSAGE_LIMIT;
/// Maximum bytes of other messages in the queue. They are answered at once, so only a client that does not read reaches
/// this.
const ROOM_FOR_ANSWERS: usize = MESSAGE_LIMIT;
/// Progress is only a hint: beyond this it is dropped.
const ROOM_FOR_PROGRESS: usize = 64 * 1024;

/// The client keeps sending requests without reading the answers.
#[derive(Debug)]
pub(crate) struct NotReading;

#[derive(Debug)]
pub(crate) struct TooLong {
    pub(crate) bytes: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct MessageOutbox {
    queue: mpsc::UnboundedSender<QueuedMessage>,
    answers: Arc<AtomicUsize>,
    replies: Arc<Semaphore>,
}

#[derive(Debug)]
struct QueuedMessage {
    line: Vec<u8>,
    /// `None`: counted in `answers`.
    room: Option<OwnedSemaphorePermit>,
}

#[derive(Debug)]
pub(crate) struct OutgoingMessages {
    queue: mpsc::UnboundedReceiver<QueuedMessage>,
    answers: Arc<AtomicUsize>,
}

/// A reply with its space in the queue reserved.
#[derive(Debug)]
pub(crate) struct ReservedReply(QueuedMessage);

pub(crate) fn outbox() -> (MessageOutbox, OutgoingMessages) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let answers = Arc::new(AtomicUsize::new(0));
    let replies = Arc::new(Semaphore::new(ROOM_FOR_REPLIES));
    (MessageOutbox { queue: sender, answers: answers.clone(), replies }, OutgoingMessages { queue: receiver, answers })
}

fn line(message: &Value) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("a JSON value has no keys that aren't strings");
    line.push(b'\n');
    line
}

impl MessageOutbox {
    /// Queues an answer that needs no waiting.
    pub(crate) fn push(&self, message: &Value) -> Result<(), NotReading> {
        let line = line(message);
        let waiting = self.answers.fetch_add(line.len(), Ordering::Relaxed) + line.len();
        self.enqueue(QueuedMessage { line, room: None });
        if waiting > ROOM_FOR_ANSWERS { Err(NotReading) } else { Ok(()) }
    }

    pub(crate) fn hint(&self, message: &Value) {
        if self.answers.load(Ordering::Relaxed) < ROOM_FOR_PROGRESS {
            let line = line(message);
            self.answers.fetch_add(line.len(), Ordering::Relaxed);
            self.enqueue(QueuedMessage { line, room: None });
        }
    }

    /// Waits until there is space for a tool's reply.
    pub(crate) async fn place(&self, message: &Value) -> Result<ReservedReply, TooLong> {
        let line = line(message);
        if line.len() > MESSAGE_LIMIT {
            return Err(TooLong { bytes: line.len() });
        }
        let bytes = u32::try_from(line.len()).expect("the limit is less than 4 GiB");
        let room = self.replies.clone().acquire_many_owned(bytes).await.expect("nobody closes the semaphore");
        Ok(ReservedReply(QueuedMessage { line, room: Some(room) }))
    }

    pub(crate) fn send(&self, reply: ReservedReply) {
        self.enqueue(reply.0);
    }

    fn enqueue(&self, message: QueuedMessage) {
        // The receiver is dropped only with the whole connection.
        let _ = self.queue.send(message);
    }
}

impl OutgoingMessages {
    /// The next message with its newline; none when every [`MessageOutbox`] is gone.
    pub(crate) async fn next(&mut self) -> Option<Vec<u8>> {
        let message = self.queue.recv().await?;
        if message.room.is_none() {
            self.answers.fetch_sub(message.line.len(), Ordering::Relaxed);
        }
        Some(message.line)
    }

    /// Writes until every [`MessageOutbox`] is gone.
    pub(crate) async fn write_to(mut self, mut writer: impl AsyncWrite + Unpin) -> io::Result<()> {
        while let Some(message) = self.queue.recv().await {
            writer.write_all(&message.line).await?;
            if message.room.is_none() {
                self.answers.fetch_sub(message.line.len(), Ordering::Relaxed);
            }
            if self.queue.is_empty() {
                writer.flush().await?;
            }
        }
        writer.shutdown().await
    }
}
