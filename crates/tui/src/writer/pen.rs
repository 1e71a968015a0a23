//! The host's pen: the shortest change from one style to the next.

use std::{io::Write, sync::Arc};

use vt::{Attributes, Color, Style, Underline};

use super::WriterOptions;
use crate::canvas::CellLink;

/// Attribute, the code that sets it, and the code that resets it.
const SWITCHES: [(Attributes, u8, u8); 9] = [
    (Attributes::BOLD, 1, 22),
    (Attributes::DIM, 2, 22),
    (Attributes::ITALIC, 3, 23),
    (Attributes::BLINK, 5, 25),
    (Attributes::RAPID_BLINK, 6, 25),
    (Attributes::INVERSE, 7, 27),
    (Attributes::INVISIBLE, 8, 28),
    (Attributes::STRIKE, 9, 29),
    (Attributes::OVERLINE, 53, 55),
];

#[derive(Debug)]
pub(super) struct HostPen {
    options: WriterOptions,
    style: Style,
    link: Option<Arc<CellLink>>,
    /// The last style asked for, and its form for the host: runs of one style need no second conversion.
    asked: Style,
}

impl HostPen {
    /// The pen's state after a reset.
    pub(super) fn new(options: WriterOptions) -> Self {
        HostPen { options, style: Style::default(), link: None, asked: Style::default() }
    }

    /// Whether cells of this style need no change.
    pub(super) fn is(&self, style: &Style, link: Option<&Arc<CellLink>>) -> bool {
        self.asked == *style && self.link.as_ref() == self.shown(link)
    }

    pub(super) fn change(&mut self, style: &Style, link: Option<&Arc<CellLink>>, out: &mut Vec<u8>) {
        if self.asked != *style {
            self.asked = *style;
            let wanted = self.possible(style);
            if wanted != self.style {
                change_look(&self.style, &wanted, out);
                self.style = wanted;
            }
        }
        let link = self.shown(link);
        if self.link.as_ref() != link {
            self.link = link.cloned();
            match &self.link {
                None => out.extend_from_slice(b"\x1b]8;;\x1b\\"),
                Some(link) => {
                    // Ids and targets come from children: nothing in them may end the sequence.
                    out.extend_from_slice(b"\x1b]8;");
                    if !link.id.is_empty() {
                        out.extend_from_slice(b"id=");
                        push_clean(&link.id, |c| matches!(c, ';' | ':'), out);
                    }
                    out.push(b';');
                    push_clean(&link.uri, |_| false, out);
                    out.extend_from_slice(b"\x1b\\");
                }
            }
        }
    }

    fn shown<'a>(&self, link: Option<&'a Arc<CellLink>>) -> Option<&'a Arc<CellLink>> {
        link.filter(|link| self.options.hyperlinks && !link.uri.is_empty())
    }

    /// `style` reduced to what the host can show.
    fn possible(&self, style: &Style) -> Style {
        let depth = self.options.depth;
        let mut style = Style {
            foreground: depth.nearest(style.foreground),
            background: depth.nearest(style.background),
            underline_color: depth.nearest(style.underline_color),
            ..*style
        };
        if !self.options.underline_styles {
            style.underline_color = Color::Default;
            if style.underline != Underline::None {
                style.underline = Underline::Single;
            }
        }
        style
    }
}

