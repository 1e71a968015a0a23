//! Frames for viewers: the newest one each time, and which rows moved since a version.

use std::sync::Arc;

use tokio::sync::watch;
use vt::{Frame, Terminal};

use crate::session::Session;
use crate::session::pulse::Pulse;
use crate::session::status::Status;

/// A picture and the version it was taken at.
#[derive(Clone, Debug)]
pub struct VersionedFrame {
    pub version: u64,
    pub frame: Arc<Frame>,
}

/// The newest picture, and where it differs from an earlier version.
#[derive(Clone, Debug)]
pub struct ChangedRows {
    pub frame: VersionedFrame,
    /// Positions, from the top. All of them when the version asked for is unknown.
    pub rows: Vec<u16>,
}

/// At which version each row position last changed.
///
/// Worked out when someone reads, never on the byte path: a row is stamped with the version at
/// which the change was noticed, which is at or after the one that made it. A reader always gets
/// versions from reads, so it never misses a row; it may be told of one twice.
#[derive(Debug, Default)]
pub(crate) struct RowVersions {
    last: Option<VersionedFrame>,
    changed: Vec<u64>,
    /// Versions before this can't be compared with: the grid had another size.
    comparable_from: u64,
}

impl RowVersions {
    /// The picture at `version`, made once however many ask.
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

    /// `frame` is what [`RowVersions::frame`] just gave.
    pub(crate) fn changed_since(&self, since: u64, frame: VersionedFrame) -> ChangedRows {
        let comparable = (self.comparable_from..=frame.version).contains(&since);
        let rows = (0u16..).zip(&self.changed).filter(|(_, changed)| !comparable || **changed > since);
        ChangedRows { rows: rows.map(|(row, _)| row).collect(), frame }
    }
}

/// A viewer's stream of pictures. However slow the viewer, it gets the newest.
#[derive(Debug)]
pub struct FrameStream {
    session: Session,
    pulse: watch::Receiver<Pulse>,
    /// Version and status when the last picture was given; `None` before the first.
    seen: Option<(u64, Status)>,
}

impl FrameStream {
    pub(crate) fn new(session: Session, pulse: watch::Receiver<Pulse>) -> Self {
        FrameStream { session, pulse, seen: None }
    }

    /// The next picture: at once the first time, then when the screen or the status moved.
    /// In that last case it may be the same one again. `None` once the session has been removed. Dropping the future loses nothing.
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
            // The sender lives as long as the session this stream holds.
            self.pulse.changed().await.ok()?;
        }
    }
}
