//! One canvas cell: its text and style.

use std::sync::Arc;

use vt::{Attributes, MAX_CLUSTER_BYTES, Style, cluster_width};

/// A hyperlink's target, as the host is told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CellLink {
    /// Groups the parts of one link; empty if there is no id.
    pub id: String,
    pub uri: String,
}

/// The text of a cell: one cluster, never a control character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellText {
    Char(char),
    Cluster(Arc<str>),
}

impl CellText {
    /// `text` as a cell of `width` columns shows it. Where the two disagree (a child that turned clusters off), the
    /// first character is used alone, and a replacement sign if that has the wrong width too.
    pub(crate) fn fitted(text: &str, width: u8) -> CellText {
        let mut chars = text.chars();
        let first = chars.next().filter(|c| !c.is_control()).unwrap_or(' ');
        if first.is_ascii() && width == 1 && chars.as_str().is_empty() {
            return CellText::Char(first);
        }
        let mut end = text.len().min(MAX_CLUSTER_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = &text[..end];
        if cluster_width(text) == u16::from(width) && !text.contains(char::is_control) {
            return match text.chars().nth(1) {
                None => CellText::Char(first),
                Some(_) => CellText::Cluster(text.into()),
            };
        }
        let alone = cluster_width(first.encode_utf8(&mut [0; 4]));
        CellText::Char(match width {
            _ if alone == u16::from(width) => first,
            2 => '〓',
            _ => '\u{fffd}',
        })
    }

    pub fn push_to(&self, out: &mut String) {
        match self {
            CellText::Char(c) => out.push(*c),
            CellText::Cluster(text) => out.push_str(text),
        }
    }
}

/// One column of a row, or the first of the two that a wide character takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanvasCell {
    pub(crate) text: CellText,
    /// 1 or 2; 0 for the second column of a wide character.
    pub(crate) width: u8,
    /// Without its link, which is the field below: link ids are per child, and the canvas mixes several children.
    pub(crate) style: Style,
    pub(crate) link: Option<Arc<CellLink>>,
}

/// Attributes that only affect erasing, and have no look.
const UNSEEN: Attributes = Attributes::PROTECTED.union(Attributes::GUARDED);

impl CanvasCell {
    pub(crate) const BLANK: CanvasCell =
        CanvasCell { text: CellText::Char(' '), width: 1, style: DEFAULT_STYLE, link: None };

    pub(crate) fn new(text: CellText, width: u8, style: Style, link: Option<Arc<CellLink>>) -> Self {
        let style = Style { link: None, attributes: style.attributes.difference(UNSEEN), ..style };
        CanvasCell { text, width, style, link }
    }

    pub(crate) fn blank(style: Style) -> Self {
        CanvasCell::new(CellText::Char(' '), 1, style, None)
    }

    pub fn text(&self) -> &CellText {
        &self.text
    }

    /// 1 or 2 columns; 0 for the second one of a wide character.
    pub fn width(&self) -> u8 {
        self.width
    }

    pub fn style(&self) -> Style {
        self.style
    }

    pub fn link(&self) -> Option<&CellLink> {
        self.link.as_deref()
    }

    pub(crate) fn right_half(&self) -> CanvasCell {
        CanvasCell { text: CellText::Char(' '), width: 0, ..self.clone() }
    }

    /// Blanks a wide character's other half; the style stays.
    pub(crate) fn clear_text(&mut self) {
        self.text = CellText::Char(' ');
        self.width = 1;
    }
}

const DEFAULT_STYLE: Style = Style {
    foreground: vt::Color::Default,
    background: vt::Color::Default,
    underline_color: vt::Color::Default,
    underline: vt::Underline::None,
    attributes: Attributes::empty(),
    link: None,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_shows_what_fits_its_width() {
        assert_eq!(CellText::fitted("a", 1), CellText::Char('a'));
        assert_eq!(CellText::fitted("漢", 2), CellText::Char('漢'));
        assert_eq!(CellText::fitted("e\u{301}", 1), CellText::Cluster("e\u{301}".into()));
        assert_eq!(CellText::fitted("❤\u{fe0f}", 1), CellText::Char('❤'));
        assert_eq!(CellText::fitted("漢", 1), CellText::Char('\u{fffd}'));
        assert_eq!(CellText::fitted("a", 2), CellText::Char('〓'));
        assert_eq!(CellText::fitted("\u{1b}", 1), CellText::Char(' '));
    }
}
