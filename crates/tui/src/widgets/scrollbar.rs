//! A one-column scrollbar.

use crate::{
    canvas::Canvas,
    geometry::Rect,
    skin::{GlyphSet, Skin, SkinRole},
};

/// Draws the visible part of `all` rows, from `top` on, in the first column of `area`. Draws nothing if everything is
/// visible.
pub fn draw_scrollbar(canvas: &mut Canvas, area: Rect, top: usize, all: usize, skin: &Skin) {
    let rows = usize::from(area.rows);
    if area.is_empty() || all <= rows {
        return;
    }
    let length = (rows * rows / all).max(1);
    let last = all - rows;
    // The bar touches an end only if the text does: rounding must not say so earlier.
    let start = match top {
        0 => 0,
        top if top >= last => rows - length,
        top => (top * (rows - length) / last).clamp(1, (rows - length).saturating_sub(1).max(1)).min(rows - length),
    };
    let line = skin.glyphs.box_lines().vertical;
    let bar = if skin.glyphs == GlyphSet::Ascii { '#' } else { '█' };
    for row in 0..rows {
        let inside = (start..start + length).contains(&row);
        let (c, role) = if inside { (bar, SkinRole::Accent) } else { (line, SkinRole::Border) };
        canvas.draw_char(area, area.row + row as u16, area.col, c, skin.on_text(role));
    }
}

#[cfg(test)]
mod tests {
    use vt::Size;

    use super::*;

    fn bar(top: usize, all: usize) -> String {
        let mut canvas = Canvas::new(Size::new(1, 5));
        draw_scrollbar(&mut canvas, Rect::new(0, 0, 1, 5), top, all, &Skin::default());
        canvas.text().replace('\n', "")
    }

    #[test]
    fn ends_are_shown_only_at_the_ends() {
        assert_eq!(bar(0, 5), "");
        assert_eq!(bar(0, 10), "██│││");
        assert_eq!(bar(5, 10), "│││██");
        assert_eq!(bar(0, 10_000), "█││││");
        assert_eq!(bar(1, 10_000), "│█│││");
        assert_eq!(bar(9_994, 10_000), "│││█│");
        assert_eq!(bar(9_995, 10_000), "││││█");
    }
}
