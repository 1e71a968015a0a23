//! A recording played through our own terminal: the frame at any time, forwards and backwards.
//!
//! It knows no clock: the page's scrubber says what time it is.

use std::{io::BufRead, sync::Arc, time::Duration};

use cast::{EventData, ReadError, Reader};
use serde::Serialize;
use vt::{Frame, Options, Size, Terminal};

use crate::frame::FrameMessage;

/// Output that one recording may hold, because all of it is in memory. A day of an agent's work is some ten megabytes.
const MAX_BYTES: usize = 64 << 20;
const MAX_EVENTS: usize = 1_000_000;
/// Pauses and marks a page is told of.
const MAX_NOTED: usize = 5_000;
/// A pause that players may shorten.
const PAUSE: Duration = Duration::from_secs(2);
/// Output between two places from which a step back starts: parsing this much takes some milliseconds.
const CHECKPOINT_BYTES: usize = 512 << 10;
const MAX_CHECKPOINTS: usize = 512;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplayError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("the recording holds more than {MAX_BYTES} bytes or {MAX_EVENTS} events: play it with `vtr play`")]
    TooLarge,
}

/// What the page shows beside the screen.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct About {
    title: String,
    command: String,
    /// Seconds since 1970; 0 when the file does not say.
    recorded: u64,
    ms: u64,
    /// From and to, in milliseconds, of pauses that may be shortened.
    pauses: Vec<(u64, u64)>,
    /// Milliseconds and label.
    marks: Vec<(u64, String)>,
    /// Its end is missing, as after a crash of the recorder.
    cut: bool,
}

#[derive(Debug)]
enum Step {
    Output(String),
    Resize(Size),
}

/// A recording in memory.
#[derive(Debug)]
pub(crate) struct Recording {
    about: About,
    size: Size,
    steps: Vec<(Duration, Step)>,
}

impl Recording {
    /// Reads what is there. A file that is damaged in the middle is played up to the damage.
    pub(crate) fn read(source: impl BufRead) -> Result<Self, ReplayError> {
        let mut reader = Reader::new(source)?;
        let header = reader.header().clone();
        let mut steps = Vec::new();
        let (mut bytes, mut last, mut damaged) = (0, Duration::ZERO, false);
        let (mut pauses, mut marks) = (Vec::new(), Vec::new());
        for event in reader.by_ref() {
            let event = match event {
                Ok(event) => event,
                Err(ReadError::Io(error)) => return Err(ReadError::Io(error).into()),
                Err(_) => {
                    damaged = true;
                    break;
                }
            };
            if event.time.saturating_sub(last) > PAUSE && pauses.len() < MAX_NOTED {
                pauses.push((millis(last), millis(event.time)));
            }
            last = event.time;
            let step = match event.data {
                EventData::Output(text) => {
                    bytes += text.len();
                    Step::Output(text)
                }
                EventData::Resize { cols, rows } => Step::Resize(Size::new(cols, rows)),
                EventData::Marker(label) => {
                    if marks.len() < MAX_NOTED {
                        marks.push((millis(event.time), label));
                    }
                    continue;
                }
                EventData::Input(_) | EventData::Exit(_) | EventData::Other { .. } => continue,
            };
            if bytes > MAX_BYTES || steps.len() >= MAX_EVENTS {
                return Err(ReplayError::TooLarge);
            }
            steps.push((event.time, step));
        }
        let about = About {
            title: header.title.unwrap_or_default(),
            command: header.command.unwrap_or_default(),
            recorded: header.timestamp.unwrap_or_default(),
            ms: millis(last),
            pauses,
            marks,
            cut: damaged || reader.was_cut(),
        };
        Ok(Recording { about, size: Size::new(header.cols, header.rows), steps })
    }

