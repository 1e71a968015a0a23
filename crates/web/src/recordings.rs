//! The recordings of one folder, for the page: the list, the details of each, and the frame at any time.
//!
//! It knows no clock: the page's scrubber sets the time. Files are untrusted: their texts are cut to what the page can
//! show, and memory is bounded.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use axum::body::{Body, Bytes};
use replay::{FileError, Reel, Tape, TapeError, TapeLimits};
use serde::Serialize;
use tokio::{fs::File, io::AsyncReadExt, sync::mpsc, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use vt::Frame;

use crate::{budget::BudgetPermit, frame::FrameMessage};

/// Limits of one recording. Several pages may play one each; a day of an agent's work is a few tens of megabytes.
const LIMITS: TapeLimits = TapeLimits { bytes: 64 << 20, events: 1_000_000 };
/// Maximum pauses and marks sent to a page.
const MAX_NOTED: usize = 5_000;
/// Minimum pause that players may shorten.
const PAUSE: Duration = Duration::from_secs(2);
/// Output replayed between two checks whether the frame is still wanted: about 100 ms.
const WORK: usize = 8 << 20;
/// Piece size of a download, and how long a piece may wait for its reader.
const PIECE_BYTES: usize = 64 << 10;
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum characters of a title, a command or a label.
const MAX_SAID: usize = 200;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct ListedRecording {
    name: String,
    bytes: u64,
    /// Seconds since 1970.
    changed: u64,
}

/// Newest first. A missing folder is empty.
pub(crate) fn list(folder: &Path) -> Vec<ListedRecording> {
    let listed = |one: replay::RecordingFile| ListedRecording {
        name: one.name,
        bytes: one.bytes,
        changed: one.changed.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    };
    replay::list(folder).into_iter().map(listed).collect()
}

/// Opens a recording by its file name; the error is worded for people.
pub(crate) fn open(folder: &Path, name: &str) -> Result<Tape, String> {
    replay::open(folder, name, LIMITS).map_err(|error| match error {
        FileError::Tape(TapeError::TooLarge { .. }) => format!("{error}: play it with `vtr play`"),
        error => said(&error.to_string()),
    })
}

/// Streams the file unchanged; stops if the reader stalls.
pub(crate) async fn download(folder: &Path, name: &str, taken: BudgetPermit) -> Option<Body> {
    let mut file = File::open(replay::find(folder, name).ok()?).await.ok()?;
    let (pieces, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        loop {
            let mut piece = vec![0; PIECE_BYTES];
            let read = match file.read(&mut piece).await {
                Ok(0) => break,
                read => read.map(|bytes| Bytes::from(piece).slice(..bytes)),
            };
            let failed = read.is_err();
            if !matches!(timeout(PATIENCE, pieces.send(read)).await, Ok(Ok(()))) || failed {
                break;
            }
        }
        drop(taken);
    });
    Some(Body::from_stream(ReceiverStream::new(receiver)))
}

/// What the page shows beside the screen.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RecordingDetails {
    title: String,
    command: String,
    /// Seconds since 1970; 0 when the file does not say.
    recorded: u64,
    ms: u64,
    /// Start and end in milliseconds of the pauses that may be shortened.
    pauses: Vec<(u64, u64)>,
    /// Milliseconds and label.
    marks: Vec<(u64, String)>,
    /// Damage at the file's end; empty if there is none.
    note: String,
}

