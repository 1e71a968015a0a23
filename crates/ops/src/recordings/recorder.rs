//! The thread that writes a recording.

use std::{
    fs::File,
    future::{Future, poll_fn},
    io,
    pin::pin,
    task::Poll,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use engine::{ExitStatus, Session, SessionId, Tap, TapEvent, TapKeyframe};
use tokio::{runtime::Handle, sync::watch};

use super::prompt_marks::PromptMarks;

/// A recording's progress.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordingProgress {
    pub(super) bytes: u64,
    pub(super) events: u64,
    pub(super) gaps: u64,
    /// The file is complete and closed.
    pub(super) over: bool,
    pub(super) error: Option<String>,
}

/// What a recording begins with.
pub(super) struct RecordingStart {
    bytes: Vec<u8>,
    /// Output from before that is known to nobody any more.
    lost: u64,
}

impl RecordingStart {
    /// The screen as it is.
    pub(super) fn picture(start: &TapKeyframe) -> Self {
        RecordingStart { bytes: start.bytes.clone(), lost: 0 }
    }

    /// All that the run printed before the tap was there: lines that have left the screen by then are in no picture. Only
    /// a program that prints more than the ring holds in that moment leaves a picture and a gap.
    pub(super) fn of_the_run(session: &Session, start: &TapKeyframe) -> Self {
        let from = session.run_offset();
        let printed = start.offset.saturating_sub(from);
        let raw = session.raw(from, usize::try_from(printed).unwrap_or(usize::MAX));
        match raw.dropped {
            0 => RecordingStart { bytes: raw.bytes, lost: 0 },
            lost => RecordingStart { bytes: start.bytes.clone(), lost },
        }
    }
}

pub(super) struct Recorder {
    tap: Tap,
    beginning: RecordingStart,
    file: File,
    format: cast::AsciicastVersion,
    max_bytes: Option<u64>,
    marks: PromptMarks,
    /// `true`, or closed: the recording has to end.
    stopped: watch::Receiver<bool>,
    tally: watch::Sender<RecordingProgress>,
}

impl Recorder {
    pub(super) fn new(
        tap: Tap,
        beginning: RecordingStart,
        file: File,
        format: cast::AsciicastVersion,
        max_bytes: Option<u64>,
        stopped: watch::Receiver<bool>,
    ) -> (Self, watch::Receiver<RecordingProgress>) {
        let (tally, told) = watch::channel(RecordingProgress::default());
        (Recorder { tap, beginning, file, format, max_bytes, marks: PromptMarks::default(), stopped, tally }, told)
    }

    /// Uses the runtime only to sleep until there is something to write.
    pub(super) fn run(self, id: SessionId, header: cast::CastHeader) -> io::Result<()> {
        let runtime = Handle::current();
        let work = move || runtime.block_on(self.write(header));
        std::thread::Builder::new().name(format!("record-{id}")).spawn(work)?;
        Ok(())
    }

    async fn write(mut self, header: cast::CastHeader) {
        let written = self.write_all(header).await;
        self.tally.send_modify(|tally| {
            tally.over = true;
            if let Err(error) = written {
                tally.error = Some(error.to_string());
            }
        });
    }

    async fn write_all(&mut self, header: cast::CastHeader) -> io::Result<()> {
        let sink = self.file.try_clone()?;
        let mut cast = cast::CastWriter::new(sink, self.format, &header)?;
        let recorded = self.record(&mut cast).await;
        if recorded.is_err() {
            // A line that was written partially would make the file invalid.
            let _ = self.file.set_len(cast.bytes());
        }
        cast.finish(recorded?)?;
        self.count(&cast);
        self.file.sync_all()
    }

    /// Records until the run ends or the recording is stopped; returns the time of that.
    async fn record(&mut self, cast: &mut cast::CastWriter<File>) -> io::Result<Duration> {
        let start = self.tap.start.at;
        if self.beginning.lost > 0 {
            self.note_gap(cast, Duration::ZERO, self.beginning.lost)?;
        }
        let beginning = std::mem::take(&mut self.beginning.bytes);
        self.output(cast, Duration::ZERO, &beginning)?;
        let mut size = self.tap.start.size;
        loop {
            self.count(cast);
            if let Some(limit) = self.max_bytes
                && cast.bytes() > limit
            {
                // The file is valid, but incomplete.
                self.tally.send_modify(|tally| tally.error = Some(format!("it has reached {limit} bytes")));
                break;
            }
            let event = tokio::select! {
                biased;
                // An error means that the registry is gone, and with it all readers of the status.
                _ = self.stopped.wait_for(|stopped| *stopped) => break,
                event = self.tap.next() => event,
            };
            let Some(event) = event else { break };
            if let Some(end) = self.event(cast, start, &mut size, event)? {
                return Ok(end);
            }
        }
        // Output printed before the stop is included; a flood after it is not.
        let stop = Instant::now();
        while let Some(event) = self.waiting_event().await {
            if moment(&event) > stop {
                break;
            }
            if let Some(end) = self.event(cast, start, &mut size, event)? {
                return Ok(end);
            }
        }
        Ok(stop.saturating_duration_since(start))
    }

