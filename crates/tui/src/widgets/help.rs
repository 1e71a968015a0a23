//! A filterable table of commands and their keys.

use super::{
    fuzzy::{FuzzyCandidate, rank},
    wrap::cut,
};
use crate::{
    canvas::{Canvas, Span, text_cols},
    geometry::Rect,
    skin::{Skin, SkinRole},
};

/// Columns reserved for keys.
const MAX_KEY_COLS: usize = 15;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpEntry {
    /// The heading that the entry is listed under.
    pub section: String,
    pub keys: String,
    pub text: String,
}

/// The entries, ordered by section.
#[derive(Clone, Debug, Default)]
pub struct HelpTable {
    pub entries: Vec<HelpEntry>,
}

enum HelpRow<'a> {
    Section(&'a str),
    Entry(&'a HelpEntry),
}

impl HelpTable {
    fn rows(&self, query: &str) -> Vec<HelpRow<'_>> {
        let texts: Vec<String> =
            self.entries.iter().map(|entry| format!("{} {} {}", entry.text, entry.keys, entry.section)).collect();
        let candidates: Vec<_> = texts.iter().map(|text| FuzzyCandidate { text, recent: 0 }).collect();
        let mut found: Vec<usize> = rank(query, &candidates).into_iter().map(|ranked| ranked.index).collect();
        found.sort_unstable();
        let mut rows = Vec::new();
        let mut section = None;
        for entry in found.into_iter().map(|index| &self.entries[index]) {
            if section != Some(&entry.section) {
                rows.push(HelpRow::Section(&entry.section));
                section = Some(&entry.section);
            }
            rows.push(HelpRow::Entry(entry));
        }
        rows
    }

    /// The number of rows that match `query`; scrolling needs it.
    pub fn len(&self, query: &str) -> usize {
        self.rows(query).len()
    }

    /// Draws the matching entries, from row `scroll` on.
    pub fn draw(&self, canvas: &mut Canvas, area: Rect, query: &str, scroll: usize, skin: &Skin) {
        let rows = self.rows(query);
        // One text column for all sections, so that the eye finds it; the few longer keys shift only their own text.
        let longest = self.entries.iter().map(|entry| text_cols(&entry.keys)).max().unwrap_or(0);
        let key_cols = longest.min(MAX_KEY_COLS).min(usize::from(area.cols) / 3);
        for row in 0..area.rows {
            let spans = match rows.get(scroll + usize::from(row)) {
                None => Vec::new(),
                Some(HelpRow::Section(section)) => vec![Span::new(*section, skin.style(SkinRole::Heading))],
                Some(HelpRow::Entry(entry)) => {
                    let keys = cut(&entry.keys, usize::from(area.cols) / 2, skin.glyphs.more());
                    let gap = key_cols.saturating_sub(text_cols(&keys)) + 2 * usize::from(key_cols > 0);
                    let gap = " ".repeat(gap);
                    vec![
                        Span::new(format!("  {keys}"), skin.style(SkinRole::KeyName)),
                        Span::new(format!("{gap}{}", skin.glyphs.text(&entry.text)), skin.style(SkinRole::Text)),
                    ]
                }
            };
            canvas.draw_line(area, row, &spans, skin.style(SkinRole::Text));
        }
    }
}

#[cfg(test)]
mod tests {
    use vt::Size;

    use super::*;

    #[test]
    fn sections_keep_their_order_and_the_filter_keeps_sections() {
        let entry = |section: &str, keys: &str, text: &str| HelpEntry {
            section: section.into(),
            keys: keys.into(),
            text: text.into(),
        };
        let table = HelpTable {
            entries: vec![
                entry("Tabs", "ctrl+k 1", "first tab"),
                entry("Tabs", "", "close tab"),
                entry("Other", "?", "help"),
            ],
        };
        let mut canvas = Canvas::new(Size::new(30, 5));
        table.draw(&mut canvas, Rect::new(0, 0, 30, 5), "", 0, &Skin::default());
        assert_eq!(canvas.text(), "Tabs\n  ctrl+k 1  first tab\n            close tab\nOther\n  ?         help\n");
        table.draw(&mut canvas, Rect::new(0, 0, 30, 5), "help", 0, &Skin::default());
        assert_eq!(canvas.text(), "Other\n  ?         help\n\n\n\n");
        assert_eq!(table.len("tab"), 3);
    }
}
