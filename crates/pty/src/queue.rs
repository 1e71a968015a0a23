//! Bytes for a child that may not be reading.

use std::collections::VecDeque;
use std::io;

use crate::Pty;

/// A bounded FIFO queue in front of the terminal's small kernel buffer. Filling it never blocks and never drops: a push
/// that does not fit is refused as a whole, so no half command is ever typed.
/// command is ever typed.
#[derive(Debug)]
pub struct WriteQueue {
    chunks: VecDeque<Vec<u8>>,
    /// Bytes of the first chunk that are already written.
    written: usize,
    queued: usize,
    limit: usize,
}

/// The child does not read as fast as it is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the input doesn't fit: {queued} of {limit} bytes already wait for the child to read them; \
     wait until it reads, or send less"
)]
pub struct QueueFull {
    pub queued: usize,
    pub limit: usize,
}

/// Pushes up to this size are gathered into one chunk, so that a million key presses become a few hundred buffers;
/// larger ones keep their own buffer and are copied once.
const GATHER: usize = 4096;

impl WriteQueue {
    /// An empty queue that holds at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { chunks: VecDeque::new(), written: 0, queued: 0, limit }
    }

    /// Accepts all of `bytes`, or none.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), QueueFull> {
        if bytes.len() > self.limit - self.queued {
            return Err(QueueFull { queued: self.queued, limit: self.limit });
        }
        if bytes.is_empty() {
            return Ok(());
        }
        match self.chunks.back_mut() {
            Some(last) if last.len() + bytes.len() <= GATHER => last.extend_from_slice(bytes),
            _ => self.chunks.push_back(bytes.to_vec()),
        }
        self.queued += bytes.len();
        Ok(())
    }

    /// Writes what the terminal accepts now, at most `limit` bytes. `true` when the queue is empty; otherwise wait
    /// until the terminal is writable and flush again. After an error, unwritten bytes stay in the queue.
    ///
    /// A caller that also reads the terminal should read between two flushes: the kernel buffers some 16 KiB of a
    /// terminal's echo and drops the rest.
    pub fn flush(&mut self, pty: &Pty, limit: usize) -> io::Result<bool> {
        self.flush_with(limit, |bytes| pty.write(bytes))
    }

    fn flush_with(&mut self, limit: usize, mut write: impl FnMut(&[u8]) -> io::Result<usize>) -> io::Result<bool> {
        let mut left = limit;
        while let Some(first) = self.chunks.front() {
            if left == 0 {
                return Ok(false);
            }
            let rest = &first[self.written..];
            let taken = write(&rest[..rest.len().min(left)])?;
            if taken == 0 {
                return Ok(false);
            }
            left -= taken;
            self.written += taken;
            self.queued -= taken;
            if self.written == first.len() {
                self.chunks.pop_front();
                self.written = 0;
            }
        }
        Ok(true)
    }

    /// Drops all bytes not written yet.
    pub fn clear(&mut self) {
        self.chunks.clear();
        self.written = 0;
        self.queued = 0;
    }

    /// Bytes waiting.
    pub fn len(&self) -> usize {
        self.queued
    }

    pub fn is_empty(&self) -> bool {
        self.queued == 0
    }

    pub fn limit(&self) -> usize {
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Accepts at most `per_write` bytes per write and `room` altogether.
    fn sink(out: &mut Vec<u8>, per_write: usize, mut room: usize) -> impl FnMut(&[u8]) -> io::Result<usize> {
        move |bytes| {
            let taken = bytes.len().min(per_write).min(room);
            room -= taken;
            out.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }
    }

    #[test]
    fn bytes_come_out_in_order_whatever_the_sink_takes_at_once() {
        let sent: Vec<u8> = (0..20_000u32).map(|i| (i % 251) as u8).collect();
        for per_write in [1, 7, 4096, usize::MAX] {
            let mut queue = WriteQueue::new(sent.len());
            let (small, large) = sent.split_at(3_000);
            for part in small.chunks(13).chain(large.chunks(6_000)) {
                queue.push(part).unwrap();
            }
            let mut out = Vec::new();
            assert!(!queue.flush_with(usize::MAX, sink(&mut out, per_write, 10_001)).unwrap());
            assert_eq!(queue.len(), sent.len() - 10_001);
            assert!(!queue.flush_with(5_000, sink(&mut out, per_write, usize::MAX)).unwrap());
            assert_eq!(queue.len(), sent.len() - 15_001);
            assert!(queue.flush_with(usize::MAX, sink(&mut out, per_write, usize::MAX)).unwrap());
            assert!(queue.is_empty());
            assert!(out == sent, "order lost with {per_write} bytes a write");
        }
    }

    #[test]
    fn a_push_that_does_not_fit_leaves_the_queue_as_it_was() {
        let mut queue = WriteQueue::new(10);
        queue.push(b"12345678").unwrap();
        assert_eq!(queue.push(b"abc"), Err(QueueFull { queued: 8, limit: 10 }));
        queue.push(b"90").unwrap();
        assert_eq!(queue.push(b"x"), Err(QueueFull { queued: 10, limit: 10 }));
        let mut out = Vec::new();
        assert!(queue.flush_with(usize::MAX, sink(&mut out, usize::MAX, usize::MAX)).unwrap());
        assert_eq!(out, b"1234567890");
        queue.push(b"room again").unwrap();
    }

    #[test]
    fn single_bytes_share_buffers() {
        let mut queue = WriteQueue::new(100_000);
        for _ in 0..100_000 {
            queue.push(b"x").unwrap();
        }
        assert!(queue.chunks.len() <= 100_000 / GATHER + 1, "{} buffers", queue.chunks.len());
    }

    #[test]
    fn an_error_keeps_what_is_queued() {
        let mut queue = WriteQueue::new(10);
        queue.push(b"keep").unwrap();
        queue.flush_with(usize::MAX, |_| Err(io::ErrorKind::BrokenPipe.into())).unwrap_err();
        assert_eq!(queue.len(), 4);
        queue.clear();
        assert!(queue.is_empty());
    }
}
