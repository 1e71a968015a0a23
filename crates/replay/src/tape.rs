//! A recording in memory: all of its text in one piece, and a small entry for each event.

use std::{io::BufRead, ops::Range, time::Duration};

use cast::{CastHeader, CastReader, EventData, ReadError};

/// Longest output fed at once: a longer event becomes several events of the same time. Cutting a stream anywhere gives
/// the same screen, and a step of a replay takes a few milliseconds at most.
const MAX_PIECE: usize = 256 << 10;

/// Maximum length of a description of a file's damage, which may quote the file.
const MAX_REASON: usize = 300;

/// The latest time in a recording: a hundred years. No clock displays more, and browsers count no further.
const MAX_MICROS: u64 = 100 * 365 * 24 * 3600 * 1_000_000;

/// Memory limits of one recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TapeLimits {
    /// Bytes of text: printed, typed, and the labels of markers. At most 4 GiB.
    pub bytes: usize,
    /// Number of events. An event takes 24 bytes besides its text.
    pub events: usize,
}

impl Default for TapeLimits {
    /// Limits for a user's own player. A day of busy work is some 100 MB.
    fn default() -> Self {
        TapeLimits { bytes: 512 << 20, events: 8_000_000 }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum TapeError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("the recording holds more than {} bytes or {} events", limits.bytes, limits.events)]
    TooLarge { limits: TapeLimits },
}

/// The state of a file's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TapeEnding {
    Whole,
    /// Cut in the middle of its last line, as after a crash of the recorder.
    Cut,
    /// A line is not a valid event. The events before it are there.
    Damaged(String),
}

