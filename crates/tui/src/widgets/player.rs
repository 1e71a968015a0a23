//! Plays a recording: the screen, the position in time, and keys to move around.
//!
//! It reads no clock: the caller passes the time, and asks for the deadline of the next step. Long jumps and searches
//! are done in pieces, so that a large recording does not block the caller.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use regex::Regex;
use replay::{Reel, Sighting, SightingSearch, Tape, TapeEnding, clock};
use vt::{
    Frame,
    input::{Key, KeyEvent, KeyEventKind, Modifiers},
};

use super::{InputOutcome, LineInput, draw_status_line};
use crate::{
    canvas::{Canvas, CanvasCursor, Span},
    event::HostEvent,
    geometry::Rect,
    pane::PaneView,
    skin::{Skin, SkinRole},
};

const JUMP: Duration = Duration::from_secs(5);
const LONG_JUMP: Duration = Duration::from_secs(60);
const SPEEDS: [f64; 9] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0];
/// Maximum matches; nobody steps through more.
const MAX_FOUND: usize = 10_000;
/// Bytes of output replayed per step: about 10 ms.
const WORK: usize = 1 << 20;
/// How often the displayed time changes during play.
const CLOCK: Duration = Duration::from_millis(100);
/// Maximum characters shown of a mark's label or a name.
const MAX_SAID: usize = 60;
/// The canvas's memory slot for these rows, different from any pane's.
const SLOT: u64 = 3;

/// Fits in 80 columns.
const KEYS: &str = "space pause  ←→ 5 s  ,. step  -+ speed  [] marks  / search  nN match  q leaves ";
const KEYS_SHORT: &str = "? keys  q leaves ";

/// The effect of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerOutcome {
    Taken,
    /// The person closed the player.
    Left,
}

/// The position in a recording, and its movement.
#[derive(Debug)]
pub struct RecordingPlayer {
    name: String,
    reel: Reel,
    frame: Frame,
    playing: bool,
    speed: f64,
    /// The position in time, as of the instant beside it.
    at: Duration,
    since: Instant,
    /// The event number that a jump in progress goes to.
    heading: Option<usize>,
    prompt: Option<LineInput>,
    search: Option<SightingSearch>,
    found: Vec<Sighting>,
    notice: String,
    /// The line shows the keys until the next key.
    telling_keys: bool,
}

impl RecordingPlayer {
    /// Starts playing from the beginning.
    pub fn new(name: &str, tape: Arc<Tape>, now: Instant) -> Self {
        let mut reel = Reel::new(tape);
        RecordingPlayer {
            name: said(name),
            frame: reel.frame(),
            reel,
            playing: true,
            speed: 1.0,
            at: Duration::ZERO,
            since: now,
            heading: None,
            prompt: None,
            search: None,
            found: Vec::new(),
            notice: String::new(),
            telling_keys: false,
        }
    }

    pub fn set_speed(&mut self, speed: f64) {
        self.speed = speed;
    }

    /// Shows a notice until the first key.
    pub fn say(&mut self, notice: &str) {
        self.notice = said(notice);
    }

    /// Jumps to the moment when match `number` first became visible; `n` and `N` go to the other matches.
    pub fn show_found(&mut self, found: Vec<Sighting>, number: usize) {
        self.found = found;
        self.go_to_found(number);
    }

    fn tape(&self) -> &Arc<Tape> {
        self.reel.tape()
    }

