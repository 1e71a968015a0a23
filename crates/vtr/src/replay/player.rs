//! `vtr play` on the person's terminal: the recording's screen, where it is in time, and keys to move about.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use cast::EventData;
use regex::Regex;
use tokio::signal::unix::{SignalKind, signal};
use tui::{
    Canvas, Decoder, Event, PaneView, Rect, Role, Skin, Span, Writer,
    host::{Host, HostError, Modes, MouseTracking},
    widgets::{InputOutcome, LineInput, draw_status_line},
};
use vt::input::{Key, KeyEvent, KeyEventKind, Modifiers};

use super::{Reel, Sighting, Tape, clock, sightings};
use crate::{
    failure::{Exit, Failure, Outcome},
    host_terminal::{self, EndSignals},
    output::printable,
    surroundings::Surroundings,
};

/// Between two pictures: thirty a second.
const FRAME: Duration = Duration::from_micros(33_334);
const PROBE: Duration = Duration::from_millis(400);
const JUMP: Duration = Duration::from_secs(5);
const LONG_JUMP: Duration = Duration::from_secs(60);
const SPEEDS: [f64; 9] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0];
/// More than anyone steps through.
const MAX_FOUND: usize = 10_000;

const KEYS: &str = "space pause  ←→ 5 s  , . step  - + speed  [ ] marks  / search  n N found  q leaves";

/// Where the recording is, and how it moves on.
#[derive(Debug)]
struct Player {
    tape: Arc<Tape>,
    reel: Reel,
    playing: bool,
    speed: f64,
    /// The place in time, at the moment beside it.
    at: Duration,
    since: Instant,
    search: Option<LineInput>,
    found: Vec<Sighting>,
    notice: String,
    done: bool,
}

impl Player {
    fn new(tape: Arc<Tape>, start: Duration, speed: f64) -> Self {
        let mut player = Player {
            reel: Reel::new(Arc::clone(&tape)),
            tape,
            playing: true,
            speed,
            at: Duration::ZERO,
            since: Instant::now(),
            search: None,
            found: Vec::new(),
            notice: String::new(),
            done: false,
        };
        player.seek(start);
        player
    }

    /// Moves on with the clock.
    fn advance(&mut self, now: Instant) {
        if self.playing {
            let passed = now.saturating_duration_since(self.since).mul_f64(self.speed);
            self.at = (self.at + passed).min(self.tape.length());
            self.reel.go_to(self.at);
            if self.reel.next_time().is_none() {
                self.playing = false;
                self.notice = "the end".into();
            }
        }
        self.since = now;
    }

    /// When the next event is due.
    fn next_due(&self) -> Option<Instant> {
        let next = self.reel.next_time().filter(|_| self.playing)?;
        Some(self.since + next.saturating_sub(self.at).div_f64(self.speed))
    }

    fn seek(&mut self, to: Duration) {
        self.at = to.min(self.tape.length());
        self.since = Instant::now();
        self.reel.go_to(self.at);
    }

    fn seek_event(&mut self, events: usize) {
        self.playing = false;
        self.reel.go_to_event(events);
        self.at = self.reel.time();
    }

    /// Forwards to the next event that draws something.
    fn step_on(&mut self) {
        self.playing = false;
        let draws =
            |index: usize| matches!(self.tape.events[index].data, EventData::Output(_) | EventData::Resize { .. });
        let next = (self.reel.fed()..self.tape.events.len()).find(|index| draws(*index));
        self.seek_event(next.map_or(self.tape.events.len(), |index| index + 1));
    }

    fn step_back(&mut self) {
        let draws =
            |index: &usize| matches!(self.tape.events[*index].data, EventData::Output(_) | EventData::Resize { .. });
        let last = (0..self.reel.fed()).rev().find(draws);
        self.seek_event(last.unwrap_or(0));
    }

    fn faster(&mut self) {
        self.speed = SPEEDS.into_iter().find(|speed| *speed > self.speed).unwrap_or(self.speed);
    }

    fn slower(&mut self) {
        self.speed = SPEEDS.into_iter().rfind(|speed| *speed < self.speed).unwrap_or(self.speed);
    }