impl From<&Tape> for RecordingDetails {
    fn from(tape: &Tape) -> Self {
        let header = tape.header();
        RecordingDetails {
            title: said(header.title.as_deref().unwrap_or_default()),
            command: said(header.command.as_deref().unwrap_or_default()),
            recorded: header.timestamp.unwrap_or_default(),
            ms: millis(tape.length()),
            pauses: tape.pauses(PAUSE).take(MAX_NOTED).map(|(from, to)| (millis(from), millis(to))).collect(),
            marks: tape.marks().take(MAX_NOTED).map(|mark| (millis(mark.time), said(mark.label))).collect(),
            note: tape.ending().warning().map(|warning| said(&warning)).unwrap_or_default(),
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Text from the file, on one line and cut to a length that people read.
fn said(text: &str) -> String {
    let mut said: String = text.chars().take(MAX_SAID).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(MAX_SAID).is_some() {
        said.push('…');
    }
    said
}

/// One page's position in a recording.
#[derive(Debug)]
pub(crate) struct RecordingView {
    reel: Reel,
    shown: Option<Arc<Frame>>,
    version: u64,
}

impl RecordingView {
    pub(crate) fn new(tape: Arc<Tape>) -> Self {
        RecordingView { reel: Reel::new(tape), shown: None, version: 0 }
    }

    /// Advances towards this time by a bounded step. True when it is reached.
    pub(crate) fn go_towards(&mut self, ms: u64) -> bool {
        // The page's time is in whole milliseconds: include events within the current one.
        let time = Duration::from_millis(ms).saturating_add(Duration::from_micros(999));
        let events = self.reel.tape().events_until(time);
        self.reel.go_towards(events, WORK)
    }

    /// The screen at that time, as a diff to the frame before.
    pub(crate) fn frame(&mut self, ms: u64) -> FrameMessage {
        self.version += 1;
        let frame = Arc::new(self.reel.frame());
        let update = grpc::frame_update(self.version, frame.clone(), self.shown.as_deref());
        self.shown = Some(frame);
        FrameMessage::from(update).at(ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tape(text: &str) -> Arc<Tape> {
        Arc::new(Tape::read(text.as_bytes(), LIMITS).unwrap())
    }

    fn rows(showing: &mut RecordingView, ms: u64) -> Vec<String> {
        while !showing.go_towards(ms) {}
        showing.frame(ms);
        let text = showing.shown.as_ref().unwrap().text();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_frame_of_a_time_is_what_was_there_then() {
        let text =
            "{\"version\":2,\"width\":9,\"height\":2}\n[1.5,\"o\",\"one\"]\n[4,\"r\",\"5x3\"]\n[4,\"o\",\" two\"]\n";
        let mut showing = RecordingView::new(tape(text));
        assert_eq!(rows(&mut showing, 1499), ["", ""]);
        assert_eq!(rows(&mut showing, 1500), ["one", ""]);
        assert_eq!(rows(&mut showing, 9000), ["one t", "wo", ""]);
        assert_eq!(rows(&mut showing, 1500), ["one", ""]);
        assert_eq!(rows(&mut showing, u64::MAX), ["one t", "wo", ""]);
    }

    #[test]
    fn what_a_file_says_of_itself_is_bounded() {
        let long = "x".repeat(100_000);
        let mut text =
            format!("{{\"version\":2,\"width\":9,\"height\":1,\"title\":\"{long}\",\"command\":\"a\\u001b[2Jb\"}}\n");
        for number in 0..6000 {
            text.push_str(&format!("[{},\"m\",\"{}\"]\n", number * 3, &long[..1000]));
        }
        text.push_str("nonsense\n");
        let about = RecordingDetails::from(&*tape(&text));
        assert_eq!((about.title.chars().count(), about.command.as_str()), (MAX_SAID + 1, "a\u{fffd}[2Jb"));
        assert_eq!((about.marks.len(), about.pauses.len()), (MAX_NOTED, MAX_NOTED));
        assert!(about.marks.iter().all(|(_, label)| label.chars().count() == MAX_SAID + 1));
        assert!(about.note.contains("damage"), "{}", about.note);
        // Times and sizes out of any sensible range.
        let text =
            "{\"version\":3,\"term\":{\"cols\":65535,\"rows\":65535}}\n[1e300,\"o\",\"a\"]\n[1e300,\"r\",\"0x0\"]\n";
        let tape = tape(text);
        assert_eq!(RecordingDetails::from(&*tape).ms, 100 * 365 * 24 * 3600 * 1000);
        assert_eq!(rows(&mut RecordingView::new(tape), u64::MAX), ["a"]);
    }

    #[test]
    fn what_can_not_be_played_is_told_in_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bad.cast"), "no recording").unwrap();
        std::fs::write(folder.path().join("good.cast"), "{\"version\":2,\"width\":9,\"height\":1}\n").unwrap();
        let large =
            format!("{{\"version\":2,\"width\":9,\"height\":1}}\n{}", "[0,\"o\",\"\"]\n".repeat(LIMITS.events + 1));
        std::fs::write(folder.path().join("large.cast"), large).unwrap();
        assert_eq!(list(folder.path()).len(), 3);
        open(folder.path(), "good.cast").unwrap();
        assert!(open(folder.path(), "bad.cast").unwrap_err().contains("not an asciicast header"));
        assert!(open(folder.path(), "../bad.cast").unwrap_err().contains("no recording"));
        assert!(open(folder.path(), "large.cast").unwrap_err().ends_with("play it with `vtr play`"));
    }
}
