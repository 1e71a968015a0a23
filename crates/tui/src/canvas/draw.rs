//! Drawing: text, lines of spans, fills, boxes. Everything is clipped, and text can't smuggle in control characters.

use std::{borrow::Cow, sync::Arc};

use vt::{Color, Position, Style, clusters};

use super::{Canvas, CanvasCell, CellLink, CellText};
use crate::geometry::Rect;

/// A piece of text with one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span<'a> {
    pub text: Cow<'a, str>,
    pub style: Style,
    pub link: Option<Arc<CellLink>>,
}

impl<'a> Span<'a> {
    pub fn new(text: impl Into<Cow<'a, str>>, style: Style) -> Self {
        Span { text: text.into(), style, link: None }
    }

    pub fn into_owned(self) -> Span<'static> {
        Span { text: Cow::Owned(self.text.into_owned()), style: self.style, link: self.link }
    }

    /// The columns it takes.
    pub fn cols(&self) -> usize {
        text_cols(&self.text)
    }
}

/// The columns that `text` takes on one line.
pub fn text_cols(text: &str) -> usize {
    if text.is_ascii() {
        return text.bytes().filter(|byte| !byte.is_ascii_control() || *byte == b'\t').count();
    }
    clusters(text).map(|cluster| shown_width(cluster.text, cluster.width)).sum()
}

fn shown_width(text: &str, width: u16) -> usize {
    if text == "\t" { 1 } else { usize::from(width) }
}

/// The characters that make up a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxLines {
    pub horizontal: char,
    pub vertical: char,
    /// Upper left, upper right, lower left, lower right.
    pub corners: [char; 4],
}

impl BoxLines {
    pub const ROUND: BoxLines = BoxLines { horizontal: '─', vertical: '│', corners: ['╭', '╮', '╰', '╯'] };
    pub const PLAIN: BoxLines = BoxLines { horizontal: '─', vertical: '│', corners: ['┌', '┐', '└', '┘'] };
    pub const ASCII: BoxLines = BoxLines { horizontal: '-', vertical: '|', corners: ['+'; 4] };
}

impl Canvas {
    /// The part of `area` that is on the canvas.
    pub fn clip(&self, area: Rect) -> Rect {
        area.intersect(Rect::of(self.size))
    }

    /// Writes `text` from `at` on, clipped to `area`, and returns the column after it. A wide character that would
    /// stick out becomes a blank, a tab becomes one blank; combining marks without a base and control characters are
    /// left out.
    pub fn draw_text(&mut self, area: Rect, at: Position, text: &str, style: Style) -> u16 {
        self.draw_linked(area, at, text, style, None)
    }

    fn draw_linked(&mut self, area: Rect, at: Position, text: &str, style: Style, link: Option<&Arc<CellLink>>) -> u16 {
        let area = self.clip(area);
        let mut col = at.col;
        if !(area.row..area.bottom()).contains(&at.row) {
            return col;
        }
        for cluster in clusters(text) {
            if col >= area.right() {
                break;
            }
            let width = shown_width(cluster.text, cluster.width) as u16;
            if width == 0 {
                continue;
            }
            let whole = col >= area.col && col + width <= area.right();
            if whole {
                let text = if cluster.text == "\t" { " " } else { cluster.text };
                let text = CellText::fitted(text, width as u8);
                self.put(at.row, col, CanvasCell::new(text, width as u8, style, link.cloned()));
            } else {
                let seen = col.max(area.col)..(col + width).min(area.right());
                seen.for_each(|col| self.put(at.row, col, CanvasCell::blank(style)));
            }
            col += width;
        }
        col
    }

