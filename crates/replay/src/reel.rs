//! A recording put into a terminal of ours, forwards and back.
//!
//! A jump starts from the nearest keyframe before the place; one is kept every so often on the way. Going far can be
//! done bit by bit, so that whoever draws a screen meanwhile is not held up.

use std::{sync::Arc, time::Duration};

use vt::{Frame, Size, Terminal, TerminalOptions};

use crate::{
    keyframes::{KeyframeStore, fresh},
    tape::{Tape, TapeEntry},
};

/// What an event costs beside its text, in bytes of text that take as long.
const EVENT_COST: usize = 32;
/// Between two pictures of a player: thirty a second.
const PICTURE: Duration = Duration::from_millis(33);

/// One way through a recording.
#[derive(Debug)]
pub struct Reel {
    tape: Arc<Tape>,
    terminal: Terminal,
    /// Events that have been fed.
    fed: usize,
    /// Output since the last keyframe.
    since: usize,
    /// None where one only goes forwards.
    keyframes: Option<KeyframeStore>,
}

impl Reel {
    pub fn new(tape: Arc<Tape>) -> Self {
        let terminal = fresh(start_size(&tape));
        Reel { tape, terminal, fed: 0, since: 0, keyframes: Some(KeyframeStore::default()) }
    }

    /// One whose terminal keeps the lines that scrolled away. Going back starts from the beginning.
    pub fn with_history(tape: Arc<Tape>) -> Self {
        let terminal = Terminal::new(TerminalOptions { size: start_size(&tape), ..TerminalOptions::default() });
        Reel { tape, terminal, fed: 0, since: 0, keyframes: None }
    }

    pub fn tape(&self) -> &Arc<Tape> {
        &self.tape
    }

    pub fn terminal(&self) -> &Terminal {
        &self.terminal
    }

    /// The picture. A recording may end within an update: what there is of it is shown.
    pub fn frame(&mut self) -> Frame {
        if self.fed == self.tape.len() {
            self.terminal.expire_synchronized_update();
        }
        self.terminal.frame()
    }

    /// Events that have been fed.
    pub fn fed(&self) -> usize {
        self.fed
    }

    /// When the last event that was fed happened.
    pub fn time(&self) -> Duration {
        self.fed.checked_sub(1).and_then(|last| self.tape.time(last)).unwrap_or_default()
    }

    /// When the next one happens.
    pub fn next_time(&self) -> Option<Duration> {
        self.tape.time(self.fed)
    }

    /// Feeds the next event; false at the end.
    pub fn step(&mut self) -> bool {
        self.feed_next().is_some()
    }

    /// The size that was just read gives way to another one before anyone could see it: laying the screen out for it
    /// would be for nothing, and a file may hold thousands.
    fn is_passing_size(&self) -> bool {
        let next = self.tape.get(self.fed).filter(|(_, entry)| matches!(entry, TapeEntry::Resize { .. }));
        next.is_some_and(|(time, _)| time.saturating_sub(self.time()) < PICTURE)
    }

    /// What it cost, in bytes.
    fn feed_next(&mut self) -> Option<usize> {
        let (_, entry) = self.tape.get(self.fed)?;
        self.fed += 1;
        let cost = match entry {
            TapeEntry::Output(text) => {
                self.terminal.feed(text.as_bytes());
                // Nobody answers a recording.
                self.terminal.take_effects();
                text.len()
            }
            TapeEntry::Resize { .. } if self.is_passing_size() => 0,
            TapeEntry::Resize { cols, rows } => {
                let size = Size { cols, rows }.clamped();
                let changes = size != self.terminal.size();
                self.terminal.resize(size);
                usize::from(changes) * usize::from(size.cols) * usize::from(size.rows)
            }
            TapeEntry::Input(_) | TapeEntry::Marker(_) | TapeEntry::Exit(_) => 0,
        };
        self.since += cost;
        if let Some(keyframes) = &mut self.keyframes
            && keyframes.offer(self.fed, self.since, &self.terminal)
        {
            self.since = 0;
        }
        Some(cost + EVENT_COST)
    }

    /// Goes on to where `events` have happened, by the nearest keyframe, and no further than `work` bytes of output
    /// take. True when it is there.
    pub fn go_towards(&mut self, events: usize, work: usize) -> bool {
        let events = events.min(self.tape.len());
        let ahead = (events >= self.fed).then_some(self.fed);
        let keyframe = self.keyframes.as_ref().and_then(|keyframes| keyframes.before(events, ahead));
        match keyframe {
            Some((fed, terminal)) => (self.fed, self.terminal, self.since) = (fed, terminal, 0),
            None if ahead.is_none() => self.rewind(),
            None => {}
        }
        let mut done = 0;
        while self.fed < events && done < work {
            let Some(cost) = self.feed_next() else { break };
            done += cost;
        }
        self.fed == events
    }

    fn rewind(&mut self) {
        let size = start_size(&self.tape);
        self.terminal = match self.keyframes {
            Some(_) => fresh(size),
            None => Terminal::new(TerminalOptions { size, ..TerminalOptions::default() }),
        };
        (self.fed, self.since) = (0, 0);
    }

