//! A single-line text input.

use vt::{
    CursorShape, Position, Style, clusters,
    input::{Key, KeyEvent, KeyEventKind, Modifiers},
};

use crate::{
    canvas::{Canvas, CanvasCursor, Span, text_cols},
    geometry::Rect,
};

/// Maximum bytes; nobody types more on one line.
const MAX_BYTES: usize = 16 << 10;

/// The effect of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputOutcome {
    /// Not handled.
    Passed,
    Moved,
    Changed,
    /// Enter.
    Submitted,
    /// Escape.
    Cancelled,
}

/// The text, and the cursor's place in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineInput {
    text: String,
    /// The cursor's byte, at a cluster boundary.
    cursor: usize,
}

impl LineInput {
    pub fn new(text: impl Into<String>) -> Self {
        let mut input = LineInput::default();
        input.insert(&text.into());
        input
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn clear(&mut self) {
        *self = LineInput::default();
    }

    /// Inserts text at the cursor. Line ends become blanks, other control characters are dropped.
    pub fn insert(&mut self, text: &str) {
        let mut clean = String::with_capacity(text.len());
        for c in text.chars().map(|c| if matches!(c, '\n' | '\t') { ' ' } else { c }).filter(|c| !c.is_control()) {
            if self.text.len() + clean.len() + c.len_utf8() > MAX_BYTES {
                break;
            }
            clean.push(c);
        }
        self.text.insert_str(self.cursor, &clean);
        self.cursor += clean.len();
        self.snap();
    }

    /// Moves the cursor to a cluster boundary, since inserted text may combine with what follows.
    fn snap(&mut self) {
        let cursor = self.cursor;
        self.cursor = boundaries(&self.text).find(|&at| at >= cursor).unwrap_or(self.text.len());
    }

    pub fn update(&mut self, key: &KeyEvent) -> InputOutcome {
        if key.kind == KeyEventKind::Release {
            return InputOutcome::Passed;
        }
        let ctrl = key.modifiers.contains(Modifiers::CTRL);
        let alt = key.modifiers.contains(Modifiers::ALT);
        let before = self.cursor;
        let target = match key.key {
            Key::Enter | Key::Keypad(vt::input::KeypadKey::Enter) if !ctrl && !alt => return InputOutcome::Submitted,
            Key::Escape => return InputOutcome::Cancelled,
            Key::Left if ctrl || alt => word_start(&self.text, before),
            Key::Right if ctrl || alt => word_end(&self.text, before),
            Key::Left => before_cluster(&self.text, before),
            Key::Right => after_cluster(&self.text, before),
            Key::Home => 0,
            Key::End => self.text.len(),
            Key::Backspace if ctrl || alt => return self.remove(word_start(&self.text, before), before),
            Key::Backspace => return self.remove(before_cluster(&self.text, before), before),
            Key::Delete if ctrl || alt => return self.remove(before, word_end(&self.text, before)),
            Key::Delete => return self.remove(before, after_cluster(&self.text, before)),
            Key::Char('a') if ctrl => 0,
            Key::Char('e') if ctrl => self.text.len(),
            Key::Char('b') if ctrl => before_cluster(&self.text, before),
            Key::Char('f') if ctrl => after_cluster(&self.text, before),
            Key::Char('b') if alt => word_start(&self.text, before),
            Key::Char('f') if alt => word_end(&self.text, before),
            Key::Char('h') if ctrl => return self.remove(before_cluster(&self.text, before), before),
            Key::Char('w') if ctrl => return self.remove(word_start(&self.text, before), before),
            Key::Char('d') if alt => return self.remove(before, word_end(&self.text, before)),
            Key::Char('u') if ctrl => return self.remove(0, before),
            _ => {
                let Some(typed) = key.typed() else { return InputOutcome::Passed };
                self.insert(&typed);
                return InputOutcome::Changed;
            }
        };
        self.cursor = target;
        InputOutcome::Moved
    }

    fn remove(&mut self, from: usize, to: usize) -> InputOutcome {
        self.text.drain(from..to);
        self.cursor = from;
        self.snap();
        if from == to { InputOutcome::Moved } else { InputOutcome::Changed }
    }

    /// Draws one row, scrolled so that the cursor is in sight, and returns the cursor's place.
    pub fn draw(&self, canvas: &mut Canvas, area: Rect, style: Style) -> Option<CanvasCursor> {
        if area.is_empty() {
            return None;
        }
        let at = text_cols(&self.text[..self.cursor]);
        let skipped = (at + 1).saturating_sub(usize::from(area.cols));
        let (from, lead) = skip_cols(&self.text, skipped);
        let spans = [Span::new(" ".repeat(lead), style), Span::new(&self.text[from..], style)];
        canvas.draw_line(area, 0, &spans, style);
        let position = Position { row: area.row, col: area.col + (at - skipped) as u16 };
        Some(CanvasCursor { position, shape: CursorShape::Bar, blinking: true })
    }
}

/// The byte at which column `skipped` begins, and the number of blanks that replace half a wide character before it.
pub(super) fn skip_cols(text: &str, skipped: usize) -> (usize, usize) {
    let (mut byte, mut col) = (0, 0);
    for cluster in clusters(text) {
        if col >= skipped {
            break;
        }
        byte += cluster.text.len();
        col += text_cols(cluster.text);
    }
    (byte, col.saturating_sub(skipped))
}

fn boundaries(text: &str) -> impl Iterator<Item = usize> + '_ {
    let mut at = 0;
    std::iter::once(0).chain(clusters(text).map(move |cluster| {
        at += cluster.text.len();
        at
    }))
}