    /// Advances to the current time, and does a step of a jump or search in progress.
    pub fn advance(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.since);
        self.since = now;
        if self.heading.is_some() {
            self.approach();
        } else if let Some(search) = &mut self.search {
            if search.go_on(WORK) {
                self.found = self.search.take().map(SightingSearch::found).unwrap_or_default();
                self.jump_to_found(true);
            }
        } else if self.playing {
            self.at = (self.at + passed.mul_f64(self.speed)).min(self.tape().length());
            self.heading = Some(self.tape().events_until(self.at));
            self.approach();
        }
        if self.playing && self.heading.is_none() && self.reel.next_time().is_none() {
            self.playing = false;
            // Tells why playing stops here: at the end, or at a cut or damaged place.
            let end = match self.tape().ending() {
                TapeEnding::Whole => "the end",
                TapeEnding::Cut => "the end: the recording was cut off here",
                TapeEnding::Damaged(_) => "the end: the rest of the file is damaged",
            };
            self.notice = end.into();
        }
    }

    /// When to advance next; `None` while nothing moves.
    pub fn deadline(&self) -> Option<Instant> {
        if self.heading.is_some() || self.search.is_some() {
            return Some(self.since);
        }
        let next = self.reel.next_time().filter(|_| self.playing)?;
        Some(self.since + next.saturating_sub(self.at).div_f64(self.speed).min(CLOCK))
    }

    /// Does one bounded step towards the target.
    fn approach(&mut self) {
        let Some(events) = self.heading else { return };
        if self.reel.go_towards(events, WORK) {
            self.heading = None;
            self.frame = self.reel.frame();
        }
    }

    pub fn seek(&mut self, to: Duration) {
        self.at = to.min(self.tape().length());
        self.heading = Some(self.tape().events_until(self.at));
        self.approach();
    }

    fn seek_event(&mut self, events: usize) {
        self.playing = false;
        self.at = events.checked_sub(1).and_then(|last| self.tape().time(last)).unwrap_or_default();
        self.heading = Some(events);
        self.approach();
    }

    /// The number of events up to the position, or up to the target of a jump.
    fn here(&self) -> usize {
        self.heading.unwrap_or(self.reel.fed())
    }

    fn draws(&self, index: usize) -> bool {
        self.tape().get(index).is_some_and(|(_, entry)| entry.draws())
    }

    /// Moves to the next event that draws something.
    fn step_on(&mut self) {
        let end = self.tape().len();
        let next = (self.here()..end).find(|index| self.draws(*index));
        self.seek_event(next.map_or(end, |index| index + 1));
    }

    fn step_back(&mut self) {
        let last = (0..self.here()).rev().find(|index| self.draws(*index));
        self.seek_event(last.unwrap_or(0));
    }

    fn pause_or_go_on(&mut self) {
        if self.here() == self.tape().len() {
            self.seek(Duration::ZERO);
            self.playing = true;
        } else {
            self.playing = !self.playing;
        }
    }

    fn jump_to_mark(&mut self, forwards: bool) {
        let tape = Arc::clone(self.tape());
        let mark = match forwards {
            true => tape.marks().find(|mark| mark.time > self.at),
            false => tape.marks().rev().find(|mark| mark.time < self.at),
        };
        match mark {
            Some(mark) => {
                self.notice = if mark.label.is_empty() { "mark".into() } else { said(mark.label) };
                self.seek(mark.time);
            }
            None => self.notice = "no more marks that way".into(),
        }
    }

    fn jump_to_found(&mut self, forwards: bool) {
        let here = self.here();
        let number = match forwards {
            true => self.found.iter().position(|found| found.event > here),
            false => self.found.iter().rposition(|found| found.event < here),
        };
        match number {
            Some(number) => self.go_to_found(number),
            None if self.found.is_empty() => self.notice = "nothing found".into(),
            None => self.notice = "no more matches that way".into(),
        }
    }

    fn go_to_found(&mut self, number: usize) {
        let Some(found) = self.found.get(number) else { return };
        self.notice = format!("{} of {}", number + 1, self.found.len());
        self.seek_event(found.event);
    }

    fn find(&mut self, pattern: Regex) {
        self.playing = false;
        self.search = Some(SightingSearch::new(Arc::clone(self.tape()), pattern, MAX_FOUND));
    }

    /// Handles an event, after advancing the time.
    pub fn update(&mut self, event: &HostEvent, now: Instant) -> PlayerOutcome {
        match event {
            HostEvent::Key(key) if key.kind != KeyEventKind::Release => {
                self.advance(now);
                return self.key(key);
            }
            HostEvent::Paste(text) => {
                if let Some(prompt) = &mut self.prompt {
                    prompt.insert(text);
                }
            }
            _ => {}
        }
        PlayerOutcome::Taken
    }

    fn key(&mut self, key: &KeyEvent) -> PlayerOutcome {
        if matches!(key.key, Key::Modifier(_)) {
            return PlayerOutcome::Taken;
        }
        self.notice.clear();
        self.telling_keys = false;
        if self.prompt.is_some() {
            self.prompt_key(key);
            return PlayerOutcome::Taken;
        }
        // Any other key ends a search in progress.
        let searched = self.search.take().is_some();
        let jump = if key.modifiers.contains(Modifiers::SHIFT) { LONG_JUMP } else { JUMP };
        let typed = key.typed().and_then(|text| text.chars().next());
        match (key.key, typed) {
            (Key::Escape, _) if searched => self.notice = "search cancelled".into(),
            (Key::Escape, _) | (_, Some('q')) => return PlayerOutcome::Left,
            (Key::Char('c'), _) if key.modifiers.contains(Modifiers::CTRL) => return PlayerOutcome::Left,
            (_, Some(' ')) => self.pause_or_go_on(),
            (Key::Right, _) => self.seek(self.at + jump),
            (Key::Left, _) => self.seek(self.at.saturating_sub(jump)),
            (_, Some('.')) => self.step_on(),
            (_, Some(',')) => self.step_back(),
            (_, Some('+' | '=')) => {
                self.speed = SPEEDS.into_iter().find(|speed| *speed > self.speed).unwrap_or(self.speed);
            }
            (_, Some('-')) => {
                self.speed = SPEEDS.into_iter().rfind(|speed| *speed < self.speed).unwrap_or(self.speed);
            }
            (_, Some('[')) => self.jump_to_mark(false),
            (_, Some(']')) => self.jump_to_mark(true),
            (Key::Home, _) | (_, Some('g')) => self.seek(Duration::ZERO),
            (Key::End, _) | (_, Some('G')) => self.seek(self.tape().length()),
            (_, Some(digit @ '0'..='9')) => {
                let tenths = digit.to_digit(10).unwrap_or(0);
                self.seek(self.tape().length() * tenths / 10);
            }
            (_, Some('/')) => self.prompt = Some(LineInput::default()),
            (_, Some('n')) => self.jump_to_found(true),
            (_, Some('N')) => self.jump_to_found(false),
            (_, Some('?')) => self.telling_keys = true,
            _ => {}
        }
        PlayerOutcome::Taken
    }

    fn prompt_key(&mut self, key: &KeyEvent) {
        let Some(prompt) = &mut self.prompt else { return };
        match prompt.update(key) {
            InputOutcome::Submitted => {
                let text = self.prompt.take().map(|prompt| prompt.text().to_owned()).unwrap_or_default();
                match replay::pattern(&text) {
                    Ok(pattern) => self.find(pattern),
                    Err(error) => self.notice = said(&error.to_string()),
                }
            }
            InputOutcome::Cancelled => self.prompt = None,
            _ => {}
        }
    }

    /// Draws the screen in `screen` and the status in the row `line`, and returns the cursor's place.
    pub fn draw(&self, canvas: &mut Canvas, screen: Rect, line: Rect, skin: &Skin) -> Option<CanvasCursor> {
        let view = PaneView::frame(&self.frame).cropped(PaneView::offset_for(&self.frame, screen));
        let cursor = view.draw(canvas, screen, SLOT);
        if let Some(prompt) = &self.prompt {
            let (before, line) = line.split_left(1);
            canvas.draw_line(before, 0, &[Span::new("/", skin.style(SkinRole::Accent))], skin.style(SkinRole::Input));
            return prompt.draw(canvas, line, skin.style(SkinRole::Input));
        }
        if self.telling_keys {
            draw_status_line(canvas, line, &[Span::new(format!(" {KEYS}"), skin.style(SkinRole::Accent))], &[], skin);
            return cursor;
        }
        let state = if self.playing { "▶" } else { "‖" };
        let notice = match (&self.search, self.heading) {
            (Some(search), _) => format!("searching… {} %", search.percent()),
            (None, Some(_)) => "jumping…".to_owned(),
            (None, None) => self.notice.clone(),
        };
        let left = [
            Span::new(
                format!(" {state} {} / {} ", clock(self.at), clock(self.tape().length())),
                skin.style(SkinRole::Accent),
            ),
            Span::new(format!(" {}x  ", self.speed), skin.style(SkinRole::Muted)),
            Span::new(notice, skin.style(SkinRole::Warning)),
            Span::new(format!("  {}", self.name), skin.style(SkinRole::Muted)),
        ];
        let room = usize::from(line.cols).saturating_sub(left.iter().map(Span::cols).sum());
        let keys = [KEYS, KEYS_SHORT].map(|keys| Span::new(keys, skin.style(SkinRole::Muted)));
        let right = keys.iter().find(|keys| keys.cols() < room).map(std::slice::from_ref).unwrap_or_default();
        draw_status_line(canvas, line, &left, right, skin);
        cursor
    }
}

