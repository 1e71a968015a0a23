//! A row with a left-aligned and a right-aligned part.

use super::StyledLine;
use crate::{
    canvas::{Canvas, Span},
    geometry::Rect,
    skin::{Skin, SkinRole, layered},
};

/// Draws both parts in the status line's style. The left part is cut if there is not enough room for both.
pub fn draw_status_line(canvas: &mut Canvas, area: Rect, left: &[Span<'_>], right: &[Span<'_>], skin: &Skin) {
    let ground = skin.style(SkinRole::StatusLine);
    let on_ground = |span: &Span<'_>| Span {
        text: skin.glyphs.text(&span.text).into_owned().into(),
        style: layered(ground, span.style),
        link: span.link.clone(),
    };
    let left: StyledLine = left.iter().map(on_ground).collect();
    let right: StyledLine = right.iter().map(on_ground).collect();
    let right_cols = right.iter().map(Span::cols).sum::<usize>().min(usize::from(area.cols)) as u16;
    let (left_area, right_area) = area.line(0).split_right(right_cols);
    canvas.draw_line(left_area, 0, &left, ground);
    canvas.draw_line(right_area, 0, &right, ground);
}

#[cfg(test)]
mod tests {
    use vt::{Size, Style};

    use super::*;

    #[test]
    fn the_right_end_keeps_its_place() {
        let mut canvas = Canvas::new(Size::new(12, 1));
        let span = |text: &'static str| [Span::new(text, Style::default())];
        draw_status_line(&mut canvas, Rect::new(0, 0, 12, 1), &span("user"), &span("12:00"), &Skin::default());
        assert_eq!(canvas.text(), "user   12:00\n");
        draw_status_line(&mut canvas, Rect::new(0, 0, 12, 1), &span("a long text"), &span("12:00"), &Skin::default());
        assert_eq!(canvas.text(), "a long 12:00\n");
    }
}
