//! The looks of our own widgets: styles by role, light and dark, and the signs for states. Only this file names
//! colours.

use std::borrow::Cow;

use vt::{Attributes, Color, Style, Underline};

use crate::{canvas::BoxLines, event::ColorScheme};

/// What a piece of the interface is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SkinRole {
    Text,
    /// Less important text: hints, times, paths.
    Muted,
    Accent,
    Border,
    BorderFocused,
    Tab,
    TabActive,
    StatusLine,
    /// The entry that Enter selects.
    Cursor,
    /// Text selected by the mouse or in copy mode.
    Selection,
    Match,
    MatchCurrent,
    Input,
    Toast,
    Modal,
    Button,
    ButtonActive,
    Good,
    Warning,
    Bad,
    Heading,
    Code,
    Link,
    Added,
    Removed,
    KeyName,
}

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

/// The styles of the whole interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skin {
    pub scheme: ColorScheme,
    pub glyphs: GlyphSet,
}

/// A foreground colour for dark and for light hosts. The hues are Okabe and Ito's, which colour-blind people can tell
/// apart.
struct Ink {
    dark: u32,
    light: u32,
}

const BLUE: Ink = Ink { dark: 0x56b4e9, light: 0x00629a };
const GREEN: Ink = Ink { dark: 0x3ac79b, light: 0x00694d };
const ORANGE: Ink = Ink { dark: 0xe69f00, light: 0x7f5600 };
const RED: Ink = Ink { dark: 0xff7a59, light: 0xa63500 };
const PURPLE: Ink = Ink { dark: 0xd79abf, light: 0x8f3f75 };
const GREY: Ink = Ink { dark: 0x9da2ab, light: 0x595e66 };
const BAR: Ink = Ink { dark: 0x26282e, light: 0xe6e8ec };
const RAISED: Ink = Ink { dark: 0x32353d, light: 0xd8dce2 };
const PICKED: Ink = Ink { dark: 0x2f4f6f, light: 0xb9d7f2 };
const FOUND: Ink = Ink { dark: 0x5c4a12, light: 0xf5dfa0 };
const FOUND_HERE: Ink = Ink { dark: 0xe69f00, light: 0xffb733 };
const BLACK: Ink = Ink { dark: 0x101114, light: 0x101114 };

impl Skin {
    pub fn new(scheme: ColorScheme) -> Self {
        Skin { scheme, glyphs: GlyphSet::default() }
    }

    pub fn style(&self, role: SkinRole) -> Style {
        let plain = Style::default();
        let ink = |ink: Ink| Style { foreground: self.color(ink), ..plain };
        let on = |ground: Ink| Style { background: self.color(ground), ..plain };
        let bold = |style: Style| Style { attributes: style.attributes | Attributes::BOLD, ..style };
        match role {
            SkinRole::Text | SkinRole::Modal => plain,
            SkinRole::Muted | SkinRole::Border => ink(GREY),
            SkinRole::Accent | SkinRole::BorderFocused => ink(BLUE),
            SkinRole::Tab | SkinRole::StatusLine => Style { foreground: self.color(GREY), ..on(BAR) },
            SkinRole::TabActive => bold(on(RAISED)),
            SkinRole::Cursor => bold(on(RAISED)),
            SkinRole::Selection => on(PICKED),
            SkinRole::Match => on(FOUND),
            SkinRole::MatchCurrent => Style { foreground: self.color(BLACK), ..on(FOUND_HERE) },
            SkinRole::Input => plain,
            SkinRole::Toast => on(RAISED),
            SkinRole::Button => on(BAR),
            // Inverse instead of a colour: it is visible on any host.
            SkinRole::ButtonActive => Style { attributes: Attributes::INVERSE | Attributes::BOLD, ..plain },
            SkinRole::Good | SkinRole::Added => ink(GREEN),
            SkinRole::Warning => ink(ORANGE),
            SkinRole::Bad | SkinRole::Removed => ink(RED),
            SkinRole::Heading => bold(ink(PURPLE)),
            SkinRole::Code => Style { foreground: self.color(ORANGE), ..plain },
            SkinRole::Link => Style { underline: Underline::Single, ..ink(BLUE) },
            SkinRole::KeyName => bold(ink(BLUE)),
        }
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

    fn color(&self, ink: Ink) -> Color {
        let vt::Rgb { r, g, b } = vt::Rgb::from_u32(match self.scheme {
            ColorScheme::Dark => ink.dark,
            ColorScheme::Light => ink.light,
        });
        Color::Rgb(r, g, b)
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

    /// The contrast ratio of two colours by WCAG 2.
    fn contrast(one: u32, other: u32) -> f64 {
        let light = |color: u32| {
            let part = |shift: u32| {
                let part = f64::from(color >> shift & 0xff) / 255.0;
                if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0) + 0.05
        };
        let (one, other) = (light(one), light(other));
        one.max(other) / one.min(other)
    }

    #[test]
    fn every_ink_can_be_read_on_every_ground() {
        // Black, common editor backgrounds, white and Solarized's; then our own bars and raised boxes.
        let grounds = [
            [0x000000, 0x1e1e1e, 0x282c34, BAR.dark, RAISED.dark],
            [0xffffff, 0xfdf6e3, 0xeeeeee, BAR.light, RAISED.light],
        ];
        for ink in [BLUE, GREEN, ORANGE, RED, PURPLE, GREY] {
            for (ink, ground) in [(ink.dark, grounds[0]), (ink.light, grounds[1])] {
                for ground in ground {
                    let contrast = contrast(ink, ground);
                    assert!(contrast >= 4.5, "{ink:06x} on {ground:06x}: {contrast:.1}");
                }
            }
        }
        for (text, grounds) in [
            (0xd0d0d0, [BAR.dark, RAISED.dark, PICKED.dark, FOUND.dark]),
            (0x303030, [BAR.light, RAISED.light, PICKED.light, FOUND.light]),
        ] {
            grounds.iter().for_each(|ground| assert!(contrast(text, *ground) >= 4.5, "{ground:06x}"));
        }
        assert!(contrast(BLACK.dark, FOUND_HERE.dark) >= 4.5 && contrast(BLACK.light, FOUND_HERE.light) >= 4.5);
    }

    #[test]
    fn light_and_dark_differ_where_there_is_colour() {
        let (dark, light) = (Skin::new(ColorScheme::Dark), Skin::new(ColorScheme::Light));
        for role in [
            SkinRole::Muted,
            SkinRole::Accent,
            SkinRole::Selection,
            SkinRole::Match,
            SkinRole::Bad,
            SkinRole::Good,
            SkinRole::StatusLine,
        ] {
            assert_ne!(dark.style(role), light.style(role), "{role:?}");
        }
        assert_eq!(dark.style(SkinRole::Text), Style::default(), "plain text is the host's own");
    }
}