    /// The next event if it is there already. Uses no timer, since the runtime may be shutting down.
    async fn waiting_event(&mut self) -> Option<TapEvent> {
        let mut next = pin!(self.tap.next());
        poll_fn(|context| match next.as_mut().poll(context) {
            Poll::Ready(event) => Poll::Ready(event),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }

    /// Returns the end's time if it was the last event.
    fn event(
        &mut self,
        cast: &mut cast::CastWriter<File>,
        start: Instant,
        known: &mut vt::Size,
        event: TapEvent,
    ) -> io::Result<Option<Duration>> {
        let at = moment(&event).saturating_duration_since(start);
        match event {
            TapEvent::Output { bytes, .. } => {
                self.output(cast, at, &bytes)?;
            }
            TapEvent::Input { bytes, .. } => cast.input(at, &bytes)?,
            TapEvent::Resize { size, .. } => {
                *known = size;
                cast.resize(at, size.cols, size.rows)?;
            }
            TapEvent::Gap { dropped_bytes, keyframe } => {
                self.note_gap(cast, at, dropped_bytes)?;
                if keyframe.size != *known {
                    *known = keyframe.size;
                    cast.resize(at, known.cols, known.rows)?;
                }
                // A keyframe is drawn for a fresh terminal.
                cast.output(at, b"\x1bc")?;
                cast.output(at, &keyframe.bytes)?;
            }
            TapEvent::Exit { exit, .. } => {
                if let Some(exit) = exit {
                    cast.exit(at, status(exit))?;
                }
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    fn output(&mut self, cast: &mut cast::CastWriter<File>, at: Duration, bytes: &[u8]) -> io::Result<()> {
        cast.output(at, bytes)?;
        self.marks.feed(bytes).iter().try_for_each(|mark| cast.marker(at, mark))
    }

    fn note_gap(&self, cast: &mut cast::CastWriter<File>, at: Duration, lost: u64) -> io::Result<()> {
        self.tally.send_modify(|tally| tally.gaps += 1);
        cast.marker(at, &format!("gap: {lost} bytes were lost"))
    }

    fn count(&self, cast: &cast::CastWriter<File>) {
        self.tally.send_modify(|tally| (tally.bytes, tally.events) = (cast.bytes(), cast.events()));
    }
}

fn moment(event: &TapEvent) -> Instant {
    match event {
        TapEvent::Output { at, .. }
        | TapEvent::Input { at, .. }
        | TapEvent::Resize { at, .. }
        | TapEvent::Exit { at, .. } => *at,
        TapEvent::Gap { keyframe, .. } => keyframe.at,
    }
}

/// The exit status as in a shell: 128 and the number for a signal.
fn status(exit: ExitStatus) -> i32 {
    match exit {
        ExitStatus::Code(code) => code,
        ExitStatus::Signal(number) => 128 + number,
    }
}

/// Writes the recording of a session that ended before it could begin: its output and its end.
pub(super) fn write_ended(
    session: &Session,
    file: File,
    format: cast::AsciicastVersion,
    header: &cast::CastHeader,
) -> io::Result<RecordingProgress> {
    let raw = session.raw(session.run_offset(), usize::MAX);
    let mut cast = cast::CastWriter::new(file.try_clone()?, format, header)?;
    if raw.dropped == 0 {
        cast.output(Duration::ZERO, &raw.bytes)?;
    } else {
        cast.output(Duration::ZERO, &session.with_screen(|screen| screen.serialize()))?;
    }
    if let Some(exit) = session.info().ending.and_then(|ending| ending.exit) {
        cast.exit(Duration::ZERO, status(exit))?;
    }
    cast.finish(Duration::ZERO)?;
    file.sync_all()?;
    Ok(RecordingProgress { bytes: cast.bytes(), events: cast.events(), over: true, ..RecordingProgress::default() })
}

/// Of the environment it contains only the terminal's type, which is the same for all sessions.
pub(super) fn header(session: &Session, size: vt::Size, began: SystemTime) -> cast::CastHeader {
    let info = session.info();
    let words: Vec<_> = info.argv.iter().map(|word| word.to_string_lossy()).collect();
    cast::CastHeader {
        cols: size.cols,
        rows: size.rows,
        term_type: Some("xterm-256color".to_owned()),
        timestamp: began.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs()),
        command: Some(words.join(" ")),
        title: info.name.map(|name| name.to_string()),
        ..cast::CastHeader::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Engine, EngineOptions, Kind, NewSession, TapOptions};

    #[tokio::test]
    async fn a_full_disk_ends_the_recording_and_not_the_session() {
        let engine = Engine::new(EngineOptions::default());
        let session = engine.spawn(NewSession::new(Kind::Command, testkit::Script::new().hang().argv())).await.unwrap();
        let tap = session.tap(TapOptions::default()).unwrap();
        let header = header(&session, tap.start.size, SystemTime::now());
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (stop, stopped) = watch::channel(false);
        let beginning = RecordingStart::picture(&tap.start);
        let (recorder, mut tally) = Recorder::new(tap, beginning, full, cast::AsciicastVersion::V3, None, stopped);
        recorder.run(session.id(), header).unwrap();
        let over = tokio::time::timeout(testkit::DEADLINE, tally.wait_for(|tally| tally.over)).await;
        let tally = over.expect("the recorder ends").unwrap().clone();
        assert!(tally.error.is_some_and(|error| error.contains("space")));
        assert_eq!((tally.bytes, session.status()), (0, engine::Status::Running));
        drop(stop);
        engine.shutdown(Duration::ZERO).await;
    }
}
