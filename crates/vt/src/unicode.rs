//! Widths and grapheme cluster boundaries, from tables made by `cargo xtask unicode`.
//!
//! One byte per code point: bits 0–1 the width in cells, bits 2–5 the cluster break class,
//! bits 6–7 the Indic conjunct break class.

mod tables;

use tables::{BLOCK_OF, BLOCKS, NARROW_EMOJI};

const EXTEND: u8 = 1;
const ZWJ: u8 = 2;
const REGIONAL_INDICATOR: u8 = 3;
const PREPEND: u8 = 4;
const SPACING_MARK: u8 = 5;
const HANGUL_L: u8 = 6;
const HANGUL_V: u8 = 7;
const HANGUL_T: u8 = 8;
const HANGUL_LV: u8 = 9;
const HANGUL_LVT: u8 = 10;
const CONTROL: u8 = 11;
const PICTOGRAPHIC: u8 = 12;

const CONJUNCT_CONSONANT: u8 = 1;
const CONJUNCT_LINKER: u8 = 2;
const CONJUNCT_EXTEND: u8 = 3;

pub(crate) const VARIATION_EMOJI: char = '\u{fe0f}';

/// Characters that reorder the text around them; no text may do that to its neighbours.
pub fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A character's properties from the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CharProperties(u8);

impl CharProperties {
    #[inline]
    pub(crate) fn of(c: char) -> Self {
        let code = c as usize;
        CharProperties(BLOCKS[usize::from(BLOCK_OF[code >> 7])][code & 127])
    }

    /// The character's own width in cells: 0, 1 or 2.
    #[inline]
    pub(crate) fn width(self) -> u16 {
        u16::from(self.0 & 3)
    }

    #[inline]
    fn class(self) -> u8 {
        self.0 >> 2 & 15
    }

    #[inline]
    fn conjunct(self) -> u8 {
        self.0 >> 6
    }

    pub(crate) fn is_regional_indicator(self) -> bool {
        self.class() == REGIONAL_INDICATOR
    }

    /// Whether it always starts a cluster and has no effect on what follows.
    #[inline]
    pub(crate) fn is_plain(self) -> bool {
        self.0 >> 2 == 0
    }
}

/// An emoji that is one cell wide until a variation selector widens it.
pub(crate) fn is_narrow_emoji(c: char) -> bool {
    let code = c as u32;
    if code < 0x80 {
        return matches!(c, '0'..='9' | '#' | '*');
    }
    let after = NARROW_EMOJI.partition_point(|&(first, _)| first <= code);
    after > 0 && code <= NARROW_EMOJI[after - 1].1
}

/// The state of the cluster before the cursor, enough to tell whether the next character joins it (UAX #29, extended
/// grapheme clusters).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClusterState {
    class: u8,
    /// An odd number of regional indicators so far.
    open_flag: bool,
    /// A pictographic character, then only extenders.
    pictographic: bool,
    /// … then a joiner.
    joined_pictographic: bool,
    consonant: bool,
    linker: bool,
}

impl ClusterState {
    /// The state of a cluster that starts with a character of these properties.
    #[inline]
    pub(crate) fn start(properties: CharProperties) -> Self {
        let mut state = ClusterState::default();
        state.advance(properties);
        state
    }

    /// Adds a character that belongs to the cluster.
    pub(crate) fn advance(&mut self, properties: CharProperties) {
        let class = properties.class();
        self.open_flag = class == REGIONAL_INDICATOR && !self.open_flag;
        self.joined_pictographic = class == ZWJ && self.pictographic;
        self.pictographic = class == PICTOGRAPHIC || (class == EXTEND && self.pictographic);
        match properties.conjunct() {
            CONJUNCT_CONSONANT => (self.consonant, self.linker) = (true, false),
            CONJUNCT_LINKER => self.linker = self.consonant,
            CONJUNCT_EXTEND => {}
            _ => (self.consonant, self.linker) = (false, false),
        }
        self.class = class;
    }

    /// Whether a character of these properties belongs to the cluster so far.
    #[inline]
    pub(crate) fn joins(&self, properties: CharProperties) -> bool {
        if properties.is_plain() && self.class != PREPEND {
            return false;
        }
        let next = properties.class();
        match (self.class, next) {
            (CONTROL, _) | (_, CONTROL) => false,
            (HANGUL_L, HANGUL_L | HANGUL_V | HANGUL_LV | HANGUL_LVT) => true,
            (HANGUL_LV | HANGUL_V, HANGUL_V | HANGUL_T) => true,
            (HANGUL_LVT | HANGUL_T, HANGUL_T) => true,
            (_, EXTEND | ZWJ | SPACING_MARK) => true,
            (PREPEND, _) => true,
            (ZWJ, PICTOGRAPHIC) => self.joined_pictographic,
            (REGIONAL_INDICATOR, REGIONAL_INDICATOR) => self.open_flag,
            _ => properties.conjunct() == CONJUNCT_CONSONANT && self.linker,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits by the state machine alone.
    fn clusters(text: &str) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let mut state = ClusterState::default();
        for c in text.chars() {
            let properties = CharProperties::of(c);
            if !out.is_empty() && state.joins(properties) {
                state.advance(properties);
                out.last_mut().unwrap().push(c);
            } else {
                state = ClusterState::start(properties);
                out.push(c.to_string());
            }
        }
        out
    }

    #[test]
    fn widths() {
        for (c, width) in [
            ('a', 1),
            ('é', 1),
            ('─', 1),
            ('漢', 2),
            ('한', 2),
            ('😀', 2),
            ('☝', 1),
            ('❤', 1),
            ('\u{301}', 0),
            ('\u{200d}', 0),
            ('\u{ad}', 1),
            ('\u{1f3fb}', 2),
            ('🇩', 2),
            ('\u{1160}', 0),
            ('ﬀ', 1),
            ('Ａ', 2),
        ] {
            assert_eq!(CharProperties::of(c).width(), width, "{c:?}");
        }
    }

    #[test]
    fn cluster_boundaries_follow_uax_29() {
        for (text, expected) in [
            ("ab", &["a", "b"][..]),
            ("e\u{301}x", &["e\u{301}", "x"]),
            ("👩‍👩‍👧‍👦!", &["👩‍👩‍👧‍👦", "!"]),
            ("👋🏽👋", &["👋🏽", "👋"]),
            ("🇩🇪🇫🇷🇮", &["🇩🇪", "🇫🇷", "🇮"]),
            ("각", &["각"]),
            ("क्षि", &["क्षि"]),
            ("a\u{200d}😀", &["a\u{200d}", "😀"]),
            ("1\u{fe0f}\u{20e3}", &["1\u{fe0f}\u{20e3}"]),
        ] {
            assert_eq!(clusters(text), expected);
        }
    }

    #[test]
    fn emoji_that_a_selector_widens() {
        assert!(is_narrow_emoji('❤') && is_narrow_emoji('☝') && is_narrow_emoji('1'));
        assert!(!is_narrow_emoji('😀') && !is_narrow_emoji('a') && !is_narrow_emoji('漢'));
    }
}