    pub(crate) fn about(&self) -> About {
        self.about.clone()
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A place to start from: the screen before the step of this number.
#[derive(Debug)]
struct Checkpoint {
    next: usize,
    size: Size,
    screen: Vec<u8>,
}

/// One page's way through a recording.
#[derive(Debug)]
pub(crate) struct Player {
    recording: Arc<Recording>,
    terminal: Terminal,
    /// The step to play next.
    next: usize,
    since_checkpoint: usize,
    /// By their step.
    checkpoints: Vec<Checkpoint>,
    shown: Option<Arc<Frame>>,
    version: u64,
}

impl Player {
    pub(crate) fn new(recording: Arc<Recording>) -> Self {
        let terminal = fresh(recording.size);
        Player { recording, terminal, next: 0, since_checkpoint: 0, checkpoints: Vec::new(), shown: None, version: 0 }
    }

    /// What the screen showed at this time, as the difference to what was asked for before.
    pub(crate) fn at(&mut self, ms: u64) -> FrameMessage {
        // A page's time is in whole milliseconds: what happened within the last one has happened.
        let time = Duration::from_millis(ms) + Duration::from_micros(999);
        let recording = self.recording.clone();
        let target = recording.steps.partition_point(|(at, _)| *at <= time);
        self.jump(target);
        while self.next < target {
            match &recording.steps[self.next].1 {
                Step::Output(text) => {
                    self.terminal.feed(text.as_bytes());
                    self.since_checkpoint += text.len();
                }
                Step::Resize(size) => self.terminal.resize(*size),
            }
            self.next += 1;
            // Nobody hears them: it is long over.
            drop(self.terminal.take_effects());
            self.remember();
        }
        // A recording may end within an update; what there is of it is shown.
        if target == recording.steps.len() {
            self.terminal.expire_synchronized_update();
        }
        self.version += 1;
        let frame = Arc::new(self.terminal.frame());
        let update = grpc::frame_update(self.version, frame.clone(), self.shown.as_deref());
        self.shown = Some(frame);
        FrameMessage::from(update).at(ms)
    }

    /// Goes to the last checkpoint before `target` unless playing on is nearer.
    fn jump(&mut self, target: usize) {
        let before = self.checkpoints.partition_point(|checkpoint| checkpoint.next <= target);
        let checkpoint = before.checked_sub(1).map(|number| &self.checkpoints[number]);
        match checkpoint {
            Some(checkpoint) if target < self.next || checkpoint.next > self.next => {
                self.terminal = fresh(checkpoint.size);
                self.terminal.feed(&checkpoint.screen);
                self.next = checkpoint.next;
                self.since_checkpoint = 0;
            }
            None if target < self.next => {
                self.terminal = fresh(self.recording.size);
                self.next = 0;
                self.since_checkpoint = 0;
            }
            _ => {}
        }
    }

    fn remember(&mut self) {
        let news = self.checkpoints.last().is_none_or(|last| last.next < self.next);
        if self.since_checkpoint >= CHECKPOINT_BYTES && news && self.checkpoints.len() < MAX_CHECKPOINTS {
            let (size, screen) = (self.terminal.size(), self.terminal.serialize());
            self.checkpoints.push(Checkpoint { next: self.next, size, screen });
            self.since_checkpoint = 0;
        }
    }
}

/// Nothing scrolls back in a recording: time does.
fn fresh(size: Size) -> Terminal {
    Terminal::new(Options { size, history_lines: 0, ..Options::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(text: &str) -> Arc<Recording> {
        Arc::new(Recording::read(text.as_bytes()).unwrap())
    }

    /// The rows of the frame at a time, from a whole frame.
    fn rows(player: &mut Player, ms: u64) -> Vec<String> {
        player.shown = None;
        player.at(ms);
        let text = player.shown.as_ref().unwrap().text();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn time_runs_both_ways() {
        let text = concat!(
            "{\"version\":3,\"term\":{\"cols\":10,\"rows\":2},\"title\":\"t\"}\n",
            "[0.5,\"o\",\"one\"]\n[1.0,\"o\",\" two\"]\n[5.0,\"r\",\"4x3\"]\n[0.25,\"m\",\"here\"]\n[0.25,\"o\",\"\\u001b[2J\\u001b[Hx\"]\n",
        );
        let recording = recording(text);
        let about = recording.about();
        assert_eq!((about.ms, about.pauses, about.marks), (7000, vec![(1500, 6500)], vec![(6750, "here".to_owned())]));
        let mut player = Player::new(recording);
        assert_eq!(rows(&mut player, 0), ["", ""]);
        assert_eq!(rows(&mut player, 500), ["one", ""]);
        assert_eq!(rows(&mut player, 6000), ["one two", ""]);
        assert_eq!(rows(&mut player, 9000), ["x", "", ""]);
        assert_eq!(rows(&mut player, 1499), ["one", ""]);
    }

    #[test]
    fn a_far_jump_gives_what_playing_gives() {
        let mut text = String::from("{\"version\":2,\"width\":40,\"height\":6}\n");
        let filler = "z".repeat(20_000);
        for number in 0..100 {
            text.push_str(&format!("[{number}.0,\"o\",\"{filler}\\r\\nline {number}\\u001b[3{}m\"]\n", number % 8));
        }
        let recording = recording(&text);
        let mut steady = Player::new(recording.clone());
        let played: Vec<Vec<String>> = (0..100).map(|second| rows(&mut steady, second * 1000)).collect();
        assert!(steady.checkpoints.len() > 2, "{}", steady.checkpoints.len());
        for second in [70_u64, 3, 99, 0, 55, 54, 98] {
            let seconds = usize::try_from(second).unwrap();
            assert_eq!(rows(&mut steady, second * 1000), played[seconds], "{second}");
        }
        assert_eq!(rows(&mut Player::new(recording), 70_000), played[70]);
    }

    #[test]
    fn a_damaged_recording_plays_up_to_the_damage() {
        let damaged =
            recording("{\"version\":2,\"width\":9,\"height\":1}\n[1,\"o\",\"a\"]\nnonsense\n[2,\"o\",\"b\"]\n");
        assert!(damaged.about().cut);
        assert_eq!(rows(&mut Player::new(damaged), 5000), ["a"]);
        Recording::read("no recording".as_bytes()).unwrap_err();
    }
}