    fn jump_to_mark(&mut self, forwards: bool) {
        let marks: Vec<(Duration, String)> = self.tape.marks().map(|(time, label)| (time, printable(label))).collect();
        let mark = match forwards {
            true => marks.iter().find(|(time, _)| *time > self.at),
            false => marks.iter().rev().find(|(time, _)| *time < self.at),
        };
        match mark {
            Some((time, label)) => {
                self.notice = if label.is_empty() { "mark".into() } else { label.clone() };
                self.seek(*time);
            }
            None => self.notice = "no mark there".into(),
        }
    }

    fn jump_to_found(&mut self, forwards: bool) {
        let here = self.reel.fed();
        let place = match forwards {
            true => self.found.iter().position(|found| found.event > here),
            false => self.found.iter().rposition(|found| found.event < here),
        };
        match place {
            Some(place) => {
                self.notice = format!("{} of {}", place + 1, self.found.len());
                self.seek_event(self.found[place].event);
            }
            None if self.found.is_empty() => self.notice = "nothing found".into(),
            None => self.notice = "no more that way".into(),
        }
    }

    fn key(&mut self, key: &KeyEvent) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        self.notice.clear();
        if let Some(input) = &mut self.search {
            match input.update(key) {
                InputOutcome::Submitted => {
                    let pattern = std::mem::take(&mut self.search).map(|input| input.text().to_owned());
                    match super::sightings::pattern(&pattern.unwrap_or_default()) {
                        Ok(pattern) => self.find(&pattern),
                        Err(reason) => self.notice = reason,
                    }
                }
                InputOutcome::Cancelled => self.search = None,
                _ => {}
            }
            return;
        }
        let ctrl = key.modifiers.contains(Modifiers::CTRL);
        let jump = if key.modifiers.contains(Modifiers::SHIFT) { LONG_JUMP } else { JUMP };
        let typed = key.typed().and_then(|text| text.chars().next());
        match (key.key, typed) {
            (Key::Escape, _) | (_, Some('q')) => self.done = true,
            (Key::Char('c'), _) if ctrl => self.done = true,
            (_, Some(' ')) => {
                if self.reel.next_time().is_none() {
                    self.seek(Duration::ZERO);
                    self.playing = true;
                } else {
                    self.playing = !self.playing;
                }
            }
            (Key::Right, _) => self.seek(self.at + jump),
            (Key::Left, _) => self.seek(self.at.saturating_sub(jump)),
            (_, Some('.')) => self.step_on(),
            (_, Some(',')) => self.step_back(),
            (_, Some('+' | '=')) => self.faster(),
            (_, Some('-')) => self.slower(),
            (_, Some('[')) => self.jump_to_mark(false),
            (_, Some(']')) => self.jump_to_mark(true),
            (_, Some('g')) => self.seek(Duration::ZERO),
            (_, Some('G')) => self.seek(self.tape.length()),
            (_, Some(digit @ '0'..='9')) => {
                let tenths = digit.to_digit(10).unwrap_or(0);
                self.seek(self.tape.length() * tenths / 10);
            }
            (_, Some('/')) => self.search = Some(LineInput::default()),
            (_, Some('n')) => self.jump_to_found(true),
            (_, Some('N')) => self.jump_to_found(false),
            _ => {}
        }
    }

    fn find(&mut self, pattern: &Regex) {
        self.found = sightings(&self.tape, pattern, MAX_FOUND);
        self.jump_to_found(true);
    }

    fn draw(&mut self, canvas: &mut Canvas, skin: &Skin) {
        let area = Rect::of(canvas.size());
        let (pane, status) = area.split_bottom(1);
        let frame = self.reel.terminal().frame();
        let view = PaneView::frame(&frame).cropped(PaneView::offset_for(&frame, pane));
        let cursor = view.draw(canvas, pane, 1);
        if let Some(input) = &self.search {
            let (before, line) = status.split_left(1);
            canvas.draw_line(before, 0, &[Span::new("/", skin.style(Role::Accent))], skin.style(Role::Input));
            let cursor = input.draw(canvas, line, skin.style(Role::Input));
            canvas.set_cursor(cursor);
            return;
        }
        let state = if self.playing { "▶" } else { "‖" };
        let left = [
            Span::new(
                format!(" {state} {} / {} ", clock(self.at), clock(self.tape.length())),
                skin.style(Role::Accent),
            ),
            Span::new(format!(" {}x  ", self.speed), skin.style(Role::Muted)),
            Span::new(self.notice.clone(), skin.style(Role::Warning)),
        ];
        let right = [Span::new(format!("{KEYS} "), skin.style(Role::Muted))];
        let room = usize::from(area.cols).saturating_sub(left.iter().map(Span::cols).sum());
        let right = if right[0].cols() < room { &right[..] } else { &[] };
        draw_status_line(canvas, status, &left, right, skin);
        canvas.set_cursor(cursor);
    }
}

