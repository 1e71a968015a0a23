//! Whether the host surely draws a cell as wide as we do.

use crate::canvas::CellText;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WidthTrust {
    /// Every terminal agrees.
    Agreed,
    /// One column, or two on terminals set up for East Asian text: a probe tells.
    Ambiguous,
    /// Emoji, combining marks, joined characters, private use: it depends on the terminal, its version and its fonts.
    Disputed,
}

impl WidthTrust {
    pub(super) fn of(text: &CellText, width: u8) -> WidthTrust {
        let CellText::Char(c) = *text else { return WidthTrust::Disputed };
        match (c, width) {
            (' '..='~', 1) => WidthTrust::Agreed,
            // Ideographs, kana, Hangul and full-width forms: wide since the first tables.
            (
                '\u{3001}'..='\u{303d}'
                | '\u{3041}'..='\u{3247}'
                | '\u{3400}'..='\u{4dbf}'
                | '\u{4e00}'..='\u{9fff}'
                | '\u{ac00}'..='\u{d7a3}'
                | '\u{f900}'..='\u{faff}'
                | '\u{ff01}'..='\u{ff60}'
                | '\u{20000}'..='\u{2fffd}',
                2,
            ) if !matches!(c, '\u{302a}'..='\u{302f}' | '\u{3030}') => WidthTrust::Agreed,
            ('\u{a1}'..='\u{2e7f}', 1) if !vt::is_narrow_sign_or_emoji(c) => WidthTrust::Ambiguous,
            _ => WidthTrust::Disputed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_no_terminal_disputes_is_agreed() {
        for (c, width, trust) in [
            ('a', 1, WidthTrust::Agreed),
            ('漢', 2, WidthTrust::Agreed),
            ('ア', 2, WidthTrust::Agreed),
            ('é', 1, WidthTrust::Ambiguous),
            ('─', 1, WidthTrust::Ambiguous),
            ('❤', 1, WidthTrust::Disputed),
            ('😀', 2, WidthTrust::Disputed),
            ('\u{e0b0}', 1, WidthTrust::Disputed),
        ] {
            assert_eq!(WidthTrust::of(&CellText::Char(c), width), trust, "{c:?}");
        }
        assert_eq!(WidthTrust::of(&CellText::Cluster("e\u{301}".into()), 1), WidthTrust::Disputed);
    }
}
