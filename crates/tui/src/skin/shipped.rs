//! The themes that come with the program. They are theme files like a person's own.

use std::sync::LazyLock;

use super::{SkinStyles, theme_file::ThemeFile};
use crate::event::ColorScheme;

/// A theme that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShippedTheme {
    /// Only the colours that the terminal itself defines.
    Terminal,
    Dark,
    Light,
    HighContrast,
}

/// Parsed once, in the order of the type.
static STYLES: LazyLock<[SkinStyles; 4]> =
    LazyLock::new(|| ShippedTheme::ALL.map(|theme| theme.file().over(SkinStyles::default())));

impl ShippedTheme {
    pub const ALL: [ShippedTheme; 4] =
        [ShippedTheme::Terminal, ShippedTheme::Dark, ShippedTheme::Light, ShippedTheme::HighContrast];

    pub fn name(self) -> &'static str {
        match self {
            ShippedTheme::Terminal => "terminal",
            ShippedTheme::Dark => "dark",
            ShippedTheme::Light => "light",
            ShippedTheme::HighContrast => "high-contrast",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        ShippedTheme::ALL.into_iter().find(|theme| theme.name() == name)
    }

    /// The one that goes with the host's background.
    pub fn for_host(scheme: ColorScheme) -> Self {
        match scheme {
            ColorScheme::Dark => ShippedTheme::Dark,
            ColorScheme::Light => ShippedTheme::Light,
        }
    }

    pub fn styles(self) -> SkinStyles {
        STYLES[self as usize]
    }

    fn text(self) -> &'static str {
        match self {
            ShippedTheme::Terminal => include_str!("../../../../themes/terminal.json"),
            ShippedTheme::Dark => include_str!("../../../../themes/dark.json"),
            ShippedTheme::Light => include_str!("../../../../themes/light.json"),
            ShippedTheme::HighContrast => include_str!("../../../../themes/high-contrast.json"),
        }
    }

    fn file(self) -> ThemeFile {
        ThemeFile::parse(self.text()).expect("a test parses the shipped themes")
    }
}

#[cfg(test)]
mod tests {
    use vt::{Attributes, Color, Style};

    use super::*;
    use crate::skin::{SkinRole, layered};

    /// Roles that are drawn on the ground of others.
    const INKS: [SkinRole; 11] = [
        SkinRole::Muted,
        SkinRole::Accent,
        SkinRole::Good,
        SkinRole::Warning,
        SkinRole::Bad,
        SkinRole::Heading,
        SkinRole::Code,
        SkinRole::Link,
        SkinRole::Added,
        SkinRole::Removed,
        SkinRole::KeyName,
    ];
    /// Roles that inks are drawn on.
    const GROUNDS: [SkinRole; 8] = [
        SkinRole::Text,
        SkinRole::Tab,
        SkinRole::TabActive,
        SkinRole::StatusLine,
        SkinRole::Cursor,
        SkinRole::Toast,
        SkinRole::Modal,
        SkinRole::Input,
    ];

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

    fn value(color: Color, default: u32) -> u32 {
        match color {
            Color::Rgb(r, g, b) => u32::from_be_bytes([0, r, g, b]),
            Color::Default => default,
            Color::Indexed(_) => panic!("what it looks like is up to the terminal"),
        }
    }

    /// The contrast of a style's text where the terminal has these colours.
    fn contrast_of(style: Style, text: u32, ground: u32) -> f64 {
        contrast(value(style.foreground, text), value(style.background, ground))
    }

    #[test]
    fn every_shipped_theme_gives_every_role_once() {
        for theme in ShippedTheme::ALL {
            let file = ThemeFile::parse(theme.text()).unwrap_or_else(|fault| panic!("{}: {fault}", theme.name()));
            let roles: Vec<SkinRole> = file.roles.iter().map(|(role, _)| *role).collect();
            assert_eq!((file.base, roles.as_slice()), (None, SkinRole::ALL.as_slice()), "{}", theme.name());
            assert_eq!(ShippedTheme::named(theme.name()), Some(theme));
        }
    }

    #[test]
    fn every_ink_can_be_read_on_every_ground() {
        // Black, common editor backgrounds, white and Solarized's, each with a text colour that goes with it.
        for (theme, text, grounds) in [
            (ShippedTheme::Dark, 0xd0d0d0, [0x000000, 0x1e1e1e, 0x282c34]),
            (ShippedTheme::Light, 0x303030, [0xffffff, 0xfdf6e3, 0xeeeeee]),
        ] {
            let styles = theme.styles();
            let marked = [SkinRole::Selection, SkinRole::Match, SkinRole::MatchCurrent, SkinRole::Button];
            for ground in grounds {
                let readable = |what: &str, style: Style| {
                    let contrast = contrast_of(style, text, ground);
                    assert!(contrast >= 4.5, "{}: {what} on {ground:06x}: {contrast:.1}", theme.name());
                };
                for under in GROUNDS {
                    for ink in INKS {
                        readable(&format!("{ink:?} on {under:?}"), layered(styles.of(under), styles.of(ink)));
                    }
                }
                GROUNDS.into_iter().chain(marked).for_each(|role| readable(&format!("{role:?}"), styles.of(role)));
            }
        }
    }

    #[test]
    fn high_contrast_is_seven_to_one_whatever_the_terminal_looks_like() {
        let styles = ShippedTheme::HighContrast.styles();
        let text = styles.of(SkinRole::Text);
        for role in SkinRole::ALL {
            // Text that has no ground of its own is drawn on another role's.
            let alone = layered(text, styles.of(role));
            let inks = INKS.map(|ink| layered(alone, styles.of(ink)));
            let over = if GROUNDS.contains(&role) { &inks[..] } else { &[] };
            for style in over.iter().chain([&alone]) {
                for (text, ground) in [(0xffffff, 0x000000), (0x000000, 0xffffff)] {
                    let contrast = contrast_of(*style, text, ground);
                    assert!(contrast >= 7.0, "{role:?}: {style:?}: {contrast:.1}");
                }
            }
        }
        // What lines and marks are drawn with is not laid over anything.
        for role in [SkinRole::Border, SkinRole::BorderFocused, SkinRole::Selection, SkinRole::ButtonActive] {
            assert_ne!(styles.of(role).background, Color::Default, "{role:?}");
        }
    }

    #[test]
    fn the_terminals_theme_has_only_the_terminals_colours() {
        let styles = ShippedTheme::Terminal.styles();
        for role in SkinRole::ALL {
            let Style { foreground, background, .. } = styles.of(role);
            for color in [foreground, background] {
                assert!(matches!(color, Color::Default | Color::Indexed(0..16)), "{role:?}: {color:?}");
            }
        }
        let inverse = styles.of(SkinRole::Cursor).attributes.contains(Attributes::INVERSE);
        assert!(inverse, "the entry that Enter selects stands out without a colour");
    }

    #[test]
    fn light_and_dark_differ_where_there_is_colour() {
        let (dark, light) = (ShippedTheme::Dark.styles(), ShippedTheme::Light.styles());
        for role in [
            SkinRole::Muted,
            SkinRole::Accent,
            SkinRole::Selection,
            SkinRole::Match,
            SkinRole::Bad,
            SkinRole::Good,
            SkinRole::StatusLine,
        ] {
            assert_ne!(dark.of(role), light.of(role), "{role:?}");
        }
        for theme in [dark, light] {
            assert_eq!(theme.of(SkinRole::Text), Style::default(), "plain text is the host's own");
        }
    }
}
