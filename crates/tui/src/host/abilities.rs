//! The host's abilities, and what follows from them.

use vt::{Rgb, Theme};

use super::modes::{HostModes, KeyboardProtocol, MouseTracking};
use crate::{
    event::ColorScheme,
    writer::{ColorDepth, WriterOptions},
};

/// What the host answered; all unset for a host that does not answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostAbilities {
    pub version: Option<String>,
    pub kitty_keyboard: bool,
    pub synchronized: bool,
    pub clusters: bool,
    pub color_scheme_reports: bool,
    pub true_color: bool,
    /// It keeps records of what programs report (OSC 7501).
    pub status_records: bool,
    pub narrow_ambiguous: bool,
    pub foreground: Option<Rgb>,
    pub background: Option<Rgb>,
}

/// The environment's hints about colours: `TERM`, `COLORTERM`, `NO_COLOR`, read by the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColorHints<'a> {
    pub term: &'a str,
    pub color_term: &'a str,
    pub no_color: bool,
}

impl ColorHints<'_> {
    /// The colour depth, as far as the environment tells.
    fn depth(&self) -> ColorDepth {
        match self {
            _ if self.no_color || self.term == "dumb" => ColorDepth::None,
            _ if matches!(self.color_term, "truecolor" | "24bit") => ColorDepth::TrueColor,
            _ if self.term.contains("direct") || self.term.contains("kitty") || self.term.contains("ghostty") => {
                ColorDepth::TrueColor
            }
            _ if self.term.contains("256color") => ColorDepth::Palette256,
            _ => ColorDepth::Ansi16,
        }
    }
}

impl HostAbilities {
    pub fn writer_options(&self, hints: ColorHints<'_>) -> WriterOptions {
        let depth = match hints.depth() {
            ColorDepth::None => ColorDepth::None,
            _ if self.true_color => ColorDepth::TrueColor,
            depth => depth,
        };
        // The Linux console misreads the colon forms.
        let console = matches!(hints.term, "linux" | "dumb" | "vt100" | "vt220");
        WriterOptions {
            depth,
            synchronized: self.synchronized,
            underline_styles: !console,
            hyperlinks: !console,
            narrow_ambiguous: self.narrow_ambiguous,
        }
    }

    /// The modes to enter, with the mouse or without.
    pub fn modes(&self, mouse: MouseTracking) -> HostModes {
        HostModes {
            mouse,
            keyboard: match self.kitty_keyboard {
                true => KeyboardProtocol::Kitty(super::PLAIN_KEYS),
                false => KeyboardProtocol::ModifyOtherKeys,
            },
            color_scheme_reports: self.color_scheme_reports,
            clusters: self.clusters,
        }
    }

    /// Light or dark, by the background's brightness; dark if the host did not tell.
    pub fn color_scheme(&self) -> ColorScheme {
        let light = self.background.is_some_and(|background| Theme { background, ..Theme::default() }.is_light());
        if light { ColorScheme::Light } else { ColorScheme::Dark }
    }

    /// The host's colours as far as known; children that ask are told these.
    pub fn theme(&self) -> Theme {
        let mut theme = Theme::default();
        if let Some(background) = self.background {
            theme.background = background;
        }
        if let Some(foreground) = self.foreground {
            theme.foreground = foreground;
            theme.cursor = foreground;
        }
        theme
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_follow_the_answers_and_the_environment() {
        let depth = |abilities: &HostAbilities, term, color_term, no_color| {
            abilities.writer_options(ColorHints { term, color_term, no_color }).depth
        };
        let silent = HostAbilities::default();
        let rich = HostAbilities { true_color: true, ..HostAbilities::default() };
        assert_eq!(depth(&silent, "xterm-256color", "", false), ColorDepth::Palette256);
        assert_eq!(depth(&silent, "xterm-256color", "truecolor", false), ColorDepth::TrueColor);
        assert_eq!(depth(&rich, "xterm", "", false), ColorDepth::TrueColor);
        assert_eq!(depth(&silent, "linux", "", false), ColorDepth::Ansi16);
        assert_eq!(depth(&rich, "xterm-256color", "truecolor", true), ColorDepth::None);
    }

    #[test]
    fn the_scheme_follows_the_background() {
        let with = |background| HostAbilities { background, ..HostAbilities::default() }.color_scheme();
        assert_eq!(with(None), ColorScheme::Dark);
        assert_eq!(with(Some(Rgb::new(250, 250, 240))), ColorScheme::Light);
        assert_eq!(with(Some(Rgb::new(30, 30, 46))), ColorScheme::Dark);
    }
}