fn push_clean(text: &str, banned: fn(char) -> bool, out: &mut Vec<u8>) {
    for c in text.chars().filter(|&c| !c.is_control() && !banned(c)) {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// Writes the shorter of two ways: only the differences, or everything after a reset.
fn change_look(from: &Style, to: &Style, out: &mut Vec<u8>) {
    if *to == Style::default() {
        out.extend_from_slice(b"\x1b[m");
        return;
    }
    let start = out.len();
    out.extend_from_slice(b"\x1b[");
    push_difference(from, to, out);
    out.push(b'm');
    let middle = out.len();
    out.extend_from_slice(b"\x1b[0;");
    push_difference(&Style::default(), to, out);
    out.push(b'm');
    if out.len() - middle < middle - start {
        out.drain(start..middle);
    } else {
        out.truncate(middle);
    }
}

/// The codes that differ, separated by `;`; there is at least one.
fn push_difference(from: &Style, to: &Style, out: &mut Vec<u8>) {
    let start = out.len();
    let mut kept = from.attributes;
    for (attribute, _, off) in SWITCHES {
        if kept.contains(attribute) && !to.attributes.contains(attribute) {
            push_code(out, start, format_args!("{off}"));
            // One code resets both bold and dim, and one resets both kinds of blinking.
            SWITCHES.iter().filter(|switch| switch.2 == off).for_each(|switch| kept.remove(switch.0));
        }
    }
    for (attribute, on, _) in SWITCHES {
        if to.attributes.contains(attribute) && !kept.contains(attribute) {
            push_code(out, start, format_args!("{on}"));
        }
    }
    if from.underline != to.underline {
        match to.underline {
            Underline::None => push_code(out, start, format_args!("24")),
            Underline::Single => push_code(out, start, format_args!("4")),
            Underline::Double => push_code(out, start, format_args!("4:2")),
            Underline::Curly => push_code(out, start, format_args!("4:3")),
            Underline::Dotted => push_code(out, start, format_args!("4:4")),
            Underline::Dashed => push_code(out, start, format_args!("4:5")),
        }
    }
    if from.foreground != to.foreground {
        push_color(out, start, to.foreground, 30);
    }
    if from.background != to.background {
        push_color(out, start, to.background, 40);
    }
    if from.underline_color != to.underline_color {
        match to.underline_color {
            Color::Default => push_code(out, start, format_args!("59")),
            // With colons: a host that does not know 58 would read `58;2;1;…` as dim, bold and more.
            Color::Indexed(index) => push_code(out, start, format_args!("58:5:{index}")),
            Color::Rgb(r, g, b) => push_code(out, start, format_args!("58:2::{r}:{g}:{b}")),
        }
    }
}

fn push_color(out: &mut Vec<u8>, start: usize, color: Color, base: u8) {
    match color {
        Color::Default => push_code(out, start, format_args!("{}", base + 9)),
        Color::Indexed(index @ 0..=7) => push_code(out, start, format_args!("{}", base + index)),
        Color::Indexed(index @ 8..=15) => push_code(out, start, format_args!("{}", base + 60 + index - 8)),
        Color::Indexed(index) => push_code(out, start, format_args!("{};5;{index}", base + 8)),
        Color::Rgb(r, g, b) => push_code(out, start, format_args!("{};2;{r};{g};{b}", base + 8)),
    }
}

fn push_code(out: &mut Vec<u8>, start: usize, code: std::fmt::Arguments<'_>) {
    if out.len() > start {
        out.push(b';');
    }
    out.write_fmt(code).expect("writing to a Vec never fails");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(from: Style, to: Style) -> String {
        let mut out = Vec::new();
        change_look(&from, &to, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_what_differs_is_written() {
        let red = Style { foreground: Color::Indexed(1), ..Style::default() };
        let bold = Style { attributes: Attributes::BOLD, ..red };
        assert_eq!(change(Style::default(), red), "\x1b[31m");
        assert_eq!(change(red, bold), "\x1b[1m");
        assert_eq!(change(bold, Style::default()), "\x1b[m");
        let faint = Style { attributes: Attributes::DIM, ..red };
        assert_eq!(change(bold, faint), "\x1b[22;2m");
        let curly = Style { underline: Underline::Curly, underline_color: Color::Rgb(1, 2, 3), ..red };
        assert_eq!(change(red, curly), "\x1b[4:3;58:2::1:2:3m");
    }

    #[test]
    fn a_reset_is_taken_when_it_is_shorter() {
        let loud = Style {
            foreground: Color::Indexed(9),
            background: Color::Indexed(4),
            attributes: Attributes::BOLD | Attributes::ITALIC | Attributes::STRIKE,
            ..Style::default()
        };
        let dim = Style { attributes: Attributes::DIM, ..Style::default() };
        assert_eq!(change(loud, dim), "\x1b[0;2m");
    }

    #[test]
    fn links_are_cleaned() {
        let mut pen = HostPen::new(WriterOptions::default());
        let link = Arc::new(CellLink { id: "a;b\x1b".into(), uri: "http://x/\x07\u{9c}y".into() });
        let mut out = Vec::new();
        pen.change(&Style::default(), Some(&link), &mut out);
        pen.change(&Style::default(), None, &mut out);
        assert_eq!(out, b"\x1b]8;id=ab;http://x/y\x1b\\\x1b]8;;\x1b\\");
    }
}