    /// Draws a whole row of `area` at once: the spans from its left edge, then blanks in `rest` up to its right edge.
    /// Unlike a fill followed by text, redrawing the same row changes no cell. Spans without a background stand on that
    /// of `rest`, if it has one.
    pub fn draw_line(&mut self, area: Rect, row: u16, spans: &[Span<'_>], rest: Style) {
        let area = self.clip(area.line(row));
        if area.is_empty() {
            return;
        }
        let mut col = area.col;
        for span in spans {
            let style = grounded(span.style, rest);
            col = self.draw_linked(area, Position { row: area.row, col }, &span.text, style, span.link.as_ref());
        }
        for col in col..area.right() {
            self.put(area.row, col, CanvasCell::blank(rest));
        }
    }

    /// Fills with blanks of one style.
    pub fn fill(&mut self, area: Rect, style: Style) {
        let area = self.clip(area);
        for row in area.row..area.bottom() {
            for col in area.col..area.right() {
                self.put(row, col, CanvasCell::blank(style));
            }
        }
    }

    /// Draws a box along the edge of `area`, with a title in its top line; the inside is left as it is.
    pub fn draw_box(&mut self, area: Rect, lines: BoxLines, style: Style, title: &[Span<'_>]) {
        if area.cols < 2 || area.rows < 2 {
            return;
        }
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        let [upper_left, upper_right, lower_left, lower_right] = lines.corners;
        let title_cols = title.iter().map(Span::cols).sum::<usize>().min(usize::from(area.cols) - 2) as u16;
        let [horizontal, vertical] = [lines.horizontal, lines.vertical].map(|c| narrow(c, style));
        for col in area.col + 1..right {
            if col > area.col + title_cols {
                self.put_inside(area, area.row, col, &horizontal);
            }
            self.put_inside(area, bottom, col, &horizontal);
        }
        for row in area.row + 1..bottom {
            self.put_inside(area, row, area.col, &vertical);
            self.put_inside(area, row, right, &vertical);
        }
        self.draw_char(area, area.row, area.col, upper_left, style);
        self.draw_char(area, area.row, right, upper_right, style);
        self.draw_char(area, bottom, area.col, lower_left, style);
        self.draw_char(area, bottom, right, lower_right, style);
        self.draw_line(Rect::new(area.col + 1, area.row, title_cols, 1), 0, title, style);
    }

    /// Draws one narrow character; others are left out.
    pub fn draw_char(&mut self, area: Rect, row: u16, col: u16, c: char, style: Style) {
        self.put_inside(area, row, col, &narrow(c, style));
    }

    fn put_inside(&mut self, area: Rect, row: u16, col: u16, cell: &CanvasCell) {
        if self.clip(area).contains(Position { row, col }) {
            self.put(row, col, cell.clone());
        }
    }
}

/// A text colour is chosen for its background, so the two are taken together.
fn grounded(style: Style, rest: Style) -> Style {
    if style.background != Color::Default || rest.background == Color::Default {
        return style;
    }
    let foreground = if style.foreground == Color::Default { rest.foreground } else { style.foreground };
    Style { foreground, background: rest.background, ..style }
}

fn narrow(c: char, style: Style) -> CanvasCell {
    CanvasCell::new(CellText::fitted(c.encode_utf8(&mut [0; 4]), 1), 1, style, None)
}

#[cfg(test)]
mod tests {
    use vt::Size;

    use super::*;

    fn red() -> Style {
        Style { background: Color::Indexed(1), ..Style::default() }
    }

    #[test]
    fn text_is_clipped_and_wide_characters_are_never_halved() {
        let mut canvas = Canvas::new(Size::new(6, 2));
        let area = Rect::new(1, 0, 4, 1);
        let end = canvas.draw_text(area, Position { row: 0, col: 0 }, "漢a漢漢", red());
        assert_eq!(end, 5);
        assert_eq!(canvas.text(), "  a漢\n\n");
        assert_eq!(canvas.cell(Position { row: 0, col: 1 }).unwrap().style().background, Color::Indexed(1));
        canvas.draw_text(area, Position { row: 1, col: 1 }, "below", red());
        assert_eq!(canvas.text(), "  a漢\n\n");
    }

    #[test]
    fn writing_over_a_half_blanks_the_other() {
        let mut canvas = Canvas::new(Size::new(4, 1));
        let area = Rect::of(canvas.size());
        canvas.draw_text(area, Position::default(), "漢字", Style::default());
        canvas.draw_text(area, Position { row: 0, col: 1 }, "漢", Style::default());
        assert_eq!(canvas.text(), " 漢\n");
    }

    #[test]
    fn no_control_character_comes_in() {
        let mut canvas = Canvas::new(Size::new(12, 1));
        let text = "a\x1b[31mb\u{9b}2J\u{202e}\u{301}c\td";
        canvas.draw_text(Rect::new(0, 0, 12, 1), Position::default(), text, Style::default());
        assert_eq!(canvas.text(), "a[31mb2Jc d\n");
    }

    #[test]
    fn the_same_again_is_no_change() {
        let mut canvas = Canvas::new(Size::new(8, 2));
        let area = Rect::new(0, 0, 8, 2);
        let draw = |canvas: &mut Canvas| {
            canvas.draw_line(area, 0, &[Span::new("漢x", red())], Style::default());
            canvas.draw_box(area, BoxLines::ASCII, red(), &[Span::new("t", red())]);
        };
        draw(&mut canvas);
        canvas.draw_line(area, 1, &[Span::new("ab", red())], red());
        let stamp = canvas.stamp(1);
        canvas.draw_line(area, 1, &[Span::new("ab", red())], red());
        assert_eq!(canvas.stamp(1), stamp);
        canvas.draw_line(area, 1, &[Span::new("ac", red())], red());
        assert_ne!(canvas.stamp(1), stamp);
    }

    #[test]
    fn text_without_a_background_stands_on_the_rows() {
        let rest = Style { foreground: Color::Indexed(7), background: Color::Indexed(4), ..Style::default() };
        let ink = Style { foreground: Color::Indexed(2), ..Style::default() };
        let mut canvas = Canvas::new(Size::new(4, 1));
        let spans = [Span::new("a", Style::default()), Span::new("b", ink), Span::new("c", red())];
        let drawn = |canvas: &mut Canvas, rest: Style| {
            canvas.draw_line(Rect::new(0, 0, 4, 1), 0, &spans, rest);
            [0, 1, 2].map(|col| canvas.cell(Position { row: 0, col }).unwrap().style())
        };
        assert_eq!(drawn(&mut canvas, rest), [rest, Style { background: rest.background, ..ink }, red()]);
        let plain = Style { background: Color::Default, ..rest };
        assert_eq!(drawn(&mut canvas, plain), [Style::default(), ink, red()], "without a ground, nothing is added");
    }

    #[test]
    fn a_box_keeps_to_its_area() {
        let mut canvas = Canvas::new(Size::new(7, 3));
        canvas.draw_box(Rect::new(1, 0, 6, 3), BoxLines::PLAIN, Style::default(), &[Span::new("title", red())]);
        assert_eq!(canvas.text(), " ┌titl┐\n │    │\n └────┘\n");
    }
}
