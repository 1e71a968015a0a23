//! Frames for viewers: always the newest, and the rows that changed since a version.

use std::sync::Arc;

use tokio::sync::watch;
use vt::{Frame, Terminal};

use crate::session::Session;
use crate::session::pulse::Pulse;
use crate::session::status::Status;

/// A frame and its version.
#[derive(Clone, Debug)]
pub struct VersionedFrame {
    pub version: u64,
    pub frame: Arc<Frame>,
}

/// The newest frame, and its differences to an earlier version.
#[derive(Clone, Debug)]
pub struct ChangedRows {
    pub frame: VersionedFrame,
    /// Row positions from the top; all of them if the requested version is unknown.
    pub rows: Vec<u16>,
}

/// The version at which each row position last changed.
///
/// Computed when someone reads, never on the byte path: a row is stamped with the version at which the change was
/// noticed, which is at or after the one that made it. Readers get versions from reads, so they never miss a row, but
/// may get one twice.
#[derive(Debug, Default)]
pub(crate) struct RowVersions {
    last: Option<VersionedFrame>,
    changed: Vec<u64>,
    /// Earlier versions can't be compared: the grid had another size.
    comparable_from: u64,
}

impl RowVersions {
    /// The frame at `version`, computed once for all readers.
    pub(crate) fn frame(&mut self, terminal: &mut Terminal, version: u64) -> VersionedFrame {
        if let Some(last) = &self.last
            && last.version == version
        {
            return last.clone();
        }
        let frame = Arc::new(terminal.frame());
        match &self.last {
            Some(last) if last.frame.size == frame.size => {
                for row in frame.damage(&last.frame) {
                    self.changed[usize::from(row)] = version;
                }
            }
            _ => {
                self.changed = vec![version; frame.rows.len()];
                self.comparable_from = version;
            }
        }
        let now = VersionedFrame { version, frame };
        self.last = Some(now.clone());
        now
    }

    /// `frame` is the result of [`RowVersions::frame`].
    pub(crate) fn changed_since(&self, since: u64, frame: VersionedFrame) -> ChangedRows {
        let comparable = (self.comparable_from..=frame.version).contains(&since);
        let rows = (0u16..).zip(&self.changed).filter(|(_, changed)| !comparable || **changed > since);
        ChangedRows { rows: rows.map(|(row, _)| row).collect(), frame }
    }
}

/// A viewer's stream of frames. A slow viewer always gets the newest.
#[derive(Debug)]
pub struct FrameStream {
    session: Session,
    pulse: watch::Receiver<Pulse>,
    /// Version and status of the last frame returned; `None` before the first.
    seen: Option<(u64, Status)>,
}

impl FrameStream {
    pub(crate) fn new(session: Session, pulse: watch::Receiver<Pulse>) -> Self {
        FrameStream { session, pulse, seen: None }
    }

    /// The next frame: immediately the first time, then when the screen or the status changed. If only the status
    /// changed, the frame may be the same one again. `None` once the session has been removed. Cancel-safe.
    pub async fn next(&mut self) -> Option<VersionedFrame> {
        loop {
            let pulse = *self.pulse.borrow_and_update();
            if pulse.removed {
                return None;
            }
            let frame = self.session.frame();
            let now = Some((frame.version, pulse.status));
            if self.seen != now {
                self.seen = now;
                return Some(frame);
            }
            // The sender lives as long as the session, which this stream holds.
            self.pulse.changed().await.ok()?;
        }
    }
}
