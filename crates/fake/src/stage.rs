//! The drawn screen: keeps settled lines, asks the costume for the rest, and writes what changed.

use std::fmt::Write;
use std::time::{Duration, Instant};

use vt::Size;

use crate::costume::Costume;
use crate::line::PaintedLine;
use crate::painter::{FullScreenPainter, InlinePainter};
use crate::scene::{Scene, SceneEntry};

pub(crate) struct SceneScreen {
    pub(crate) costume: Box<dyn Costume>,
    inline: InlinePainter,
    full: FullScreenPainter,
    /// The settled lines, from this many entries, at this size.
    settled: Vec<PaintedLine>,
    settled_entries: usize,
    drawn_for: Option<(Size, bool, bool)>,
    title: Option<String>,
    report: String,
    last_frame: Option<Instant>,
}

impl SceneScreen {
    pub(crate) fn new(costume: Box<dyn Costume>) -> Self {
        SceneScreen {
            costume,
            inline: InlinePainter::default(),
            full: FullScreenPainter::default(),
            settled: Vec::new(),
            settled_entries: 0,
            drawn_for: None,
            title: None,
            report: String::new(),
            last_frame: None,
        }
    }

    /// The bytes that update the terminal to the scene.
    pub(crate) fn draw(&mut self, scene: &Scene, now: Instant) -> String {
        let mut out = String::new();
        let title = self.costume.title(scene, now);
        if self.title.as_ref() != Some(&title) {
            // Writing to a string can't fail.
            let _ = write!(out, "\x1b]0;{}\x07", one_line(&title));
            self.title = Some(title);
        }
        let report = self.costume.report(scene);
        if report != self.report {
            out.push_str(&report);
            self.report = report;
        }
        let frame = self.frame(scene, now);
        let due = self.costume.frame_time(scene).is_some_and(|time| self.is_due(time, now));
        if due || self.last_frame.is_none() {
            self.last_frame = Some(now);
        }
        match (self.costume.synchronizes(), frame.is_empty()) {
            (true, false) => {
                let _ = write!(out, "\x1b[?2026h{frame}\x1b[?2026l");
            }
            // An empty frame as a sign of life: codex sends them at a question.
            (true, true) if due => out.push_str("\x1b[?2026h\x1b[39m\x1b[49m\x1b[0m\x1b[?2026l"),
            _ => out.push_str(&frame),
        }
        out
    }

    /// Time until the next redraw without any event.
    pub(crate) fn until_next_frame(&self, scene: &Scene, now: Instant) -> Option<Duration> {
        let time = self.costume.frame_time(scene)?;
        Some(self.last_frame.map_or(Duration::ZERO, |last| (last + time).saturating_duration_since(now)))
    }

    fn is_due(&self, time: Duration, now: Instant) -> bool {
        self.last_frame.is_none_or(|last| now.saturating_duration_since(last) >= time)
    }

    /// Bytes that make room for raw output. Nothing may be drawn until [`Self::after_raw_output`].
    pub(crate) fn before_raw_output(&mut self, scene: &Scene, now: Instant) -> String {
        let mut out = self.draw(scene, now);
        if self.is_inline(scene, now) {
            out.push_str(&self.inline.wipe());
        }
        out
    }

    /// The raw output ended with a line end.
    pub(crate) fn after_raw_output(&mut self, scene: &Scene, now: Instant) -> &'static str {
        if self.is_inline(scene, now) {
            self.inline.start_below(self.settled.len());
            ""
        } else {
            self.full.forget()
        }
    }

    fn is_inline(&self, scene: &Scene, now: Instant) -> bool {
        self.costume.page(scene, &[], now).is_none()
    }

    fn frame(&mut self, scene: &Scene, now: Instant) -> String {
        let mut out = String::new();
        let drawn_for = Some((scene.size, scene.is_open, scene.is_up));
        let first = scene.first_unsettled();
        if self.drawn_for != drawn_for || first < self.settled_entries {
            let resized = self.drawn_for.is_some_and(|(size, ..)| size != scene.size);
            if resized || self.settled_entries > 0 {
                out.push_str(if self.is_inline(scene, now) { self.inline.forget() } else { self.full.forget() });
            }
            self.settled = self.costume.header(scene);
            self.settled_entries = 0;
            self.drawn_for = drawn_for;
        }
        let settled = self.lines_of(&scene.entries[self.settled_entries..first], scene);
        self.settled.extend(settled);
        self.settled_entries = first;
        let changing = self.lines_of(&scene.entries[first..], scene);

        let tail = self.settled.len().saturating_sub(scene.rows());
        let conversation: Vec<PaintedLine> = self.settled[tail..].iter().chain(&changing).cloned().collect();
        match self.costume.page(scene, &conversation, now) {
            Some(page) => out.push_str(&self.full.paint(&page, scene.size)),
            None => {
                let mut picture = self.costume.bottom(scene, now);
                picture.cursor.0 += changing.len();
                picture.lines.splice(0..0, changing);
                out.push_str(&self.inline.paint(&self.settled, &picture, scene.size));
            }
        }
        out
    }

    fn lines_of(&self, entries: &[SceneEntry], scene: &Scene) -> Vec<PaintedLine> {
        entries.iter().flat_map(|entry| self.costume.entry(entry, scene)).collect()
    }
}

/// A title must not end its own sequence.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