/// Text from the file, cleaned and cut to one line.
fn said(text: &str) -> String {
    let acts = |c: char| c.is_control() || vt::is_bidi_control(c);
    text.chars().take(MAX_SAID).map(|c| if acts(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use replay::TapeLimits;
    use vt::Size;

    use super::*;

    /// A recording of ten seconds with a mark and an end.
    fn player(start: Instant) -> RecordingPlayer {
        let file = "{\"version\":2,\"width\":20,\"height\":2}\n[1,\"o\",\"one\"]\n[3,\"o\",\" two\"]\n\
                    [4,\"m\",\"he\\u001b[2J\\u202ere\"]\n[6,\"o\",\"\\u001b[2J\\u001b[Hthree\"]\n[10,\"x\",\"0\"]\n";
        RecordingPlayer::new("a.cast", Arc::new(Tape::read(file.as_bytes(), TapeLimits::default()).unwrap()), start)
    }

    fn looks(player: &RecordingPlayer) -> String {
        let mut canvas = Canvas::new(Size::new(60, 3));
        let (screen, line) = Rect::of(canvas.size()).split_bottom(1);
        player.draw(&mut canvas, screen, line, &Skin::default());
        canvas.text()
    }

    fn press(player: &mut RecordingPlayer, keys: &str, now: Instant) {
        for key in keys.split_whitespace() {
            assert_eq!(player.update(&HostEvent::Key(key.parse().unwrap()), now), PlayerOutcome::Taken, "{key}");
        }
    }

    #[test]
    fn it_moves_with_the_clock_it_is_told() {
        let start = Instant::now();
        let mut player = player(start);
        let after = |millis: u64| start + Duration::from_millis(millis);
        assert_eq!(player.deadline(), Some(after(100)));
        player.advance(after(950));
        assert_eq!(player.deadline(), Some(after(1000)));
        player.advance(after(1000));
        assert!(looks(&player).starts_with("one \n") || looks(&player).starts_with("one"), "{}", looks(&player));
        press(&mut player, "+", after(2000));
        player.advance(after(2500));
        assert!(looks(&player).contains("▶ 0:03.000 / 0:10.000  2x"), "{}", looks(&player));
        press(&mut player, "space", after(2500));
        assert_eq!(player.deadline(), None);
        player.advance(after(9000));
        assert!(looks(&player).contains("‖ 0:03.000"), "{}", looks(&player));
        press(&mut player, "G", after(9000));
        assert!(looks(&player).contains("three") && looks(&player).contains("0:10.000 /"), "{}", looks(&player));
    }

    #[test]
    fn it_steps_jumps_and_finds() {
        let now = Instant::now();
        let mut player = player(now);
        press(&mut player, "space . .", now);
        assert!(looks(&player).contains("one two") && looks(&player).contains("0:03.000"), "{}", looks(&player));
        press(&mut player, ",", now);
        assert!(looks(&player).contains("0:01.000"), "{}", looks(&player));
        // A mark's label must not reach the terminal as a command.
        press(&mut player, "]", now);
        assert!(
            looks(&player).contains("0:04.000") && looks(&player).contains("he\u{fffd}[2J\u{fffd}re"),
            "{}",
            looks(&player)
        );
        press(&mut player, "/ t w o enter", now);
        assert!(looks(&player).contains("searching"), "{}", looks(&player));
        while player.deadline().is_some() {
            player.advance(now);
        }
        assert!(looks(&player).contains("no more matches that way"), "{}", looks(&player));
        press(&mut player, "N", now);
        assert!(looks(&player).contains("1 of 1") && looks(&player).contains("0:03.000"), "{}", looks(&player));
        press(&mut player, "/ (", now);
        press(&mut player, "enter", now);
        assert!(looks(&player).contains("the pattern"), "{}", looks(&player));
        press(&mut player, "?", now);
        assert!(looks(&player).contains(" space pause") && !looks(&player).contains("0:03"), "{}", looks(&player));
        assert_eq!(player.update(&HostEvent::Key("q".parse().unwrap()), now), PlayerOutcome::Left);
    }

    #[test]
    fn far_places_are_reached_bit_by_bit() {
        let mut file = "{\"version\":2,\"width\":20,\"height\":2}\n".to_owned();
        for number in 0..20 {
            file += &format!("[{number},\"o\",\"{}\\r\\nline {number}\"]\n", "x".repeat(200_000));
        }
        let now = Instant::now();
        let tape = Arc::new(Tape::read(file.as_bytes(), TapeLimits::default()).unwrap());
        let mut player = RecordingPlayer::new("b.cast", tape, now);
        press(&mut player, "space G", now);
        assert!(looks(&player).contains("jumping…"), "{}", looks(&player));
        let mut turns = 0;
        while player.deadline().is_some() {
            player.advance(now);
            turns += 1;
        }
        assert!(looks(&player).contains("line 19") && turns >= 3, "{turns}: {}", looks(&player));
    }
}
