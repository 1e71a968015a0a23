//! The state behind the screen lock: the terminal, its version, the child's reports, and the taps.
//!
//! Everything here is short work on values in memory. The holder of the lock waits for nothing and takes no other lock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::broadcast;
use vt::{Effect, Size, Terminal};

use crate::io::tap::{self, TapEvent, TapKeyframe, TapSink};
use crate::session::facts::{ChildFacts, SessionEvent};
use crate::session::frames::{ChangedRows, RowVersions, VersionedFrame};
use crate::session::ports::PortSightings;
use crate::session::status::ExitStatus;
use crate::wait::line_scan::LineBatch;

/// A synchronized update whose end marker is lost is ended after this time.
pub(crate) const SYNCHRONIZED_UPDATE_LIMIT: Duration = Duration::from_millis(150);

/// Maximum size of a copy of the screen's text that is kept between two requests: that of a large screen.
const KEPT_COPY_BYTES: usize = 32 << 10;

/// Session events queued for a slow listener.
const EVENT_CAPACITY: usize = 256;

#[derive(Debug)]
pub(crate) struct SessionScreen {
    pub(crate) terminal: Terminal,
    version: u64,
    /// Where the output of this run begins.
    run_offset: u64,
    /// Raw output up to this offset has been fed.
    offset: u64,
    rows: RowVersions,
    /// The last copy of lines, and its version.
    copied: Option<(u64, LineBatch)>,
    pub(crate) facts: ChildFacts,
    pub(crate) sightings: PortSightings,
    taps: Vec<TapSink>,
    /// Created for the first listener: most sessions never have one.
    events: Option<broadcast::Sender<SessionEvent>>,
    update: Option<OpenUpdate>,
    /// The status records have changed since [`Self::take_reported`].
    reported: bool,
}

#[derive(Clone, Copy, Debug)]
struct OpenUpdate {
    number: u64,
    due: Instant,
}

