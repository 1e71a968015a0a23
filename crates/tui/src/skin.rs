//! The looks of our own widgets: styles by role, which a theme gives, and the signs for states. Only theme files name
//! colours.

mod role;
mod shipped;
mod theme_file;

use std::borrow::Cow;

use vt::{Attributes, Color, Style, Underline};

use crate::{canvas::BoxLines, event::ColorScheme};

pub use role::SkinRole;
pub use shipped::ShippedTheme;
pub use theme_file::{MAX_THEME_BYTES, ThemeFault, ThemeFile};

/// The state of something. Each has a sign of a different shape, so colour is never the only difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    Starting,
    Running,
    Idle,
    Working,
    /// Waits for a decision.
    Blocked,
    Exited,
    Failed,
    Unknown,
    /// Something happened that the person has not seen yet.
    Unseen,
}

impl Sign {
    /// A rank for places that can show only one of several signs; the lowest is the most urgent: a pending decision,
    /// then news, then work.
    pub fn urgency(self) -> u8 {
        match self {
            Sign::Blocked => 0,
            Sign::Unseen => 1,
            Sign::Working => 2,
            Sign::Starting => 3,
            _ => 4,
        }
    }
}

/// The characters for signs and frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GlyphSet {
    #[default]
    Unicode,
    /// For fonts and terminals that can't show anything else.
    Ascii,
}

impl GlyphSet {
    pub fn sign(self, sign: Sign) -> char {
        let (unicode, ascii) = match sign {
            Sign::Starting => ('◌', '.'),
            Sign::Running => ('▸', '>'),
            Sign::Idle => ('○', 'o'),
            Sign::Working => ('●', '*'),
            Sign::Blocked => ('▲', '!'),
            Sign::Exited => ('■', '-'),
            Sign::Failed => ('×', 'x'),
            Sign::Unknown => ('?', '?'),
            Sign::Unseen => ('◆', '+'),
        };
        self.pick(unicode, ascii)
    }

    pub fn root(self) -> char {
        self.pick('▶', '#')
    }

    /// Marks text that was cut.
    pub fn more(self) -> char {
        self.pick('…', '~')
    }

    /// Marks the entry that Enter selects.
    pub fn here(self) -> char {
        self.pick('›', '>')
    }

    /// Stand beside the count of hidden items to the left and to the right.
    pub fn hidden(self) -> [char; 2] {
        [self.pick('‹', '<'), self.pick('›', '>')]
    }

    /// Marks the list entry whose content is shown.
    pub fn shown(self) -> char {
        self.pick('▪', '*')
    }

    pub fn bullet(self) -> char {
        self.pick('•', '*')
    }

    /// Replaces characters in our own texts that this glyph set lacks.
    pub fn text(self, text: &str) -> Cow<'_, str> {
        const OURS: [(char, &str); 6] = [('…', "..."), ('·', "-"), ('›', ">"), ('↑', "Up"), ('↓', "Down"), ('▲', "!")];
        if self == GlyphSet::Unicode || text.is_ascii() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(OURS.iter().fold(text.to_owned(), |text, (sign, plain)| text.replace(*sign, plain)))
    }

    pub fn box_lines(self) -> BoxLines {
        match self {
            GlyphSet::Unicode => BoxLines::ROUND,
            GlyphSet::Ascii => BoxLines::ASCII,
        }
    }

    /// Tree connectors, three columns each: continue, branch, last branch, blank.
    pub fn connectors(self) -> [&'static str; 4] {
        match self {
            GlyphSet::Unicode => ["│  ", "├─ ", "└─ ", "   "],
            GlyphSet::Ascii => ["|  ", "|- ", "`- ", "   "],
        }
    }

    fn pick(self, unicode: char, ascii: char) -> char {
        match self {
            GlyphSet::Unicode => unicode,
            GlyphSet::Ascii => ascii,
        }
    }
}

/// The style of each role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkinStyles([Style; SkinRole::COUNT]);

impl SkinStyles {
    pub fn of(&self, role: SkinRole) -> Style {
        self.0[role as usize]
    }

    fn set(&mut self, role: SkinRole, style: Style) {
        self.0[role as usize] = style;
    }
}

/// The look of the whole interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skin {
    pub styles: SkinStyles,
    pub glyphs: GlyphSet,
}

impl Default for Skin {
    fn default() -> Self {
        Skin::new(ColorScheme::default())
    }
}

impl Skin {
    pub fn new(scheme: ColorScheme) -> Self {
        Skin { styles: ShippedTheme::for_host(scheme).styles(), glyphs: GlyphSet::default() }
    }

    pub fn style(&self, role: SkinRole) -> Style {
        self.styles.of(role)
    }

    /// For lines and marks that are drawn on no ground of another role.
    pub fn on_text(&self, role: SkinRole) -> Style {
        layered(self.style(SkinRole::Text), self.style(role))
    }

    pub fn sign_style(&self, sign: Sign) -> Style {
        self.style(match sign {
            Sign::Starting | Sign::Unknown | Sign::Exited => SkinRole::Muted,
            Sign::Running | Sign::Idle => SkinRole::Good,
            Sign::Working => SkinRole::Accent,
            Sign::Blocked => SkinRole::Warning,
            Sign::Failed => SkinRole::Bad,
            Sign::Unseen => SkinRole::Accent,
        })
    }

    /// The sign of something that needs the person blinks. The host terminal does the blinking, so it costs nothing
    /// here; on hosts that don't blink, shape and colour still stand out.
    pub fn calling_sign_style(&self, sign: Sign, calls: bool) -> Style {
        let style = self.sign_style(sign);
        match calls {
            true => Style { attributes: style.attributes | Attributes::BLINK, ..style },
            false => style,
        }
    }
}

/// `over` on top of `under`: its colours where it sets any, and the attributes of both.
pub fn layered(under: Style, over: Style) -> Style {
    let pick = |over: Color, under: Color| if over == Color::Default { under } else { over };
    Style {
        foreground: pick(over.foreground, under.foreground),
        background: pick(over.background, under.background),
        underline_color: pick(over.underline_color, under.underline_color),
        underline: if over.underline == Underline::None { under.underline } else { over.underline },
        attributes: under.attributes | over.attributes,
        link: None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const SIGNS: [Sign; 9] = [
        Sign::Starting,
        Sign::Running,
        Sign::Idle,
        Sign::Working,
        Sign::Blocked,
        Sign::Exited,
        Sign::Failed,
        Sign::Unknown,
        Sign::Unseen,
    ];

    #[test]
    fn signs_differ_by_shape_and_are_narrow() {
        for glyphs in [GlyphSet::Unicode, GlyphSet::Ascii] {
            let signs: HashSet<char> = SIGNS.iter().map(|&sign| glyphs.sign(sign)).collect();
            assert_eq!(signs.len(), SIGNS.len());
            assert!(signs.iter().all(|sign| vt::cluster_width(&sign.to_string()) == 1));
        }
    }

    #[test]
    fn texts_of_ours_have_plain_signs_too() {
        let text = "New… › one · ↑ ↓ é";
        assert_eq!(GlyphSet::Unicode.text(text), text);
        assert_eq!(GlyphSet::Ascii.text(text), "New... > one - Up Down é", "letters are nobody's signs");
    }
}
