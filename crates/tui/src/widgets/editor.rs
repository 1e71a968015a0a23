//! A multi-line text editor.

use vt::{
    CursorShape, Position, Style, clusters,
    input::{Key, KeyEvent, KeyEventKind, Modifiers},
};

use super::input::{after_cluster, before_cluster, word_end, word_start};
use crate::{
    canvas::{Canvas, CanvasCursor, Span, text_cols},
    event::HostEvent,
    geometry::Rect,
};

/// Maximum bytes: what one input to a session may hold.
const MAX_BYTES: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditorOutcome {
    Passed,
    Moved,
    Changed,
    /// Enter. With Shift, Alt or Ctrl, or as Ctrl+J, Enter inserts a new line instead.
    Submitted,
    Cancelled,
}

/// Lines, and the cursor's place in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEditor {
    /// At least one; none contains a line end.
    lines: Vec<String>,
    row: usize,
    /// The cursor's byte in its row, at a cluster boundary.
    at: usize,
    /// The column that moving up and down returns to.
    goal: Option<usize>,
    bytes: usize,
}

impl Default for TextEditor {
    fn default() -> Self {
        TextEditor { lines: vec![String::new()], row: 0, at: 0, goal: None, bytes: 0 }
    }
}

/// A row on the screen: a piece of a line.
struct VisualRow {
    line: usize,
    from: usize,
    to: usize,
}

impl TextEditor {
    pub fn new(text: &str) -> Self {
        let mut editor = TextEditor::default();
        editor.insert(text);
        editor
    }

    pub fn text(&self) -> String {
        self.lines.join("\n")
    }

    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Inserts text at the cursor; tabs and line ends stay, other control characters are dropped.
    pub fn insert(&mut self, text: &str) {
        for c in text.chars() {
            if self.bytes + c.len_utf8() > MAX_BYTES {
                break;
            }
            if c == '\n' {
                let rest = self.lines[self.row].split_off(self.at);
                self.row += 1;
                self.lines.insert(self.row, rest);
                self.at = 0;
            } else if c == '\t' || !c.is_control() {
                self.lines[self.row].insert(self.at, c);
                self.at += c.len_utf8();
            } else {
                continue;
            }
            self.bytes += c.len_utf8();
        }
        self.snap();
        self.goal = None;
    }

    fn snap(&mut self) {
        let line = &self.lines[self.row];
        let before = before_cluster(line, self.at);
        if self.at > 0 && after_cluster(line, before) > self.at {
            self.at = after_cluster(line, before);
        }
    }

    pub fn update(&mut self, event: &HostEvent) -> EditorOutcome {
        match event {
            HostEvent::Paste(text) => {
                self.insert(text);
                EditorOutcome::Changed
            }
            HostEvent::Key(key) if key.kind != KeyEventKind::Release => self.key(key),
            _ => EditorOutcome::Passed,
        }
    }

    fn key(&mut self, key: &KeyEvent) -> EditorOutcome {
        let ctrl = key.modifiers.contains(Modifiers::CTRL);
        let alt = key.modifiers.contains(Modifiers::ALT);
        let line = self.lines[self.row].as_str();
        let target = match key.key {
            Key::Enter if key.modifiers.intersects(Modifiers::SHIFT | Modifiers::ALT | Modifiers::CTRL) => {
                self.insert("\n");
                return EditorOutcome::Changed;
            }
            Key::Char('\n') | Key::Char('j') if ctrl || key.key == Key::Char('\n') => {
                self.insert("\n");
                return EditorOutcome::Changed;
            }
            Key::Enter => return EditorOutcome::Submitted,
            Key::Escape => return EditorOutcome::Cancelled,
            Key::Up => return self.vertical(self.row.checked_sub(1)),
            Key::Down => return self.vertical(Some(self.row + 1).filter(|&row| row < self.lines.len())),
            Key::Left if self.at == 0 && self.row > 0 => (self.row - 1, self.lines[self.row - 1].len()),
            Key::Right if self.at == line.len() && self.row + 1 < self.lines.len() => (self.row + 1, 0),
            Key::Left if ctrl || alt => (self.row, word_start(line, self.at)),
            Key::Right if ctrl || alt => (self.row, word_end(line, self.at)),
            Key::Left => (self.row, before_cluster(line, self.at)),
            Key::Right => (self.row, after_cluster(line, self.at)),
            Key::Home if ctrl => (0, 0),
            Key::End if ctrl => (self.lines.len() - 1, self.lines[self.lines.len() - 1].len()),
            Key::Home => (self.row, 0),
            Key::End => (self.row, line.len()),
            Key::Char('a') if ctrl => (self.row, 0),
            Key::Char('e') if ctrl => (self.row, line.len()),
            Key::Backspace if self.at == 0 => return self.join(self.row.checked_sub(1)),
            Key::Backspace if ctrl || alt => return self.remove(word_start(line, self.at), self.at),
            Key::Backspace => return self.remove(before_cluster(line, self.at), self.at),
            Key::Char('w') if ctrl => return self.remove(word_start(line, self.at), self.at),
            Key::Char('u') if ctrl => return self.remove(0, self.at),
            Key::Char('k') if ctrl => return self.remove(self.at, line.len()),
            Key::Delete if self.at == line.len() => return self.join(Some(self.row)),
            Key::Delete => return self.remove(self.at, after_cluster(line, self.at)),
            _ => {
                let Some(typed) = key.typed() else { return EditorOutcome::Passed };
                self.insert(&typed);
                return EditorOutcome::Changed;
            }
        };
        (self.row, self.at) = target;
        self.goal = None;
        EditorOutcome::Moved
    }

