//! One run of a session's program: its terminal, its process, and its queued input.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Instant;

use pty::{ChildProcess, Pid, PollWaker, Pty, QueueFull, Signal, WriteQueue};
use tokio::sync::watch;

use crate::fair_lock::lock;

/// Input written before the terminal is read again. The kernel buffers some 16 KiB of echo, of which 10 may be input
/// that was accepted but not echoed yet, and drops the rest.
const BETWEEN_READS: usize = 2 << 10;

#[derive(Debug)]
pub(crate) struct ProgramRun {
    pub(crate) number: u64,
    pub(crate) pty: Pty,
    pub(crate) process: Arc<RunProcess>,
    pub(crate) waker: PollWaker,
    input: Mutex<InputQueue>,
    /// Whether the queue is not empty. Readable without the queue's lock, which is held while the terminal accepts
    /// input.
    input_waits: AtomicBool,
    /// Bytes of input that the terminal has accepted so far. Dropped with the run.
    written: watch::Sender<u64>,
    /// The deadline of a synchronized update in progress.
    update_due: Mutex<Option<Instant>>,
    abandoned: AtomicBool,
    pub(crate) reading: Mutex<ReadOrder>,
}

/// Locked while the terminal is read, until the bytes are on the screen or handed over, so that output keeps its order.
#[derive(Debug, Default)]
pub(crate) struct ReadOrder {
    /// Earlier bytes may not be on the screen yet; only the run's own thread knows.
    pub(crate) behind: bool,
}

#[derive(Debug)]
struct InputQueue {
    queue: WriteQueue,
    accepted: u64,
    /// Bytes that may be written before the terminal is read again.
    room: usize,
}

/// Accepted input, and how to learn that it has been written.
#[derive(Debug)]
pub(crate) struct AcceptedInput {
    pub(crate) upto: u64,
    /// `None` if it has been written already.
    pub(crate) written: Option<watch::Receiver<u64>>,
}

impl ProgramRun {
    pub(crate) fn new(number: u64, pty: Pty, child: ChildProcess, waker: PollWaker, input_queue: usize) -> Self {
        ProgramRun {
            number,
            pty,
            process: Arc::new(RunProcess { pid: child.pid(), child: RwLock::new(child) }),
            waker,
            input: Mutex::new(InputQueue { queue: WriteQueue::new(input_queue), accepted: 0, room: BETWEEN_READS }),
            input_waits: AtomicBool::new(false),
            written: watch::Sender::new(0),
            update_due: Mutex::new(None),
            abandoned: AtomicBool::new(false),
            reading: Mutex::default(),
        }
    }

    /// Queues all of `bytes` or nothing, and writes at once what the terminal accepts: a key need not wait for a thread
    /// to wake up. Long input is written gradually.
    pub(crate) fn type_bytes(&self, bytes: &[u8]) -> Result<AcceptedInput, QueueFull> {
        let (upto, empty, written) = {
            let mut input = lock(&self.input);
            input.queue.push(bytes)?;
            input.accepted += bytes.len() as u64;
            let empty = self.write_some(&mut input);
            (input.accepted, empty, input.written())
        };
        self.note_written(written);
        if empty {
            return Ok(AcceptedInput { upto, written: None });
        }
        let receiver = self.written.subscribe();
        self.wake();
        Ok(AcceptedInput { upto, written: Some(receiver) })
    }

    /// Whether input of this length would be accepted.
    pub(crate) fn has_room_for(&self, length: usize) -> bool {
        let input = lock(&self.input);
        length <= input.queue.limit() - input.queue.len()
    }

    /// Writes more input after the terminal has been read.
    pub(crate) fn flush(&self) {
        let written = {
            let mut input = lock(&self.input);
            input.room = BETWEEN_READS;
            if input.queue.is_empty() {
                return;
            }
            self.write_some(&mut input);
            input.written()
        };
        self.note_written(written);
    }

    pub(crate) fn has_input(&self) -> bool {
        self.input_waits.load(Ordering::Acquire)
    }

    /// An error means that no process has the terminal open: the input waits for one that opens it.
    fn write_some(&self, input: &mut InputQueue) -> bool {
        let before = input.queue.len();
        let empty = input.queue.flush(&self.pty, input.room).unwrap_or(false);
        input.room -= before - input.queue.len();
        self.input_waits.store(!empty, Ordering::Release);
        empty
    }

    fn note_written(&self, written: u64) {
        self.written.send_if_modified(|known| {
            let moved = *known < written;
            *known = written.max(*known);
            moved
        });
    }

    pub(crate) fn update_due(&self) -> Option<Instant> {
        *lock(&self.update_due)
    }

    pub(crate) fn set_update_due(&self, due: Option<Instant>) {
        *lock(&self.update_due) = due;
    }

    /// Wakes the I/O thread. It could only fail without an open descriptor, and ours is open.
    pub(crate) fn wake(&self) {
        let _ = self.waker.wake();
    }

    /// Lets the I/O thread end although the process has not: even KILL did not end it.
    pub(crate) fn abandon(&self) {
        self.abandoned.store(true, Ordering::Release);
        self.wake();
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Acquire)
    }
}

impl InputQueue {
    fn written(&self) -> u64 {
        self.accepted - self.queue.len() as u64
    }
}

/// The program's process. Kept after its end, to find processes that it left in its session.
#[derive(Debug)]
pub(crate) struct RunProcess {
    pub(crate) pid: Pid,
    /// Readers signal it or wait for its end; only the I/O thread, which collects the exit status, writes.
    child: RwLock<ChildProcess>,
}

impl RunProcess {
    pub(crate) fn child(&self) -> RwLockReadGuard<'_, ChildProcess> {
        self.child.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn child_mut(&self) -> RwLockWriteGuard<'_, ChildProcess> {
        self.child.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// `Ok(false)` if there is nothing left to signal.
    pub(crate) fn signal(&self, signal: Signal) -> io::Result<bool> {
        match self.child().signal_group(signal) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}
