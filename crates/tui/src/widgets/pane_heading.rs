//! What stands around panes: a heading in a line, and the line between neighbours.

use vt::Style;

use super::StyledLine;
use crate::{
    canvas::{Canvas, Span},
    geometry::Rect,
    skin::Skin,
};

/// Columns of the line before and behind the words.
const ENDS: usize = 1;

/// Draws a line with words at both ends of it, in the first row of `area`. Without room for both, the right ones go.
pub fn draw_pane_heading(
    canvas: &mut Canvas,
    area: Rect,
    mut left: StyledLine,
    right: StyledLine,
    line: Style,
    skin: &Skin,
) {
    let cols = |spans: &StyledLine| spans.iter().map(Span::cols).sum::<usize>();
    let stroke = |cols: usize| Span::new(skin.glyphs.box_lines().horizontal.to_string().repeat(cols), line);
    let room = usize::from(area.cols).saturating_sub(2 * ENDS);
    let right = if cols(&left) + cols(&right) > room { Vec::new() } else { right };
    let between = room.saturating_sub(cols(&left) + cols(&right));
    left.insert(0, stroke(ENDS));
    left.push(stroke(between));
    left.extend(right);
    left.push(stroke(ENDS));
    canvas.draw_line(area, 0, &left, line);
}

/// Draws the line between two panes that are side by side.
pub fn draw_pane_border(canvas: &mut Canvas, area: Rect, line: Style, skin: &Skin) {
    let stroke = skin.glyphs.box_lines().vertical;
    (area.row..area.bottom()).for_each(|row| canvas.draw_char(area, row, area.col, stroke, line));
}

#[cfg(test)]
mod tests {
    use vt::Size;

    use super::*;

    fn shown(cols: u16) -> String {
        let mut canvas = Canvas::new(Size::new(cols, 1));
        let span = |text: &'static str| vec![Span::new(text, Style::default())];
        let area = Rect::new(0, 0, cols, 1);
        draw_pane_heading(&mut canvas, area, span(" name "), span(" pinned "), Style::default(), &Skin::default());
        canvas.text()
    }

    #[test]
    fn the_line_fills_what_the_words_leave() {
        assert_eq!(shown(20), "─ name ──── pinned ─\n");
        assert_eq!(shown(16), "─ name  pinned ─\n");
        assert_eq!(shown(15), "─ name ────────\n");
        assert_eq!(shown(4), "─ na\n");
    }

    #[test]
    fn neighbours_are_parted_by_a_line() {
        let mut canvas = Canvas::new(Size::new(3, 2));
        draw_pane_border(&mut canvas, Rect::new(1, 0, 1, 2), Style::default(), &Skin::default());
        assert_eq!(canvas.text(), " │\n │\n");
    }
}
