//! A question in the middle of the screen: a title, a scrollable body, and answers.

use vt::{
    Position,
    input::{Key, KeyEventKind, MouseButton, MouseEventKind, WheelDirection},
};

use super::{StyledLine, wrap::wrap_spans};
use crate::{
    canvas::{Canvas, CanvasCursor, Span, text_cols},
    event::HostEvent,
    geometry::Rect,
    keymap::is_same_key,
    skin::{Skin, SkinRole},
};

/// A narrower question looks like a notice; longer lines are hard to read.
const MIN_COLS: u16 = 40;
const MAX_COLS: u16 = 100;
/// Below this width, words are broken into letters.
const MIN_READABLE_COLS: u16 = 10;

#[derive(Clone, Debug)]
struct ModalAnswer {
    /// The key that selects this answer.
    key: char,
    label: String,
    /// Refused until the whole body has been in sight.
    when_read: bool,
}

/// The effect of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModalOutcome {
    /// No effect. The event is still consumed: layers behind the question must not react to it.
    Taken,
    /// The answer's index.
    Answered(usize),
    Cancelled,
}

/// The question, the answer under the cursor, and the scroll position.
#[derive(Clone, Debug)]
pub struct Modal {
    title: String,
    body: Vec<StyledLine>,
    answers: Vec<ModalAnswer>,
    cursor: usize,
    scroll: usize,
    /// The end of the body has been in sight.
    read: bool,
    /// An answer was given before that.
    hurried: bool,
}

impl Modal {
    /// The first answer is under the cursor, so it should be the harmless one.
    pub fn new(title: impl Into<String>, body: Vec<StyledLine>) -> Self {
        Modal { title: title.into(), body, answers: Vec::new(), cursor: 0, scroll: 0, read: false, hurried: false }
    }

    pub fn answer(mut self, key: char, label: impl Into<String>) -> Self {
        self.answers.push(ModalAnswer { key, label: label.into(), when_read: false });
        self
    }

    /// Adds an answer that is refused, with an explanation, until the body has been read to its end.
    pub fn answer_when_read(mut self, key: char, label: impl Into<String>) -> Self {
        self.answers.push(ModalAnswer { key, label: label.into(), when_read: true });
        self
    }

    /// `area` is the whole screen, as for [`draw`](Self::draw).
    pub fn update(&mut self, event: &HostEvent, area: Rect) -> ModalOutcome {
        let outcome = self.taken(event, area);
        self.look(area);
        match outcome {
            ModalOutcome::Answered(index) if !self.read && self.answers.get(index).is_some_and(|one| one.when_read) => {
                self.hurried = true;
                ModalOutcome::Taken
            }
            outcome => outcome,
        }
    }

    /// Records whether the end is in sight. In a window that is too small, nothing is.
    fn look(&mut self, area: Rect) {
        let body = self.body_area(area);
        self.read |= body.rows > 0 && body.cols >= MIN_READABLE_COLS && self.scroll >= self.last_scroll(area);
    }

    fn taken(&mut self, event: &HostEvent, area: Rect) -> ModalOutcome {
        // A page never skips a line that was not in sight.
        let page = usize::from(self.body_area(area).rows).max(1);
        match event {
            HostEvent::Key(key) if key.kind != KeyEventKind::Release => {
                let last = self.answers.len().saturating_sub(1);
                match key.key {
                    Key::Escape => return ModalOutcome::Cancelled,
                    Key::Enter if self.answers.is_empty() => return ModalOutcome::Cancelled,
                    Key::Enter => return ModalOutcome::Answered(self.cursor),
                    Key::Left => self.cursor = self.cursor.saturating_sub(1),
                    Key::Right => self.cursor = (self.cursor + 1).min(last),
                    Key::Tab => self.cursor = (self.cursor + 1) % (last + 1),
                    Key::Up => self.scroll = self.scroll.saturating_sub(1),
                    Key::Down => self.scroll = self.scroll.saturating_add(1),
                    Key::PageUp => self.scroll = self.scroll.saturating_sub(page),
                    Key::PageDown => self.scroll = self.scroll.saturating_add(page),
                    _ => {
                        let typed =
                            self.answers.iter().position(|answer| is_same_key(&Key::Char(answer.key).into(), key));
                        if let Some(answer) = typed {
                            return ModalOutcome::Answered(answer);
                        }
                    }
                }
                self.scroll = self.scroll.min(self.last_scroll(area));
            }
            HostEvent::Mouse(mouse) => match mouse.kind {
                MouseEventKind::Wheel(WheelDirection::Up) => self.scroll = self.scroll.saturating_sub(page.min(3)),
                MouseEventKind::Wheel(WheelDirection::Down) => {
                    self.scroll = (self.scroll + page.min(3)).min(self.last_scroll(area));
                }
                MouseEventKind::Press(MouseButton::Left) => {
                    if let Some(answer) = self.hit(area, Position { row: mouse.row, col: mouse.col }) {
                        return ModalOutcome::Answered(answer);
                    }
                }
                _ => {}
            },
            _ => {}
        }
        ModalOutcome::Taken
    }