    fn vertical(&mut self, row: Option<usize>) -> EditorOutcome {
        let Some(row) = row else { return EditorOutcome::Passed };
        let goal = self.goal.unwrap_or_else(|| text_cols(&self.lines[self.row][..self.at]));
        let mut col = 0;
        self.at = 0;
        for cluster in clusters(&self.lines[row]) {
            col += text_cols(cluster.text);
            if col > goal {
                break;
            }
            self.at += cluster.text.len();
        }
        self.row = row;
        self.goal = Some(goal);
        EditorOutcome::Moved
    }

    fn remove(&mut self, from: usize, to: usize) -> EditorOutcome {
        self.lines[self.row].drain(from..to);
        self.bytes -= to - from;
        self.at = from;
        self.snap();
        self.goal = None;
        if from == to { EditorOutcome::Moved } else { EditorOutcome::Changed }
    }

    /// Joins a line with the one below it.
    fn join(&mut self, row: Option<usize>) -> EditorOutcome {
        let Some(row) = row.filter(|row| row + 1 < self.lines.len()) else { return EditorOutcome::Moved };
        let below = self.lines.remove(row + 1);
        self.row = row;
        self.at = self.lines[row].len();
        self.lines[row].push_str(&below);
        self.bytes -= 1;
        self.snap();
        self.goal = None;
        EditorOutcome::Changed
    }

    fn visual_rows(&self, cols: usize) -> Vec<VisualRow> {
        let mut rows = Vec::new();
        for (line, text) in self.lines.iter().enumerate() {
            let (mut from, mut at, mut used) = (0, 0, 0);
            for cluster in clusters(text) {
                let width = text_cols(cluster.text);
                if used + width > cols && at > from {
                    rows.push(VisualRow { line, from, to: at });
                    (from, used) = (at, 0);
                }
                at += cluster.text.len();
                used += width;
            }
            rows.push(VisualRow { line, from, to: at });
        }
        rows
    }

    /// Draws the wrapped lines, with the cursor in sight.
    pub fn draw(&self, canvas: &mut Canvas, area: Rect, style: Style) -> Option<CanvasCursor> {
        if area.is_empty() {
            return None;
        }
        // One column is reserved for the cursor after a full row.
        let cols = usize::from(area.cols).saturating_sub(1).max(1);
        let rows = self.visual_rows(cols);
        let here = rows.iter().rposition(|row| row.line == self.row && row.from <= self.at).unwrap_or(0);
        let top = (here + 1).saturating_sub(usize::from(area.rows));
        for index in 0..area.rows {
            let text = match rows.get(top + usize::from(index)) {
                Some(row) => &self.lines[row.line][row.from..row.to],
                None => "",
            };
            canvas.draw_line(area, index, &[Span::new(text, style)], style);
        }
        let col = text_cols(&self.lines[self.row][rows[here].from..self.at]).min(usize::from(area.cols) - 1);
        let position = Position { row: area.row + (here - top) as u16, col: area.col + col as u16 };
        Some(CanvasCursor { position, shape: CursorShape::Bar, blinking: true })
    }
}

#[cfg(test)]
mod tests {
    use vt::Size;

    use super::*;

    fn typed(start: &str, keys: &str) -> TextEditor {
        let mut editor = TextEditor::new(start);
        for key in keys.split_whitespace() {
            editor.update(&HostEvent::Key(key.parse().unwrap()));
        }
        editor
    }

    #[test]
    fn lines_are_split_and_joined() {
        assert_eq!(typed("ab", "left shift+enter").text(), "a\nb");
        assert_eq!(typed("a\nb", "home backspace x").text(), "axb");
        assert_eq!(typed("a\nb", "up end delete").text(), "ab");
        assert_eq!(typed("", "a ctrl-j b").text(), "a\nb");
        let mut editor = TextEditor::new("x");
        assert_eq!(editor.update(&HostEvent::Paste("1\n2\x1b".into())), EditorOutcome::Changed);
        assert_eq!(editor.text(), "x1\n2");
        assert_eq!(editor.update(&HostEvent::Key("enter".parse().unwrap())), EditorOutcome::Submitted);
    }

    #[test]
    fn up_and_down_keep_the_column() {
        assert_eq!(typed("abcd\nx\nabcd", "up up X").text(), "abcdX\nx\nabcd");
        assert_eq!(typed("漢字a\nab", "up X").text(), "漢X字a\nab");
    }

    #[test]
    fn long_lines_wrap_and_the_cursor_stays_in_sight() {
        let mut canvas = Canvas::new(Size::new(5, 2));
        let editor = TextEditor::new("abcdefgh漢字");
        let cursor = editor.draw(&mut canvas, Rect::new(0, 0, 5, 2), Style::default()).unwrap();
        assert_eq!(canvas.text(), "efgh\n漢字\n");
        assert_eq!(cursor.position, Position { row: 1, col: 4 });
    }

    #[test]
    fn clusters_are_removed_whole() {
        assert_eq!(typed("ae\u{301}", "backspace").text(), "a");
        assert_eq!(typed("👋🏽x", "left backspace").text(), "x");
    }
}
