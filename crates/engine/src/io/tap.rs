//! A recording tap: everything that a session prints, from an exact moment on.
//!
//! The first keyframe and the stream after it are created in one step under the screen lock, so nothing is missed or
//! duplicated. The I/O thread never waits for a listener: a listener that falls behind gets a gap, with a new keyframe
//! to continue from.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tokio::sync::mpsc;
use vt::{Size, Terminal};

use crate::session::status::ExitStatus;

/// A whole screen as bytes that redraw it on a fresh terminal of `size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapKeyframe {
    pub at: Instant,
    pub size: Size,
    pub bytes: Vec<u8>,
    pub version: u64,
    /// The keyframe includes raw output up to this offset.
    pub offset: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TapEvent {
    Output {
        at: Instant,
        bytes: Arc<[u8]>,
    },
    /// Typed input, if requested, except for lines read without echo, which are passwords.
    Input {
        at: Instant,
        bytes: Arc<[u8]>,
    },
    Resize {
        at: Instant,
        size: Size,
    },
    /// The listener was too slow: `dropped_bytes` of output are missing; `keyframe` is the screen after them.
    Gap {
        dropped_bytes: u64,
        keyframe: TapKeyframe,
    },
    /// The last event of a run.
    Exit {
        at: Instant,
        exit: Option<ExitStatus>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TapOptions {
    pub input: bool,
    /// Maximum bytes of output queued for the listener; more is dropped.
    pub capacity: usize,
}

impl Default for TapOptions {
    fn default() -> Self {
        TapOptions { input: false, capacity: 4 << 20 }
    }
}

/// Maximum queued events, however small they are.
const MAX_WAITING_EVENTS: usize = 4096;

/// The listener's side. Dropping it ends the tap.
#[derive(Debug)]
pub struct Tap {
    pub start: TapKeyframe,
    events: mpsc::Receiver<TapEvent>,
    waiting: Arc<AtomicUsize>,
}

impl Tap {
    /// The next event; `None` after the last one of the run.
    pub async fn next(&mut self) -> Option<TapEvent> {
        let event = self.events.recv().await?;
        self.waiting.fetch_sub(weight(&event), Ordering::Relaxed);
        Some(event)
    }
}

/// The session's side, stored beside the screen.
#[derive(Debug)]
pub(crate) struct TapSink {
    events: mpsc::Sender<TapEvent>,
    /// Reserved space for the last two events, which must arrive even if the queue is full.
    last_gap: mpsc::OwnedPermit<TapEvent>,
    exit: mpsc::OwnedPermit<TapEvent>,
    waiting: Arc<AtomicUsize>,
    capacity: usize,
    pub(crate) wants_input: bool,
    dropped_bytes: u64,
    in_gap: bool,
}

/// Bytes that a queued event keeps in memory.
fn weight(event: &TapEvent) -> usize {
    match event {
        TapEvent::Output { bytes, .. } | TapEvent::Input { bytes, .. } => bytes.len(),
        TapEvent::Gap { keyframe, .. } => keyframe.bytes.len(),
        TapEvent::Resize { .. } | TapEvent::Exit { .. } => 0,
    }
}

/// Creates both sides. The caller holds the screen lock, so `start` is the present screen.
pub(crate) fn tap(options: TapOptions, start: TapKeyframe) -> (Tap, TapSink) {
    let (sender, receiver) = mpsc::channel(MAX_WAITING_EVENTS + 2);
    let reserve = || sender.clone().try_reserve_owned().expect("a new queue has room");
    let waiting = Arc::new(AtomicUsize::new(0));
    let sink = TapSink {
        last_gap: reserve(),
        exit: reserve(),
        events: sender,
        waiting: waiting.clone(),
        capacity: options.capacity,
        wants_input: options.input,
        dropped_bytes: 0,
        in_gap: false,
    };
    (Tap { start, events: receiver, waiting }, sink)
}

impl TapSink {
    pub(crate) fn is_closed(&self) -> bool {
        self.events.is_closed()
    }

    /// Queues `event`, or a gap instead. `keyframe` draws the screen as it is before `event`.
    pub(crate) fn push(&mut self, event: TapEvent, keyframe: impl FnOnce() -> TapKeyframe) {
        if self.in_gap && self.waiting.load(Ordering::Relaxed) <= self.capacity / 2 {
            self.in_gap = !self.send(TapEvent::Gap { dropped_bytes: self.dropped_bytes, keyframe: keyframe() });
            if !self.in_gap {
                self.dropped_bytes = 0;
            }
        }
        let lost = if let TapEvent::Output { bytes, .. } = &event { bytes.len() as u64 } else { 0 };
        let too_much = self.waiting.load(Ordering::Relaxed) + weight(&event) > self.capacity;
        if self.in_gap || too_much || !self.send(event) {
            self.in_gap = true;
            self.dropped_bytes += lost;
        }
    }

    /// Queues the last event. `keyframe` draws the final screen, in case output was dropped before.
    pub(crate) fn finish(self, event: TapEvent, keyframe: impl FnOnce() -> TapKeyframe) {
        if self.in_gap {
            let gap = TapEvent::Gap { dropped_bytes: self.dropped_bytes, keyframe: keyframe() };
            self.waiting.fetch_add(weight(&gap), Ordering::Relaxed);
            self.last_gap.send(gap);
        }
        self.exit.send(event);
    }

    fn send(&self, event: TapEvent) -> bool {
        // Counted before it is visible, so that the listener never subtracts first.
        let weight = weight(&event);
        self.waiting.fetch_add(weight, Ordering::Relaxed);
        let sent = self.events.try_send(event).is_ok();
        if !sent {
            self.waiting.fetch_sub(weight, Ordering::Relaxed);
        }
        sent
    }
}

pub(crate) fn keyframe(terminal: &Terminal, at: Instant, version: u64, offset: u64) -> TapKeyframe {
    TapKeyframe { at, size: terminal.size(), bytes: terminal.serialize(), version, offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(mark: u64) -> TapKeyframe {
        TapKeyframe { at: Instant::now(), size: Size::default(), bytes: vec![b'k'; 4], version: mark, offset: mark }
    }

    fn output(bytes: &[u8]) -> TapEvent {
        TapEvent::Output { at: Instant::now(), bytes: bytes.into() }
    }

    fn exit() -> TapEvent {
        TapEvent::Exit { at: Instant::now(), exit: Some(ExitStatus::Code(0)) }
    }

    #[tokio::test]
    async fn a_slow_listener_gets_a_gap_and_a_picture_and_never_holds_up_the_sink() {
        let (mut tap, mut sink) = tap(TapOptions { input: false, capacity: 100 }, frame(0));
        sink.push(output(&[b'a'; 90]), || panic!("no gap yet"));
        for _ in 0..1000 {
            sink.push(output(&[b'b'; 90]), || panic!("no room for a picture"));
        }
        assert!(matches!(tap.next().await, Some(TapEvent::Output { bytes, .. }) if *bytes == [b'a'; 90]));
        sink.push(output(&[b'c'; 10]), || frame(7));
        let Some(TapEvent::Gap { dropped_bytes, keyframe }) = tap.next().await else { panic!("a gap is marked") };
        assert_eq!((dropped_bytes, keyframe.version), (90_000, 7));
        assert!(matches!(tap.next().await, Some(TapEvent::Output { bytes, .. }) if *bytes == [b'c'; 10]));
    }

    #[tokio::test]
    async fn the_end_arrives_however_full_the_queue_is() {
        let (mut tap, mut sink) = tap(TapOptions { input: false, capacity: 1 << 20 }, frame(0));
        for _ in 0..MAX_WAITING_EVENTS + 10 {
            sink.push(output(b"x"), || frame(1));
        }
        sink.finish(exit(), || frame(2));
        let mut events = Vec::new();
        while let Some(event) = tap.next().await {
            events.push(event);
        }
        assert_eq!(events.len(), MAX_WAITING_EVENTS + 2);
        assert!(matches!(&events[MAX_WAITING_EVENTS], TapEvent::Gap { dropped_bytes: 10, .. }));
        assert!(matches!(events.last(), Some(TapEvent::Exit { .. })));
    }
}