    /// As it was after so many events.
    pub fn go_to_event(&mut self, events: usize) {
        self.go_towards(events, usize::MAX);
    }

    /// As it was at `time`: everything up to it has happened.
    pub fn go_to(&mut self, time: Duration) {
        self.go_to_event(self.tape.events_until(time));
    }

    pub fn go_to_end(&mut self) {
        self.go_to_event(self.tape.len());
    }
}

pub(crate) fn start_size(tape: &Tape) -> Size {
    Size { cols: tape.header().cols, rows: tape.header().rows }.clamped()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::TapeLimits;

    fn reel() -> Reel {
        let mut file = "{\"version\":2,\"width\":40,\"height\":5}\n".to_owned();
        for number in 0..200_u64 {
            let seconds = number as f64 / 100.0;
            file += &match number % 50 {
                49 => format!("[{seconds},\"r\",\"{}x5\"]\n", 40 + number % 7),
                _ => {
                    format!("[{seconds},\"o\",\"{}line {number}\\u001b[3{}m\\r\\n\"]\n", "x".repeat(2_000), number % 8)
                }
            };
        }
        let tape = Arc::new(Tape::read(file.as_bytes(), TapeLimits::default()).unwrap());
        Reel { keyframes: Some(KeyframeStore::within(50_000, 1 << 20)), ..Reel::new(tape) }
    }

    #[test]
    fn any_way_there_shows_what_was_there() {
        let mut far = reel();
        far.go_to_end();
        assert!(far.keyframes.as_ref().is_some_and(|keyframes| keyframes.len() > 3));
        for events in [150, 149, 77, 3, 0, 199, 150, 200] {
            let mut forwards = reel();
            forwards.keyframes = None;
            forwards.go_to_event(events);
            let mut slowly = reel();
            let mut turns = 0;
            while !slowly.go_towards(events, 10_000) {
                turns += 1;
                assert!(turns < 100, "{events}");
            }
            far.go_to_event(events);
            let there = forwards.frame();
            for (way, reel) in [("back", &mut far), ("slowly", &mut slowly)] {
                let frame = reel.frame();
                assert_eq!((frame.text(), frame.size), (there.text(), there.size), "{way} {events}");
                assert_eq!(reel.fed(), events);
            }
        }
    }

    #[test]
    fn sizes_that_nobody_sees_cost_nothing() {
        let mut file = "{\"version\":2,\"width\":80,\"height\":24}\n[0.1,\"o\",\"text\"]\n".to_owned();
        for number in 0..20_000 {
            file += &format!("[1.{:06},\"r\",\"{}x{}\"]\n", number, 1000 + number % 7, 500 + number % 5);
        }
        let mut reel = Reel::new(Arc::new(Tape::read(file.as_bytes(), TapeLimits::default()).unwrap()));
        // Each would cost as much as half a megabyte of output: 10 GB together.
        assert!(reel.go_towards(usize::MAX, 2 << 20), "{} of 20,000 events", reel.fed());
        let frame = reel.frame();
        assert_eq!((frame.size, frame.text().trim_end()), (Size::new(1000, 504), "text"));
    }

    #[test]
    fn keeping_screens_is_a_share_of_the_work() {
        let mut file = "{\"version\":2,\"width\":80,\"height\":24}\n".to_owned();
        for number in 0..200 {
            file += &format!("[{number},\"r\",\"{}x1000\"]\n[{number},\"o\",\"x\\r\\n\"]\n", 1000 + number % 2);
        }
        let mut reel = Reel::new(Arc::new(Tape::read(file.as_bytes(), TapeLimits::default()).unwrap()));
        reel.go_to_end();
        // Each size is worth two keyframes by its cells alone; keeping one takes as long as a size does.
        let kept = reel.keyframes.as_ref().map_or(0, KeyframeStore::len);
        assert!((10..=200 / 8).contains(&kept), "{kept}");
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

    #[test]
    fn what_scrolled_away_is_kept_only_where_it_is_wanted() {
        let tape = reel().tape().clone();
        let mut with = Reel::with_history(tape.clone());
        with.go_to_end();
        with.go_to_event(120);
        let mut text = String::new();
        with.terminal().lines_text(with.terminal().lines(), &mut text);
        assert!(text.contains("line 0\n") && text.contains("line 118\n"));
        let mut without = Reel::new(tape);
        without.go_to_event(120);
        assert_eq!(without.terminal().first_screen_line(), without.terminal().lines().start);
    }

    #[test]
    fn an_update_that_never_ended_is_shown_at_the_end() {
        let file = "{\"version\":2,\"width\":9,\"height\":1}\n[1,\"o\",\"a\"]\n[2,\"o\",\"\\u001b[?2026hb\"]\n";
        let mut reel = Reel::new(Arc::new(Tape::read(file.as_bytes(), TapeLimits::default()).unwrap()));
        reel.go_to(Duration::from_secs(1));
        assert_eq!(reel.frame().text().trim_end(), "a");
        reel.go_to_end();
        assert_eq!(reel.frame().text().trim_end(), "ab");
    }
}