    fn lines(&self, cols: u16) -> Vec<StyledLine> {
        self.body.iter().flat_map(|line| wrap_spans(line, usize::from(cols), 2)).collect()
    }

    fn place(&self, area: Rect) -> Rect {
        let line_cols = |line: &StyledLine| line.iter().map(Span::cols).sum::<usize>();
        let answers = self.labels().iter().map(|label| text_cols(label) + 1).sum();
        let widest = self.body.iter().map(line_cols).chain([answers, text_cols(&self.title)]).max().unwrap_or(0);
        let wanted = u16::try_from(widest + 4).unwrap_or(u16::MAX).clamp(MIN_COLS, MAX_COLS);
        let cols = wanted.min(area.cols.saturating_sub(4)).max(area.cols.min(8));
        let body = self.lines(cols.saturating_sub(4)).len();
        // The frame, a blank row and the answers.
        let rows = u16::try_from(body).unwrap_or(u16::MAX).saturating_add(4);
        area.centered(cols, rows.min(area.rows.saturating_sub(2).max(5)))
    }

    fn body_area(&self, area: Rect) -> Rect {
        self.place(area).inner(2, 1).split_bottom(2).0
    }

    fn last_scroll(&self, area: Rect) -> usize {
        let body = self.body_area(area);
        self.lines(body.cols).len().saturating_sub(usize::from(body.rows))
    }

    fn labels(&self) -> Vec<String> {
        self.answers.iter().map(|answer| format!(" {}: {} ", answer.key, answer.label)).collect()
    }

    fn answers_area(&self, area: Rect) -> Rect {
        let (_, last) = self.place(area).inner(2, 1).split_bottom(1);
        last
    }

    fn hit(&self, area: Rect, at: Position) -> Option<usize> {
        let row = self.answers_area(area);
        let mut col = row.col;
        self.labels().iter().position(|label| {
            let start = col;
            col += text_cols(label) as u16 + 1;
            row.contains(at) && (start..col - 1).contains(&at.col)
        })
    }

    /// Answers where the cursor is: nowhere, since nothing is typed into a question.
    pub fn draw(&self, canvas: &mut Canvas, area: Rect, skin: &Skin) -> Option<CanvasCursor> {
        let place = self.place(area);
        let ground = skin.style(SkinRole::Modal);
        for row in 0..place.rows {
            canvas.draw_line(place, row, &[], ground);
        }
        let title = [Span::new(format!(" {} ", self.title), skin.style(SkinRole::Heading))];
        canvas.draw_box(place, skin.glyphs.box_lines(), skin.style(SkinRole::BorderFocused), &title);
        let body = self.body_area(area);
        let lines = self.lines(body.cols);
        for row in 0..body.rows {
            let line = lines.get(self.scroll + usize::from(row)).map_or(&[][..], Vec::as_slice);
            canvas.draw_line(body, row, line, ground);
        }
        let below = lines.len().saturating_sub(self.scroll + usize::from(body.rows));
        let lines = if below == 1 { "line" } else { "lines" };
        let (more, role) = match (below, self.hurried && !self.read) {
            (0, _) => (String::new(), SkinRole::Muted),
            (_, false) => (format!("{below} more {lines} below"), SkinRole::Muted),
            (_, true) => (format!("Read it to the end first (↓, PgDn): {below} more {lines} below"), SkinRole::Warning),
        };
        let (above_answers, _) = place.inner(2, 1).split_bottom(2).1.split_bottom(1);
        canvas.draw_line(above_answers, 0, &[Span::new(more, skin.style(role))], ground);
        let mut spans = Vec::new();
        for (index, label) in self.labels().into_iter().enumerate() {
            let role = if index == self.cursor { SkinRole::ButtonActive } else { SkinRole::Button };
            spans.push(Span::new(label, skin.style(role)));
            spans.push(Span::new(" ", ground));
        }
        canvas.draw_line(self.answers_area(area), 0, &spans, ground);
        None
    }
}