impl TapeEnding {
    /// A description for people.
    pub fn warning(&self) -> Option<String> {
        match self {
            TapeEnding::Whole => None,
            TapeEnding::Cut => Some("the recording was cut off: its recorder did not end well".to_owned()),
            TapeEnding::Damaged(reason) => Some(format!("the recording is read up to its damage: {reason}")),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum TapeEntryKind {
    Output,
    Input,
    Marker,
    Resize { cols: u16, rows: u16 },
    Exit(i32),
}

#[derive(Clone, Copy, Debug)]
struct TapeSlot {
    micros: u64,
    /// Where its text ends; it begins where the previous one ends.
    end: u32,
    kind: TapeEntryKind,
}

/// An event's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TapeEntry<'a> {
    Output(&'a str),
    Input(&'a str),
    Marker(&'a str),
    Resize { cols: u16, rows: u16 },
    Exit(i32),
}

impl TapeEntry<'_> {
    /// Whether it changes the screen.
    pub fn draws(&self) -> bool {
        matches!(self, TapeEntry::Output(_) | TapeEntry::Resize { .. })
    }
}

/// A marker and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedMoment<'a> {
    pub time: Duration,
    pub label: &'a str,
}

/// A recording: its header and its events, sorted by time.
#[derive(Debug)]
pub struct Tape {
    header: CastHeader,
    text: String,
    slots: Vec<TapeSlot>,
    ending: TapeEnding,
}

impl Tape {
    /// Reads the whole recording.
    pub fn read(source: impl BufRead, limits: TapeLimits) -> Result<Self, TapeError> {
        let mut reader = CastReader::new(source)?;
        let header = reader.header().clone();
        let mut tape = Tape { header, text: String::new(), slots: Vec::new(), ending: TapeEnding::Whole };
        let most = limits.bytes.min(u32::MAX as usize);
        for event in reader.by_ref() {
            let event = match event {
                Ok(event) => event,
                Err(ReadError::Io(error)) => return Err(ReadError::Io(error).into()),
                Err(damage) => {
                    let reason = damage.to_string();
                    tape.ending = TapeEnding::Damaged(reason[..boundary(&reason, MAX_REASON)].to_owned());
                    break;
                }
            };
            let (kind, text) = match event.data {
                EventData::Output(text) => (TapeEntryKind::Output, text),
                EventData::Input(text) => (TapeEntryKind::Input, text),
                EventData::Marker(label) => (TapeEntryKind::Marker, label),
                EventData::Resize { cols, rows } => (TapeEntryKind::Resize { cols, rows }, String::new()),
                EventData::Exit(status) => (TapeEntryKind::Exit(status), String::new()),
                // Defined by a future version of the format, so its meaning is unknown.
                EventData::Other { .. } => continue,
            };
            if tape.text.len() + text.len() > most {
                return Err(TapeError::TooLarge { limits });
            }
            for piece in pieces(&text) {
                if tape.slots.len() >= limits.events {
                    return Err(TapeError::TooLarge { limits });
                }
                tape.text.push_str(piece);
                let end = u32::try_from(tape.text.len()).expect("the limit is below 4 GiB");
                let micros = u64::try_from(event.time.as_micros()).unwrap_or(u64::MAX).min(MAX_MICROS);
                tape.slots.push(TapeSlot { micros, end, kind });
            }
        }
        if tape.ending == TapeEnding::Whole && reader.was_cut() {
            tape.ending = TapeEnding::Cut;
        }
        tape.text.shrink_to_fit();
        tape.slots.shrink_to_fit();
        Ok(tape)
    }

    pub fn header(&self) -> &CastHeader {
        &self.header
    }

    pub fn ending(&self) -> &TapeEnding {
        &self.ending
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Bytes of text: printed, typed, and markers' labels.
    pub fn text_bytes(&self) -> usize {
        self.text.len()
    }

    /// The event with this index, and its time.
    pub fn get(&self, index: usize) -> Option<(Duration, TapeEntry<'_>)> {
        let slot = self.slots.get(index)?;
        let text = &self.text[self.place(index)];
        let entry = match slot.kind {
            TapeEntryKind::Output => TapeEntry::Output(text),
            TapeEntryKind::Input => TapeEntry::Input(text),
            TapeEntryKind::Marker => TapeEntry::Marker(text),
            TapeEntryKind::Resize { cols, rows } => TapeEntry::Resize { cols, rows },
            TapeEntryKind::Exit(status) => TapeEntry::Exit(status),
        };
        Some((Duration::from_micros(slot.micros), entry))
    }

    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (Duration, TapeEntry<'_>)> {
        (0..self.len()).map(|index| self.get(index).expect("it is one of them"))
    }

    fn place(&self, index: usize) -> Range<usize> {
        let start = index.checked_sub(1).map_or(0, |before| self.slots[before].end);
        start as usize..self.slots[index].end as usize
    }

    /// The time of the event with this index.
    pub fn time(&self, index: usize) -> Option<Duration> {
        self.slots.get(index).map(|slot| Duration::from_micros(slot.micros))
    }

    /// The time of the last event.
    pub fn length(&self) -> Duration {
        self.slots.last().map_or(Duration::ZERO, |last| Duration::from_micros(last.micros))
    }

    /// The number of events up to and including `time`.
    pub fn events_until(&self, time: Duration) -> usize {
        self.slots.partition_point(|slot| Duration::from_micros(slot.micros) <= time)
    }

    /// The idle limit that the recording asks for.
    pub fn asked_idle_limit(&self) -> Option<Duration> {
        let limit = self.header.idle_time_limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
        limit.filter(|limit| !limit.is_zero())
    }

    /// Shortens all pauses to `limit`, moving later events forward.
    pub fn shorten_pauses(&mut self, limit: Duration) {
        let limit = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
        let (mut before, mut cut) = (0, 0);
        for slot in &mut self.slots {
            let pause = slot.micros - before;
            before = slot.micros;
            cut += pause.saturating_sub(limit);
            slot.micros -= cut;
        }
    }

    /// Start and end of all pauses longer than `limit`.
    pub fn pauses(&self, limit: Duration) -> impl Iterator<Item = (Duration, Duration)> {
        let times = self.slots.iter().map(|slot| Duration::from_micros(slot.micros));
        let before = std::iter::once(Duration::ZERO).chain(times.clone());
        before.zip(times).filter(move |(from, to)| *to - *from > limit)
    }

    /// The markers.
    pub fn marks(&self) -> impl DoubleEndedIterator<Item = NamedMoment<'_>> {
        let marks = (0..self.len()).filter(|index| matches!(self.slots[*index].kind, TapeEntryKind::Marker));
        marks.map(|index| NamedMoment {
            time: Duration::from_micros(self.slots[index].micros),
            label: &self.text[self.place(index)],
        })
    }
}

/// Pieces of at most [`MAX_PIECE`] bytes; at least one piece.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        if text.len() <= MAX_PIECE {
            return rest.take();
        }
        let (piece, after) = text.split_at(boundary(text, MAX_PIECE));
        rest = Some(after);
        Some(piece)
    })
}

