//! How our own widgets look: styles by role, light and dark, and the signs for states. Nothing outside this file names
//! a colour.

use vt::{Attributes, Color, Style, Underline};

use crate::{canvas::BoxLines, event::ColorScheme};

/// What a piece of the interface is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    Text,
    /// Beside the point: hints, times, paths.
    Muted,
    Accent,
    Border,
    BorderFocused,
    Tab,
    TabActive,
    StatusLine,
    /// The entry that Enter would take.
    Cursor,
    /// Text picked by the mouse or in copy mode.
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

/// What state something is in. Each has a sign of its own shape, so that colour is never the only difference.
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
    /// Something happened that nobody has looked at.
    Unseen,
}

/// The characters that signs and frames are drawn with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyphs {
    #[default]
    Unicode,
    /// For fonts and terminals that have nothing else.
    Ascii,
}

impl Glyphs {
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
        self.pick('▶', '>')
    }

    /// Stands for what had no room.
    pub fn more(self) -> char {
        self.pick('…', '~')
    }

    pub fn box_lines(self) -> BoxLines {
        match self {
            Glyphs::Unicode => BoxLines::ROUND,
            Glyphs::Ascii => BoxLines::ASCII,
        }
    }

    /// Going on, branching off, the last branch, and nothing: each three columns.
    pub fn connectors(self) -> [&'static str; 4] {
        match self {
            Glyphs::Unicode => ["│  ", "├─ ", "└─ ", "   "],
            Glyphs::Ascii => ["|  ", "|- ", "`- ", "   "],
        }
    }

    fn pick(self, unicode: char, ascii: char) -> char {
        match self {
            Glyphs::Unicode => unicode,
            Glyphs::Ascii => ascii,
        }
    }
}

/// All looks of the interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skin {
    pub scheme: ColorScheme,
    pub glyphs: Glyphs,
}

/// Foreground for dark and light hosts. The hues are Okabe and Ito's, which colour-blind people tell apart.
struct Ink {
    dark: u32,
    light: u32,
}

const BLUE: Ink = Ink { dark: 0x56b4e9, light: 0x0072b2 };
const GREEN: Ink = Ink { dark: 0x3ac79b, light: 0x00694d };
const ORANGE: Ink = Ink { dark: 0xe69f00, light: 0x9a6700 };
const RED: Ink = Ink { dark: 0xff7a59, light: 0xb33a00 };
const PURPLE: Ink = Ink { dark: 0xd79abf, light: 0x8f3f75 };
const GREY: Ink = Ink { dark: 0x8a8f98, light: 0x6a7077 };
const BAR: Ink = Ink { dark: 0x26282e, light: 0xe6e8ec };
const RAISED: Ink = Ink { dark: 0x32353d, light: 0xd8dce2 };
const PICKED: Ink = Ink { dark: 0x2f4f6f, light: 0xb9d7f2 };
const FOUND: Ink = Ink { dark: 0x5c4a12, light: 0xf5dfa0 };
const FOUND_HERE: Ink = Ink { dark: 0xe69f00, light: 0xffb733 };
const BLACK: Ink = Ink { dark: 0x101114, light: 0x101114 };

impl Skin {
    pub fn new(scheme: ColorScheme) -> Self {
        Skin { scheme, glyphs: Glyphs::default() }
    }

    pub fn style(&self, role: Role) -> Style {
        let plain = Style::default();
        let ink = |ink: Ink| Style { foreground: self.color(ink), ..plain };
        let on = |ground: Ink| Style { background: self.color(ground), ..plain };
        let bold = |style: Style| Style { attributes: style.attributes | Attributes::BOLD, ..style };
        match role {
            Role::Text | Role::Modal => plain,
            Role::Muted | Role::Border => ink(GREY),
            Role::Accent | Role::BorderFocused => ink(BLUE),
            Role::Tab | Role::StatusLine => Style { foreground: self.color(GREY), ..on(BAR) },
            Role::TabActive => bold(on(RAISED)),
            Role::Cursor => bold(on(RAISED)),
            Role::Selection => on(PICKED),
            Role::Match => on(FOUND),
            Role::MatchCurrent => Style { foreground: self.color(BLACK), ..on(FOUND_HERE) },
            Role::Input => plain,
            Role::Toast => on(RAISED),
            Role::Button => on(BAR),
            // Inverse rather than a colour: it must be seen on any host.
            Role::ButtonActive => Style { attributes: Attributes::INVERSE | Attributes::BOLD, ..plain },
            Role::Good | Role::Added => ink(GREEN),
            Role::Warning => ink(ORANGE),
            Role::Bad | Role::Removed => ink(RED),
            Role::Heading => bold(ink(PURPLE)),
            Role::Code => Style { foreground: self.color(ORANGE), ..plain },
            Role::Link => Style { underline: Underline::Single, ..ink(BLUE) },
            Role::KeyName => bold(ink(BLUE)),
        }
    }

    pub fn sign_style(&self, sign: Sign) -> Style {
        self.style(match sign {
            Sign::Starting | Sign::Unknown | Sign::Exited => Role::Muted,
            Sign::Running | Sign::Idle => Role::Good,
            Sign::Working => Role::Accent,
            Sign::Blocked => Role::Warning,
            Sign::Failed => Role::Bad,
            Sign::Unseen => Role::Accent,
        })
    }

    fn color(&self, ink: Ink) -> Color {
        let vt::Rgb { r, g, b } = vt::Rgb::from_u32(match self.scheme {
            ColorScheme::Dark => ink.dark,
            ColorScheme::Light => ink.light,
        });
        Color::Rgb(r, g, b)
    }
}

/// `over` on top of `under`: its colours where it has any, the attributes of both.
pub(crate) fn layered(under: Style, over: Style) -> Style {
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
        for glyphs in [Glyphs::Unicode, Glyphs::Ascii] {
            let signs: HashSet<char> = SIGNS.iter().map(|&sign| glyphs.sign(sign)).collect();
            assert_eq!(signs.len(), SIGNS.len());
            assert!(signs.iter().all(|sign| vt::cluster_width(&sign.to_string()) == 1));
        }
    }

    #[test]
    fn light_and_dark_differ_where_there_is_colour() {
        let (dark, light) = (Skin::new(ColorScheme::Dark), Skin::new(ColorScheme::Light));
        for role in [Role::Muted, Role::Accent, Role::Selection, Role::Match, Role::Bad, Role::Good, Role::StatusLine] {
            assert_ne!(dark.style(role), light.style(role), "{role:?}");
        }
        assert_eq!(dark.style(Role::Text), Style::default(), "plain text is the host's own");
    }
}