#[cfg(test)]
mod tests {
    use vt::{Size, Style, input::MouseEvent};

    use super::*;

    fn modal(lines: usize) -> Modal {
        let body = (0..lines).map(|line| vec![Span::new(format!("line {line}"), Style::default())]).collect();
        Modal::new("Trust?", body).answer('d', "deny").answer('o', "once").answer('a', "always")
    }

    fn key(text: &str) -> HostEvent {
        HostEvent::Key(text.parse().unwrap())
    }

    fn wheel_down() -> HostEvent {
        let kind = MouseEventKind::Wheel(WheelDirection::Down);
        HostEvent::Mouse(MouseEvent { kind, col: 0, row: 0, pixel: None, modifiers: Default::default() })
    }

    #[test]
    fn keys_answer_and_others_are_swallowed() {
        let area = Rect::new(0, 0, 60, 12);
        let mut modal = modal(3);
        assert_eq!(modal.update(&key("x"), area), ModalOutcome::Taken);
        assert_eq!(modal.update(&key("a"), area), ModalOutcome::Answered(2));
        assert_eq!(modal.update(&key("enter"), area), ModalOutcome::Answered(0));
        modal.update(&key("right"), area);
        assert_eq!(modal.update(&key("enter"), area), ModalOutcome::Answered(1));
        assert_eq!(modal.update(&key("esc"), area), ModalOutcome::Cancelled);
        assert_eq!(modal.update(&HostEvent::Paste("a".into()), area), ModalOutcome::Taken);
    }

    #[test]
    fn a_long_body_scrolls_and_says_so() {
        let area = Rect::new(0, 0, 40, 9);
        let mut modal = modal(20);
        let mut canvas = Canvas::new(area.size());
        modal.draw(&mut canvas, area, &Skin::default());
        assert!(canvas.text().contains("line 0") && canvas.text().contains("17 more lines below"), "{}", canvas.text());
        for _ in 0..50 {
            modal.update(&key("down"), area);
        }
        modal.draw(&mut canvas, area, &Skin::default());
        assert!(canvas.text().contains("line 19") && !canvas.text().contains("more lines"), "{}", canvas.text());
    }

    #[test]
    fn some_answers_wait_until_everything_was_in_sight() {
        for (rows, step) in [(9, "down"), (9, "pagedown"), (5, "pagedown"), (6, "wheel")] {
            let area = Rect::new(0, 0, 40, rows);
            let mut modal = modal(8).answer_when_read('y', "yes");
            let mut canvas = Canvas::new(area.size());
            let mut seen = std::collections::BTreeSet::new();
            let mut steps = 0;
            loop {
                modal.draw(&mut canvas, area, &Skin::default());
                seen.extend((0..8).filter(|line| canvas.text().contains(&format!("line {line}"))));
                if modal.update(&key("y"), area) == ModalOutcome::Answered(3) {
                    break;
                }
                modal.draw(&mut canvas, area, &Skin::default());
                assert!(canvas.text().contains("Read it to the end"), "{}", canvas.text());
                let event = match step {
                    "wheel" => wheel_down(),
                    step => key(step),
                };
                assert_eq!(modal.update(&event, area), ModalOutcome::Taken);
                steps += 1;
                assert!(steps < 20, "the end is never reached");
            }
            assert_eq!(seen.len(), 8, "{rows} rows, {step}");
            assert_eq!(modal.update(&key("up"), area), ModalOutcome::Taken);
            assert_eq!(modal.update(&key("y"), area), ModalOutcome::Answered(3), "what was read stays read");
        }
        let area = Rect::new(0, 0, 60, 20);
        assert_eq!(modal(3).answer_when_read('y', "yes").update(&key("y"), area), ModalOutcome::Answered(3));
    }

    #[test]
    fn any_size_is_survived() {
        for cols in 0..30 {
            for rows in 0..10 {
                let mut canvas = Canvas::new(Size::new(cols, rows));
                let area = Rect::of(canvas.size());
                let mut modal = modal(5);
                modal.draw(&mut canvas, area, &Skin::default());
                modal.update(&key("pagedown"), area);
            }
        }
    }
}