/// The last character boundary that is not after `most`.
pub(crate) fn boundary(text: &str, most: usize) -> usize {
    (0..=most.min(text.len())).rev().find(|place| text.is_char_boundary(*place)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "{\"version\":2,\"width\":9,\"height\":2}\n";

    fn tape(events: &str) -> Tape {
        Tape::read(format!("{HEADER}{events}").as_bytes(), TapeLimits::default()).unwrap()
    }

    #[test]
    fn events_are_what_they_were() {
        let tape = tape(
            "[0.5,\"o\",\"é\"]\n[1,\"i\",\"x\"]\n[1,\"r\",\"80x5\"]\n[2,\"m\",\"here\"]\n[3,\"z\",\"?\"]\n[4,\"x\",\"7\"]\n",
        );
        let found: Vec<(u64, TapeEntry<'_>)> =
            tape.entries().map(|(time, entry)| (u64::try_from(time.as_millis()).unwrap(), entry)).collect();
        assert_eq!(
            found,
            [
                (500, TapeEntry::Output("é")),
                (1000, TapeEntry::Input("x")),
                (1000, TapeEntry::Resize { cols: 80, rows: 5 }),
                (2000, TapeEntry::Marker("here")),
                (4000, TapeEntry::Exit(7)),
            ]
        );
        assert_eq!(tape.marks().collect::<Vec<_>>(), [NamedMoment { time: Duration::from_secs(2), label: "here" }]);
        assert_eq!(tape.events_until(Duration::from_secs(1)), 3);
        assert_eq!((tape.length(), tape.ending()), (Duration::from_secs(4), &TapeEnding::Whole));
        let pauses: Vec<_> = tape.pauses(Duration::from_secs(1)).collect();
        assert_eq!(pauses, [(Duration::from_secs(2), Duration::from_secs(4))]);
    }

    #[test]
    fn what_is_behind_damage_is_left_out() {
        let damaged = tape("[1,\"o\",\"a\"]\nnonsense\n[2,\"o\",\"b\"]\n");
        assert_eq!(damaged.len(), 1);
        assert!(damaged.ending().warning().is_some_and(|warning| warning.contains("line 3")), "{:?}", damaged.ending());
        assert_eq!(tape("[1,\"o\",\"a\"]\n[2,\"o\",\"b").ending(), &TapeEnding::Cut);
        Tape::read("no recording".as_bytes(), TapeLimits::default()).unwrap_err();
    }

    #[test]
    fn a_hostile_file_takes_no_more_than_it_may() {
        let limits = TapeLimits { bytes: 1000, events: 10 };
        let read = |events: String| Tape::read(format!("{HEADER}{events}").as_bytes(), limits);
        let too_large = |read: Result<Tape, TapeError>| matches!(read, Err(TapeError::TooLarge { .. }));
        assert!(too_large(read("[0,\"o\",\"\"]\n".repeat(11))));
        assert!(too_large(read("[0,\"m\",\"\"]\n".repeat(11))));
        assert!(too_large(read(format!("[0,\"i\",\"{}\"]\n", "x".repeat(1001)))));
        assert_eq!(read("[0,\"o\",\"\"]\n".repeat(10)).unwrap().len(), 10);
        // Events with unknown codes are not stored.
        assert!(read("[0,\"?\",\"xxxxx\"]\n".repeat(1000)).unwrap().is_empty());
    }

    #[test]
    fn a_long_event_is_fed_in_pieces() {
        let text = "äx".repeat(MAX_PIECE);
        let tape = tape(&format!("[1,\"o\",\"{text}\"]\n"));
        assert!(tape.len() > 2, "{}", tape.len());
        let all: String = tape
            .entries()
            .map(|(time, entry)| match entry {
                TapeEntry::Output(piece) if time == Duration::from_secs(1) && piece.len() <= MAX_PIECE => piece,
                other => panic!("{time:?} {other:?}"),
            })
            .collect();
        assert!(all == text);
    }

    #[test]
    fn long_pauses_are_shortened_and_short_ones_stay() {
        let mut tape = tape("[0.5,\"o\",\"x\"]\n[10,\"o\",\"x\"]\n[10.5,\"o\",\"x\"]\n[60.5,\"o\",\"x\"]\n");
        tape.shorten_pauses(Duration::from_secs(2));
        let times: Vec<f64> = tape.entries().map(|(time, _)| time.as_secs_f64()).collect();
        assert_eq!(times, [0.5, 2.5, 3.0, 5.0]);
        assert_eq!(tape.length(), Duration::from_secs(5));
    }
}