pub(super) fn before_cluster(text: &str, at: usize) -> usize {
    boundaries(text).take_while(|&boundary| boundary < at).last().unwrap_or(0)
}

pub(super) fn after_cluster(text: &str, at: usize) -> usize {
    boundaries(text).find(|&boundary| boundary > at).unwrap_or(text.len())
}

pub(super) fn word_start(text: &str, at: usize) -> usize {
    let before = text[..at].trim_end_matches(|c: char| !c.is_alphanumeric());
    before.trim_end_matches(char::is_alphanumeric).len()
}

pub(super) fn word_end(text: &str, at: usize) -> usize {
    let after = text[at..].trim_start_matches(|c: char| !c.is_alphanumeric());
    text.len() - after.trim_start_matches(char::is_alphanumeric).len()
}

#[cfg(test)]
mod tests {
    use vt::Size;

    use super::*;

    fn typed(keys: &str) -> LineInput {
        let mut input = LineInput::default();
        for key in keys.split(' ') {
            input.update(&key.parse().unwrap());
        }
        input
    }

    #[test]
    fn keys_edit_by_cluster_and_word() {
        assert_eq!(typed("a b c left backspace").text(), "ac");
        assert_eq!(typed("a space b c ctrl-w").text(), "a ");
        assert_eq!(typed("a b home x end y").text(), "xaby");
        assert_eq!(typed("a b c ctrl-a delete ctrl-e ctrl-u z").text(), "z");
        let mut input = LineInput::new("e\u{301}👩\u{200d}👧x");
        input.update(&"left".parse().unwrap());
        input.update(&"backspace".parse().unwrap());
        assert_eq!(input.text(), "e\u{301}x");
        input.update(&"backspace".parse().unwrap());
        assert_eq!(input.text(), "x");
    }

    #[test]
    fn pastes_are_one_clean_line() {
        let mut input = LineInput::new("a\nb\x1b[31m\tc");
        assert_eq!(input.text(), "a b[31m c");
        input.insert(&"x".repeat(100_000));
        assert_eq!(input.text().len(), MAX_BYTES);
    }

    #[test]
    fn outcomes_and_passed_keys() {
        let mut input = LineInput::default();
        assert_eq!(input.update(&"enter".parse().unwrap()), InputOutcome::Submitted);
        assert_eq!(input.update(&"esc".parse().unwrap()), InputOutcome::Cancelled);
        assert_eq!(input.update(&"ctrl-x".parse().unwrap()), InputOutcome::Passed);
        assert_eq!(input.update(&"f5".parse().unwrap()), InputOutcome::Passed);
        assert_eq!(input.update(&"ö".parse().unwrap()), InputOutcome::Changed);
    }

    #[test]
    fn a_long_text_scrolls_with_its_cursor() {
        let mut canvas = Canvas::new(Size::new(5, 1));
        let input = LineInput::new("漢字漢字");
        let cursor = input.draw(&mut canvas, Rect::new(0, 0, 5, 1), Style::default()).unwrap();
        assert_eq!((canvas.text(), cursor.position.col), ("漢字\n".into(), 4));
        let input = LineInput::new("a漢字漢");
        let cursor = input.draw(&mut canvas, Rect::new(0, 0, 4, 1), Style::default()).unwrap();
        assert_eq!((canvas.text(), cursor.position.col), (" 漢\n".into(), 3));
    }
}
