//! Replays a recording in a terminal of our own, forwards and back.
//!
//! A jump starts from the nearest keyframe before the target; keyframes are stored along the way. A long jump can be
//! done in steps, so that a caller that draws meanwhile is not blocked.

use std::{sync::Arc, time::Duration};

use vt::{Frame, Size, Terminal, TerminalOptions};

use crate::{
    keyframes::{KeyframeStore, fresh},
    tape::{Tape, TapeEntry},
};

/// The cost of an event besides its text, in bytes of text that take as long to process.
const EVENT_COST: usize = 32;
/// Interval between two frames of a player: thirty a second.
const PICTURE: Duration = Duration::from_millis(33);

/// A position in a recording, and its screen.
#[derive(Debug)]
pub struct Reel {
    tape: Arc<Tape>,
    terminal: Terminal,
    /// The number of events fed.
    fed: usize,
    /// Output since the last keyframe.
    since: usize,
    /// `None` if the reel only goes forwards.
    keyframes: Option<KeyframeStore>,
}

impl Reel {
    pub fn new(tape: Arc<Tape>) -> Self {
        let terminal = fresh(start_size(&tape));
        Reel { tape, terminal, fed: 0, since: 0, keyframes: Some(KeyframeStore::default()) }
    }

    /// A reel whose terminal keeps the lines that scroll away. Going back starts from the beginning.
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

    /// The current frame. If the recording ends within a synchronized update, the unfinished update is shown.
    pub fn frame(&mut self) -> Frame {
        if self.fed == self.tape.len() {
            self.terminal.expire_synchronized_update();
        }
        self.terminal.frame()
    }

    /// The number of events fed.
    pub fn fed(&self) -> usize {
        self.fed
    }

    /// The time of the last event fed.
    pub fn time(&self) -> Duration {
        self.fed.checked_sub(1).and_then(|last| self.tape.time(last)).unwrap_or_default()
    }

    /// The time of the next event.
    pub fn next_time(&self) -> Option<Duration> {
        self.tape.time(self.fed)
    }

    /// Feeds the next event; false at the end.
    pub fn step(&mut self) -> bool {
        self.feed_next().is_some()
    }

    /// Whether the size just read is replaced by another one before anyone could see it. Reflowing for it would be
    /// wasted work, and a file may contain thousands of sizes.
    fn is_passing_size(&self) -> bool {
        let next = self.tape.get(self.fed).filter(|(_, entry)| matches!(entry, TapeEntry::Resize { .. }));
        next.is_some_and(|(time, _)| time.saturating_sub(self.time()) < PICTURE)
    }

    /// The cost, in bytes of output.
    fn feed_next(&mut self) -> Option<usize> {
        let (_, entry) = self.tape.get(self.fed)?;
        self.fed += 1;
        let cost = match entry {
            TapeEntry::Output(text) => {
                self.terminal.feed(text.as_bytes());
                // Queries in a recording get no answer.
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

    /// Moves towards the state after `events` events, from the nearest keyframe, doing no more work than `work` bytes
    /// of output take. True when it is reached.
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

    /// Moves to the state after this many events.
    pub fn go_to_event(&mut self, events: usize) {
        self.go_towards(events, usize::MAX);
    }

    /// Moves to the state at `time`, with all events up to it.
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
        // Each would cost as much as half a megabyte of output, together 10 GB.
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
        // By its cells alone each size justifies two keyframes; storing one takes as long as a size does.
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
