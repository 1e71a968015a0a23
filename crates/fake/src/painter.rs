//! Writes a picture as bytes, only the parts that changed.
//!
//! There are two modes, as in the CLIs. *Inline*: a document that grows on the main screen; its last lines are
//! rewritten in place, and the rest scrolls into the history. *Full*: the whole alternate screen.

use std::fmt::Write;

use vt::Size;

use crate::line::PaintedLine;

/// Rows and the cursor's position.
#[derive(Clone, Debug, Default)]
pub(crate) struct PaintedRows {
    pub(crate) lines: Vec<PaintedLine>,
    /// Row within `lines`, and column.
    pub(crate) cursor: (usize, usize),
    pub(crate) cursor_shown: bool,
}

#[derive(Debug, Default)]
pub(crate) struct InlinePainter {
    /// The number of lines above the changing ones that will not change any more.
    settled: usize,
    changing: Vec<PaintedLine>,
    /// The lowest line ever drawn, plus one: the screen does not scroll back.
    extent: usize,
    /// The cursor's line.
    at: usize,
    /// Lines before this one can't be drawn again.
    base: usize,
    /// The picture drawn last.
    cursor: Cursor,
}

/// Row, column, and whether it is shown.
type Cursor = Option<(usize, usize, bool)>;

impl InlinePainter {
    /// `settled` are lines that never change and only grow in number; `picture` is the changing part. Returns nothing
    /// if nothing changed.
    pub(crate) fn paint(&mut self, settled: &[PaintedLine], picture: &PaintedRows, size: Size) -> String {
        let mut out = String::new();
        let (cols, rows) = (usize::from(size.cols), usize::from(size.rows));
        let line = |index: usize| settled.get(index).unwrap_or_else(|| &picture.lines[index - settled.len()]);
        let total = settled.len() + picture.lines.len();
        let shown = self.settled + self.changing.len();
        let same = |index: usize| index < shown && index < total && self.changing[index - self.settled] == *line(index);
        let mut first = self.settled.max(self.base);
        while first < total.min(shown) && same(first) {
            first += 1;
        }
        let reachable = self.extent.saturating_sub(rows);
        if first < reachable && first < total.max(shown) {
            out.push_str("\x1b[0m\x1b[2J\x1b[3J\x1b[H");
            (self.at, self.extent, self.base) = (0, 1, 0);
            for index in 0..total {
                self.go_to(index, &mut out);
                line(index).write(cols, &mut out);
            }
        } else {
            let changed: Vec<usize> = (first..total).filter(|index| !same(*index)).collect();
            for index in changed {
                self.go_to(index, &mut out);
                line(index).write(cols, &mut out);
            }
            if total < shown {
                self.go_to(total, &mut out);
                out.push_str("\x1b[0m\r\x1b[J");
            }
        }
        self.settled = settled.len();
        self.changing = picture.lines.clone();
        let row = settled.len() + picture.cursor.0;
        let cursor = Some((row, picture.cursor.1, picture.cursor_shown));
        if !out.is_empty() || cursor != self.cursor {
            self.go_to(row, &mut out);
            finish(picture, &mut out);
        }
        self.cursor = cursor;
        out
    }

    /// The bytes that erase the changing part, so that something else can be written there.
    pub(crate) fn wipe(&mut self) -> String {
        let mut out = String::new();
        self.go_to(self.settled, &mut out);
        out.push_str("\x1b[0m\x1b[J");
        out
    }

    /// Something else was written below: it is left alone, and drawing continues at the cursor, which must be at the
    /// start of an empty line.
    pub(crate) fn start_below(&mut self, settled: usize) {
        *self = InlinePainter { settled, base: settled, at: settled, extent: settled + 1, ..InlinePainter::default() };
    }

    /// Everything must be drawn again, on a cleared screen.
    pub(crate) fn forget(&mut self) -> &'static str {
        *self = InlinePainter { extent: 1, ..InlinePainter::default() };
        "\x1b[0m\x1b[2J\x1b[3J\x1b[H"
    }

    fn go_to(&mut self, index: usize, out: &mut String) {
        self.extent = self.extent.max(self.at + 1);
        // Writing to a string can't fail.
        if index < self.at {
            let _ = write!(out, "\x1b[{}A", self.at - index);
        }
        let drawn = index.min(self.extent - 1);
        if drawn > self.at {
            let _ = write!(out, "\x1b[{}B", drawn - self.at);
        }
        for _ in self.extent..=index {
            out.push_str("\r\n");
        }
        out.push('\r');
        self.extent = self.extent.max(index + 1);
        self.at = index;
    }
}

#[derive(Debug, Default)]
pub(crate) struct FullScreenPainter {
    rows: Vec<PaintedLine>,
    cursor: Cursor,
}

