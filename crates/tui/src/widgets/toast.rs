//! Short notices in the lower right corner, the newest at the bottom.

use super::{
    StyledLine,
    wrap::{cut, wrap_spans},
};
use crate::{
    canvas::{Canvas, Span},
    geometry::Rect,
    skin::{Sign, Skin, SkinRole, layered},
};

/// Maximum columns of a notice.
const MAX_COLS: u16 = 76;
/// Maximum rows of all notices: more would hide the work.
const MAX_ROWS: usize = 2;

/// One notice. The caller decides how long it stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    pub text: String,
    pub sign: Sign,
}

/// Draws the newest notices that fit, and returns their area: the lower right corner, or the upper right one if they
/// would cover the row `typed`, which somebody is typing in.
pub fn draw_toasts(canvas: &mut Canvas, area: Rect, toasts: &[Toast], typed: Option<u16>, skin: &Skin) -> Rect {
    let cols = MAX_COLS.min(area.cols);
    let inner = usize::from(cols.saturating_sub(4));
    let ground = skin.style(SkinRole::Toast);
    if inner < 8 {
        return Rect::default();
    }
    let room = MAX_ROWS.min(usize::from(area.rows));
    let mut rows: Vec<StyledLine> = Vec::new();
    for toast in toasts.iter().rev() {
        let lines = lines(toast, inner, MAX_ROWS, skin);
        if rows.len() + lines.len() > room {
            break;
        }
        // Puts it above the newer notices.
        rows.splice(0..0, lines);
    }
    let widest = rows.iter().map(|line| line.iter().map(Span::cols).sum::<usize>()).max().unwrap_or(0);
    let cols = u16::try_from(widest + 1).unwrap_or(cols).min(cols);
    let count = rows.len() as u16;
    let (above, lower) = (area.row, area.bottom() - count);
    let top = if typed.is_some_and(|row| row >= lower) { above } else { lower };
    let place = Rect::new(area.right() - cols, top, cols, count);
    for (row, line) in (0..count).zip(&rows) {
        canvas.draw_line(place, row, line, ground);
    }
    place
}

/// The rows of one notice. Text that does not fit is cut, with a sign that it was.
fn lines(toast: &Toast, inner: usize, max: usize, skin: &Skin) -> Vec<StyledLine> {
    let ground = skin.style(SkinRole::Toast);
    let mut lines = wrap_spans(&[Span::new(toast.text.as_str(), ground)], inner, 0);
    if lines.len() > max {
        lines.truncate(max);
        if let Some(last) = lines.last_mut() {
            let text: String = last.iter().map(|span| span.text.as_ref()).collect();
            let kept = cut(text.trim_end(), inner - 1, skin.glyphs.more());
            let kept = kept.trim_end_matches(skin.glyphs.more());
            *last = vec![Span::new(format!("{kept}{}", skin.glyphs.more()), ground)];
        }
    }
    let style = layered(ground, skin.sign_style(toast.sign));
    for (row, line) in lines.iter_mut().enumerate() {
        let sign = if row == 0 { format!(" {} ", skin.glyphs.sign(toast.sign)) } else { "   ".to_owned() };
        line.insert(0, Span::new(sign, style));
    }
    lines
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
        let both = [toast("first"), toast("second notice is long")];
        let took = draw_toasts(&mut canvas, area, &both, None, &Skin::default());
        assert_eq!(canvas.text(), "\n ▲ second notice is\n   long\n\n");
        assert_eq!(took, Rect::new(0, 1, 20, 2));
        let short = [toast("first"), toast("second")];
        draw_toasts(&mut canvas, area, &short, None, &Skin::default());
        assert!(canvas.text().contains("▲ first") && canvas.text().contains("▲ second"), "{}", canvas.text());
        draw_toasts(&mut canvas, Rect::new(0, 0, 5, 3), &[toast("x")], None, &Skin::default());
    }

    #[test]
    fn they_never_lie_where_somebody_types_and_never_over_much() {
        let toast = |text: &str| Toast { text: text.into(), sign: Sign::Blocked };
        let area = Rect::new(0, 0, 40, 12);
        let long = toast(&"many words of an error that goes on ".repeat(20));
        for typed in 0..12 {
            let mut canvas = Canvas::new(Size::new(40, 12));
            let some = [toast("one"), toast("two"), toast("three"), long.clone()];
            let took = draw_toasts(&mut canvas, area, &some, Some(typed), &Skin::default());
            assert!(took.rows > 0 && took.rows <= 2, "{took:?}");
            assert!(!(took.row..took.bottom()).contains(&typed), "{typed} is free of {took:?}");
            assert!(canvas.text().contains("goes…") || canvas.text().contains('…'), "{}", canvas.text());
        }
        let mut canvas = Canvas::new(Size::new(40, 12));
        let path = toast("written to /some/where/a-folder/with/a/long/path/recordings/x.cast");
        draw_toasts(&mut canvas, area, &[path], None, &Skin::default());
        assert!(canvas.text().lines().any(|line| line.ends_with('/')), "paths break where they may: {}", canvas.text());
    }
}