/// Plays until the person leaves.
pub(crate) async fn play(
    mut host: Host,
    surroundings: &Surroundings,
    tape: Arc<Tape>,
    start: Duration,
    speed: f64,
) -> Outcome {
    let failed = |error: HostError| host_terminal::failure(&error);
    let system = |error: io::Error| Failure::system("using the terminal", &error);
    let input = std::os::fd::AsFd::as_fd(&host).try_clone_to_owned().map_err(system)?;
    host_terminal::restore_on_panic(&host);
    host.enter(Modes { mouse: MouseTracking::Off, ..Modes::default() }).map_err(failed)?;
    let mut decoder = Decoder::new();
    let mut events = Vec::new();
    let mut probe = host.probe(&mut decoder, PROBE, &mut events).map_err(failed)?;
    let known = probe.abilities().clone();
    host.change(known.modes(MouseTracking::Off)).map_err(failed)?;
    let mut input = tui::host::HostInput::start(input).map_err(system)?;
    let mut resized = signal(SignalKind::window_change()).map_err(system)?;
    let mut ends = EndSignals::new().map_err(system)?;
    let skin = Skin::new(known.color_scheme());
    let mut writer = Writer::new(known.writer_options(host_terminal::color_hints(surroundings)));
    let mut canvas = Canvas::new(host.size().map_err(failed)?);
    let mut player = Player::new(tape, start, speed);
    let mut fed = Instant::now();
    loop {
        for event in events.drain(..) {
            match event {
                event if probe.take(&event) => {}
                Event::Key(key) => {
                    player.advance(Instant::now());
                    player.key(&key);
                }
                Event::Paste(text) => {
                    if let Some(search) = &mut player.search {
                        search.insert(&text);
                    }
                }
                _ => {}
            }
        }
        if player.done {
            host.leave();
            return Ok(Exit::Done);
        }
        let drawn = Instant::now();
        player.advance(drawn);
        player.draw(&mut canvas, &skin);
        host.write(writer.frame(&canvas)).map_err(failed)?;
        // The clock in the status bar moves while it plays, and only then.
        let mut wake = drawn + if player.playing { Duration::from_millis(100) } else { Duration::from_secs(3600) };
        if let Some(due) = player.next_due() {
            wake = wake.min(due);
        }
        if let Some(wait) = decoder.wait() {
            wake = wake.min(fed + wait);
        }
        let wake = wake.max(drawn + FRAME);
        tokio::select! {
            biased;
            name = ends.next() => {
                host.leave();
                return Err(Failure::new(Exit::Refused, "ended", format!("ended by the signal {name}")));
            }
            bytes = input.next() => match bytes {
                None => return Err(Failure::new(Exit::Refused, "ended", "the terminal is gone")),
                Some(bytes) => {
                    decoder.feed(&bytes, &mut events);
                    fed = Instant::now();
                }
            },
            _ = resized.recv() => canvas.resize(host.size().map_err(failed)?),
            () = tokio::time::sleep_until(wake.into()) => {
                if decoder.wait().is_some_and(|wait| fed + wait <= Instant::now()) {
                    decoder.expire(&mut events);
                }
            }
        }
    }
}