impl FullScreenPainter {
    /// `picture` has a line for each row; further lines are cut.
    pub(crate) fn paint(&mut self, picture: &PaintedRows, size: Size) -> String {
        let mut out = String::new();
        let mut rows = picture.lines.clone();
        rows.resize(usize::from(size.rows), PaintedLine::empty());
        for (row, line) in rows.iter().enumerate() {
            if self.rows.get(row) != Some(line) {
                let _ = write!(out, "\x1b[{};1H", row + 1);
                line.write(usize::from(size.cols), &mut out);
            }
        }
        self.rows = rows;
        let cursor = Some((picture.cursor.0, picture.cursor.1, picture.cursor_shown));
        if !out.is_empty() || cursor != self.cursor {
            let _ = write!(out, "\x1b[{};1H", picture.cursor.0 + 1);
            finish(picture, &mut out);
        }
        self.cursor = cursor;
        out
    }

    pub(crate) fn forget(&mut self) -> &'static str {
        *self = FullScreenPainter::default();
        "\x1b[0m\x1b[2J"
    }
}

fn finish(picture: &PaintedRows, out: &mut String) {
    if picture.cursor.1 > 0 {
        let _ = write!(out, "\x1b[{}C", picture.cursor.1);
    }
    out.push_str(if picture.cursor_shown { "\x1b[?25h" } else { "\x1b[?25l" });
}

#[cfg(test)]
mod tests {
    use super::*;
    use vt::{Terminal, TerminalOptions};

    const SIZE: Size = Size::new(10, 4);

    fn picture(lines: &[&str]) -> PaintedRows {
        let lines: Vec<PaintedLine> = lines.iter().map(|text| PaintedLine::plain(*text)).collect();
        PaintedRows { cursor: (lines.len().saturating_sub(1), 1), lines, cursor_shown: true }
    }

    fn settled(count: usize) -> Vec<PaintedLine> {
        (0..count).map(|number| PaintedLine::plain(format!("s{number}"))).collect()
    }

    fn screen(terminal: &mut Terminal) -> String {
        terminal.frame().text().trim_end().to_owned()
    }

    #[test]
    fn inline_rewrites_in_place_and_scrolls() {
        let mut terminal = Terminal::new(TerminalOptions { size: SIZE, ..TerminalOptions::default() });
        let mut painter = InlinePainter::default();
        for (count, lines, expected) in [
            (0, &["a", "b"][..], "a\nb"),
            (0, &["a", "B"], "a\nB"),
            (1, &["B"], "s0\nB"),
            (1, &["x", "y", "z"], "s0\nx\ny\nz"),
            (1, &["x", "y", "z", "w"], "x\ny\nz\nw"),
            (1, &["x"], "x"),
            (2, &["q"], "s1\nq"),
        ] {
            terminal.feed(painter.paint(&settled(count), &picture(lines), SIZE).as_bytes());
            assert_eq!(screen(&mut terminal), expected);
            assert_eq!(usize::from(terminal.cursor().position.row), expected.lines().count() - 1, "{expected}");
        }
        let mut all = String::new();
        terminal.lines_text(terminal.lines(), &mut all);
        assert_eq!(all.trim_end(), "s0\ns1\nq", "the history keeps what scrolled");
    }

    #[test]
    fn inline_starts_over_when_the_change_is_out_of_reach() {
        let mut terminal = Terminal::new(TerminalOptions { size: SIZE, ..TerminalOptions::default() });
        let mut painter = InlinePainter::default();
        let tall = ["1", "2", "3", "4", "5", "6"];
        terminal.feed(painter.paint(&settled(0), &picture(&tall), SIZE).as_bytes());
        assert_eq!(screen(&mut terminal), "3\n4\n5\n6");
        terminal.feed(painter.paint(&settled(0), &picture(&["one", "2"]), SIZE).as_bytes());
        assert_eq!(screen(&mut terminal), "one\n2");
    }

    #[test]
    fn inline_goes_on_below_what_others_wrote() {
        let mut terminal = Terminal::new(TerminalOptions { size: SIZE, ..TerminalOptions::default() });
        let mut painter = InlinePainter::default();
        terminal.feed(painter.paint(&settled(1), &picture(&["box"]), SIZE).as_bytes());
        terminal.feed(b"\r\nflood\r\nflood\r\n");
        painter.start_below(1);
        terminal.feed(painter.paint(&settled(1), &picture(&["box", "end"]), SIZE).as_bytes());
        assert_eq!(screen(&mut terminal), "flood\nflood\nbox\nend");
    }

    #[test]
    fn full_writes_what_changed_only() {
        let mut terminal = Terminal::new(TerminalOptions { size: SIZE, ..TerminalOptions::default() });
        let mut painter = FullScreenPainter::default();
        terminal.feed(painter.paint(&picture(&["a", "b"]), SIZE).as_bytes());
        let bytes = painter.paint(&picture(&["a", "c"]), SIZE);
        assert!(!bytes.contains('a'), "{bytes:?}");
        terminal.feed(bytes.as_bytes());
        assert_eq!(screen(&mut terminal), "a\nc");
        assert_eq!(painter.paint(&picture(&["a", "c"]), SIZE), "");
    }
}