impl SessionScreen {
    pub(crate) fn new(options: vt::TerminalOptions) -> Self {
        SessionScreen {
            terminal: Terminal::new(options),
            version: 0,
            run_offset: 0,
            offset: 0,
            rows: RowVersions::default(),
            copied: None,
            facts: ChildFacts::default(),
            sightings: PortSightings::default(),
            taps: Vec::new(),
            events: None,
            update: None,
            reported: false,
        }
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn run_offset(&self) -> u64 {
        self.run_offset
    }

    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Feeds output of the child. Replies to it are appended to `replies`.
    pub(crate) fn feed(&mut self, bytes: &[u8], now: Instant, replies: &mut Vec<u8>) {
        if !self.taps.is_empty() {
            let shared: Arc<[u8]> = bytes.into();
            self.tell_taps(now, |_| Some(TapEvent::Output { at: now, bytes: shared.clone() }));
        }
        self.terminal.feed(bytes);
        self.offset += bytes.len() as u64;
        self.moved(now, replies);
    }

    pub(crate) fn resize(&mut self, size: Size, now: Instant, replies: &mut Vec<u8>) {
        self.tell_taps(now, |_| Some(TapEvent::Resize { at: now, size }));
        self.terminal.resize(size);
        self.moved(now, replies);
    }

    pub(crate) fn set_theme(&mut self, theme: vt::Theme, now: Instant, replies: &mut Vec<u8>) {
        self.terminal.set_theme(theme);
        self.moved(now, replies);
    }

    /// Records input for taps that asked for it.
    pub(crate) fn note_input(&mut self, bytes: &[u8], now: Instant) {
        let shared: Arc<[u8]> = bytes.into();
        self.tell_taps(now, |sink| sink.wants_input.then(|| TapEvent::Input { at: now, bytes: shared.clone() }));
    }

    pub(crate) fn has_input_taps(&self) -> bool {
        self.taps.iter().any(|sink| sink.wants_input)
    }

    fn moved(&mut self, now: Instant, replies: &mut Vec<u8>) {
        self.version += 1;
        self.follow_update(now);
        let effects = self.terminal.take_effects();
        let mut rang = false;
        for effect in effects {
            match effect {
                Effect::Reply(bytes) => replies.extend_from_slice(&bytes),
                // A child that prints a megabyte of bells rings once.
                Effect::Bell if rang => {}
                effect => {
                    rang |= effect == Effect::Bell;
                    self.reported |= matches!(effect, Effect::ProgramStatus(_));
                    self.facts.note(&effect, now, self.version);
                    self.tell(SessionEvent::Child(effect));
                }
            }
        }
    }

    /// Whether there is news for those who follow what programs report, once.
    pub(crate) fn take_reported(&mut self) -> bool {
        std::mem::take(&mut self.reported)
    }

    fn follow_update(&mut self, now: Instant) {
        self.update = match (self.terminal.synchronized_update(), self.update) {
            (None, _) => None,
            (Some(number), Some(open)) if open.number == number => Some(open),
            (Some(number), _) => Some(OpenUpdate { number, due: now + SYNCHRONIZED_UPDATE_LIMIT }),
        };
    }

    /// The deadline of a synchronized update in progress.
    pub(crate) fn update_due(&self) -> Option<Instant> {
        self.update.map(|update| update.due)
    }

    /// Ends a synchronized update that has lasted too long.
    pub(crate) fn expire_update(&mut self, now: Instant) -> bool {
        let expired = self.update.is_some_and(|update| update.due <= now);
        if expired {
            self.end_update();
        }
        expired
    }

    fn end_update(&mut self) {
        self.terminal.expire_synchronized_update();
        self.update = None;
        self.version += 1;
    }

    /// The run is over: an unfinished update becomes visible, and taps are told the exit.
    pub(crate) fn finish(&mut self, exit: Option<ExitStatus>, now: Instant) {
        if self.terminal.synchronized_update().is_some() {
            self.end_update();
        }
        if !self.terminal.status_records().is_empty() {
            self.terminal.end_program();
            self.moved(now, &mut Vec::new());
        }
        let (terminal, version, offset) = (&self.terminal, self.version, self.offset);
        for sink in self.taps.drain(..) {
            sink.finish(TapEvent::Exit { at: now, exit }, || tap::keyframe(terminal, now, version, offset));
        }
    }

    /// A new run starts with an empty screen: a wait for "ready" must not match the last run's output. Line numbers and
    /// the version continue, so that nothing read before counts as new.
    pub(crate) fn begin_run(&mut self) {
        self.run_offset = self.offset;
        // CAN aborts a sequence in which the last run died, RIS clears screen, history and modes.
        self.terminal.feed(b"\x18\x1bc");
        self.terminal.take_effects();
        self.update = None;
        self.facts = ChildFacts::default();
        self.sightings.forget(self.terminal.first_screen_line());
        self.version += 1;
    }

    /// The text of lines starting at `from`, as much as is copied under one lock.
    pub(crate) fn lines_from(&mut self, from: u64) -> LineBatch {
        let kept = self.copied.as_ref().filter(|(version, _)| *version == self.version);
        if let Some(batch) = kept.and_then(|(_, batch)| batch.part(from)) {
            return batch;
        }
        self.terminal.prepare_text();
        let batch = LineBatch::copy(&self.terminal, from);
        // Kept for a client that waits for one response after the other, and marks the screen where the last one was
        // found.
        self.copied = (batch.text().len() <= KEPT_COPY_BYTES).then(|| (self.version, batch.clone()));
        batch
    }

    pub(crate) fn frame(&mut self) -> VersionedFrame {
        self.rows.frame(&mut self.terminal, self.version)
    }

    pub(crate) fn changed_rows(&mut self, since: u64) -> ChangedRows {
        let frame = self.frame();
        self.rows.changed_since(since, frame)
    }

    pub(crate) fn keyframe(&self, now: Instant) -> TapKeyframe {
        tap::keyframe(&self.terminal, now, self.version, self.offset)
    }

    /// Taps whose listener is gone don't count.
    pub(crate) fn tap_count(&mut self) -> usize {
        self.taps.retain(|sink| !sink.is_closed());
        self.taps.len()
    }

    pub(crate) fn add_tap(&mut self, sink: TapSink) {
        self.taps.push(sink);
    }

    fn tell_taps(&mut self, now: Instant, event: impl Fn(&TapSink) -> Option<TapEvent>) {
        if self.taps.is_empty() {
            return;
        }
        self.taps.retain(|sink| !sink.is_closed());
        let (terminal, version, offset) = (&self.terminal, self.version, self.offset);
        for sink in &mut self.taps {
            if let Some(event) = event(sink) {
                sink.push(event, || tap::keyframe(terminal, now, version, offset));
            }
        }
    }

    pub(crate) fn listen(&mut self) -> broadcast::Receiver<SessionEvent> {
        self.events.get_or_insert_with(|| broadcast::Sender::new(EVENT_CAPACITY)).subscribe()
    }

    pub(crate) fn tell(&mut self, event: SessionEvent) {
        if let Some(events) = &self.events
            && events.send(event).is_err()
        {
            // No listener is left.
            self.events = None;
        }
    }
}
