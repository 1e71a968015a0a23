//! Short notices in the lower right corner, the newest lowest.

use super::wrap::wrap_spans;
use crate::{
    canvas::{Canvas, Span, text_cols},
    geometry::Rect,
    skin::{Role, Sign, Skin, layered},
};

/// Columns and rows of one notice.
const MAX_COLS: u16 = 48;
const MAX_ROWS: usize = 4;

/// One notice. How long it stays is the caller's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    pub text: String,
    pub sign: Sign,
}

/// Draws as many as have room, and tells the area they took.
pub fn draw_toasts(canvas: &mut Canvas, area: Rect, toasts: &[Toast], skin: &Skin) -> Rect {
    let cols = MAX_COLS.min(area.cols);
    let inner = usize::from(cols.saturating_sub(4));
    let ground = skin.style(Role::Toast);
    let mut bottom = area.bottom();
    if inner < 8 {
        return Rect::default();
    }
    for toast in toasts.iter().rev() {
        let lines = wrap_spans(&[Span::new(toast.text.as_str(), ground)], inner, 0);
        let rows = lines.len().min(MAX_ROWS) as u16;
        if bottom.saturating_sub(area.row) < rows {
            break;
        }
        bottom -= rows;
        let place = Rect::new(area.right() - cols, bottom, cols, rows);
        for (row, line) in (0..rows).zip(lines) {
            let sign = if row == 0 { format!(" {} ", skin.glyphs.sign(toast.sign)) } else { "   ".to_owned() };
            let mut spans = vec![Span::new(sign, layered(ground, skin.sign_style(toast.sign)))];
            spans.extend(line);
            debug_assert!(text_cols(&spans[0].text) == 3);
            canvas.draw_line(place, row, &spans, ground);
        }
    }
    Rect::new(area.right() - cols, bottom, cols, area.bottom() - bottom)
}

#[cfg(test)]
mod tests {
    use vt::Size;

    use super::*;

    #[test]
    fn the_newest_is_lowest_and_all_keep_to_the_corner() {
        let toast = |text: &str| Toast { text: text.into(), sign: Sign::Blocked };
        let mut canvas = Canvas::new(Size::new(20, 4));
        let area = Rect::new(0, 0, 20, 3);
        let took = draw_toasts(&mut canvas, area, &[toast("first"), toast("second notice is long")], &Skin::default());
        assert_eq!(canvas.text(), " ▲ first\n ▲ second notice is\n   long\n\n");
        assert_eq!(took, area);
        draw_toasts(&mut canvas, Rect::new(0, 0, 5, 3), &[toast("x")], &Skin::default());
    }
}
