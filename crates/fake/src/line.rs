//! Styled lines: what costumes draw and the painter writes.

use std::fmt::Write;

type Rgb = (u8, u8, u8);

/// The style of a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextLook {
    pub(crate) foreground: Option<Rgb>,
    pub(crate) background: Option<Rgb>,
    pub(crate) bold: bool,
    pub(crate) dim: bool,
    pub(crate) inverse: bool,
}

impl TextLook {
    pub(crate) const PLAIN: TextLook =
        TextLook { foreground: None, background: None, bold: false, dim: false, inverse: false };
    pub(crate) const BOLD: TextLook = TextLook { bold: true, ..TextLook::PLAIN };
    /// Ghost text, hints and placeholders.
    pub(crate) const DIM: TextLook = TextLook { dim: true, ..TextLook::PLAIN };
    pub(crate) const INVERSE: TextLook = TextLook { inverse: true, ..TextLook::PLAIN };

    pub(crate) const fn color(foreground: Rgb) -> TextLook {
        TextLook { foreground: Some(foreground), ..TextLook::PLAIN }
    }

    pub(crate) const fn on(self, background: Rgb) -> TextLook {
        TextLook { background: Some(background), ..self }
    }

    fn write(self, out: &mut String) {
        out.push_str("\x1b[0");
        for (on, code) in [(self.bold, ";1"), (self.dim, ";2"), (self.inverse, ";7")] {
            if on {
                out.push_str(code);
            }
        }
        for (color, code) in [(self.foreground, 38), (self.background, 48)] {
            if let Some((r, g, b)) = color {
                // Writing to a string can't fail.
                let _ = write!(out, ";{code};2;{r};{g};{b}");
            }
        }
        out.push('m');
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PaintedLine {
    spans: Vec<(String, TextLook)>,
    /// The row's background, up to its end.
    shade: Option<Rgb>,
}

impl PaintedLine {
    pub(crate) fn empty() -> Self {
        PaintedLine::default()
    }

    pub(crate) fn plain(text: impl Into<String>) -> Self {
        PaintedLine::empty().with(text, TextLook::PLAIN)
    }

    pub(crate) fn styled(text: impl Into<String>, look: TextLook) -> Self {
        PaintedLine::empty().with(text, look)
    }

    pub(crate) fn with(mut self, text: impl Into<String>, look: TextLook) -> Self {
        self.spans.push((text.into(), look));
        self
    }

    pub(crate) fn shaded(mut self, color: Rgb) -> Self {
        self.shade = Some(color);
        self
    }

    /// Appends `text` so that it ends at column `end`, if there is room.
    pub(crate) fn right(self, text: &str, end: usize, look: TextLook) -> Self {
        let used: usize = self.spans.iter().map(|(text, _)| crate::wrap::width(text)).sum();
        match end.checked_sub(used + crate::wrap::width(text)) {
            Some(gap) if gap > 0 || used == 0 => self.with(" ".repeat(gap), TextLook::PLAIN).with(text, look),
            _ => self,
        }
    }

    /// The bytes that draw the line over any content: the row is erased first, because erasing after a full row would
    /// remove its last character.
    pub(crate) fn write(&self, cols: usize, out: &mut String) {
        let ground = self.shade.map_or(TextLook::PLAIN, |shade| TextLook::PLAIN.on(shade));
        ground.write(out);
        out.push_str("\r\x1b[2K");
        let mut room = cols;
        for (text, look) in &self.spans {
            let text = if text.len() <= room { text.clone() } else { crate::wrap::cut(text, room) };
            room = room.saturating_sub(crate::wrap::width(&text));
            let look = if look.background.is_none() && self.shade.is_some() {
                TextLook { background: self.shade, ..*look }
            } else {
                *look
            };
            look.write(out);
            out.push_str(&text);
        }
        out.push_str("\x1b[0m");
    }
}
