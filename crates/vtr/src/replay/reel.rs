//! A recording put into a terminal of ours, forwards and back.
//!
//! Going back replays from the last picture before the place: one is kept every so often.

use std::{sync::Arc, time::Duration};

use cast::EventData;
use vt::{Options, Size, Terminal};

use super::tape::Tape;

/// Between two pictures: what replays in some 10 ms.
const PICTURE_BYTES: usize = 1 << 20;
/// Pictures kept; beyond, they are further apart.
const MAX_PICTURES: usize = 512;

#[derive(Debug)]
struct Picture {
    /// Events before it.
    events: usize,
    size: Size,
    bytes: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Reel {
    tape: Arc<Tape>,
    terminal: Terminal,
    /// Events that have been fed.
    fed: usize,
    pictures: Vec<Picture>,
    /// Output since the last picture.
    since: usize,
    every: usize,
}

impl Reel {
    pub(crate) fn new(tape: Arc<Tape>) -> Self {
        let size = Size { cols: tape.header.cols, rows: tape.header.rows }.clamped();
        let every = PICTURE_BYTES.max(output_bytes(&tape) / MAX_PICTURES);
        Reel { terminal: terminal(size), tape, fed: 0, pictures: Vec::new(), since: 0, every }
    }

    pub(crate) fn terminal(&mut self) -> &mut Terminal {
        &mut self.terminal
    }

    /// Events that have been fed.
    pub(crate) fn fed(&self) -> usize {
        self.fed
    }

    /// When the last event that was fed happened.
    pub(crate) fn time(&self) -> Duration {
        self.fed.checked_sub(1).map_or(Duration::ZERO, |last| self.tape.events[last].time)
    }

    /// When the next one happens.
    pub(crate) fn next_time(&self) -> Option<Duration> {
        self.tape.events.get(self.fed).map(|event| event.time)
    }

    /// Feeds the next event; false at the end.
    pub(crate) fn step(&mut self) -> bool {
        let Some(event) = self.tape.events.get(self.fed) else { return false };
        self.fed += 1;
        match &event.data {
            EventData::Output(text) => {
                self.terminal.feed(text.as_bytes());
                // Nobody answers a recording.
                self.terminal.take_effects();
                self.since += text.len();
            }
            EventData::Resize { cols, rows } => self.terminal.resize(Size { cols: *cols, rows: *rows }.clamped()),
            EventData::Input(_) | EventData::Marker(_) | EventData::Exit(_) | EventData::Other { .. } => {}
        }
        if self.since >= self.every && self.pictures.last().is_none_or(|last| last.events < self.fed) {
            self.since = 0;
            let (size, bytes) = (self.terminal.size(), self.terminal.serialize());
            self.pictures.push(Picture { events: self.fed, size, bytes });
        }
        true
    }

    /// As it was after so many events.
    pub(crate) fn go_to_event(&mut self, events: usize) {
        if events < self.fed {
            let picture = self.pictures.iter().rev().find(|picture| picture.events <= events);
            (self.terminal, self.fed) = match picture {
                Some(picture) => {
                    let mut terminal = terminal(picture.size);
                    terminal.feed(&picture.bytes);
                    terminal.take_effects();
                    (terminal, picture.events)
                }
                None => {
                    let header = &self.tape.header;
                    (terminal(Size { cols: header.cols, rows: header.rows }.clamped()), 0)
                }
            };
            self.since = 0;
        }
        while self.fed < events && self.step() {}
    }

    /// As it was at `time`: everything up to it has happened.
    pub(crate) fn go_to(&mut self, time: Duration) {
        self.go_to_event(self.tape.events.partition_point(|event| event.time <= time));
    }

    pub(crate) fn go_to_end(&mut self) {
        self.go_to_event(self.tape.events.len());
    }
}

fn terminal(size: Size) -> Terminal {
    Terminal::new(Options { size, ..Options::default() })
}

fn output_bytes(tape: &Tape) -> usize {
    tape.events.iter().map(|event| if let EventData::Output(text) = &event.data { text.len() } else { 0 }).sum()
}

#[cfg(test)]
mod tests {
    use cast::{Event, Header};

    use super::*;

    fn reel() -> Reel {
        let events = (0..200u64)
            .map(|number| {
                let data = match number % 50 {
                    49 => EventData::Resize { cols: 40 + number as u16 % 7, rows: 5 },
                    _ => EventData::Output(format!("{}line {number}\r\n", "x".repeat(2_000))),
                };
                Event { time: Duration::from_millis(number * 10), data }
            })
            .collect();
        let header = Header { cols: 40, rows: 5, ..Header::default() };
        Reel { every: 50_000, ..Reel::new(Arc::new(Tape { header, events, cut: false })) }
    }

    #[test]
    fn going_back_shows_what_was_there() {
        let mut forwards = reel();
        let mut back = reel();
        back.go_to_end();
        assert!(back.pictures.len() > 3);
        for events in [150, 149, 77, 3, 0, 199] {
            forwards.go_to_event(0);
            forwards.pictures.clear();
            forwards.go_to_event(events);
            back.go_to_event(events);
            assert_eq!(back.terminal().frame().text(), forwards.terminal().frame().text(), "{events}");
            assert_eq!(back.fed(), events);
        }
    }

    #[test]
    fn times_are_places() {
        let mut reel = reel();
        reel.go_to(Duration::from_millis(105));
        assert_eq!(
            (reel.fed(), reel.time(), reel.next_time()),
            (11, Duration::from_millis(100), Some(Duration::from_millis(110)))
        );
        reel.go_to(Duration::from_secs(99));
        assert!(!reel.step() && reel.next_time().is_none());
    }
}
